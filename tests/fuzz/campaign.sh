#!/bin/bash
# Runs all fuzzers of a folder on a machine without a compiler: each processor runs one harness with its own seed, slow harnesses on more
# processors, from a copy of the corpus in memory. Prints executions, edges and findings per harness. Packs new inputs, minimised, into
# OUT/new.tar.gz and findings into OUT/found.tar.gz. OUT/hours.txt has lines for tests/fuzz/hours.txt, with the source hashes of
# FUZZERS/sources. Takes SECONDS plus about 10.
# Usage: campaign.sh FUZZERS CORPUS SECONDS OUT [PROCESSORS]
set -u
fuzzers=$(realpath "${1:?usage: campaign.sh FUZZERS CORPUS SECONDS OUT [PROCESSORS]}")
corpus=$(realpath "${2:?usage: campaign.sh FUZZERS CORPUS SECONDS OUT [PROCESSORS]}")
seconds=${3:?usage: campaign.sh FUZZERS CORPUS SECONDS OUT [PROCESSORS]}
out=$(realpath "${4:?usage: campaign.sh FUZZERS CORPUS SECONDS OUT [PROCESSORS]}")
processors=${5:-$(nproc)}
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)")
TMPDIR=$work/files
trap 'rm -rf "$work"' EXIT
mkdir -p "$TMPDIR" "$work/found" "$work/new" "$out"
# the end is reserved for merging: a sixth of the time, at most a minute
over=$((SECONDS + seconds)) merging=$((seconds / 6 < 60 ? seconds / 6 : 60))
deadline=$((over - merging))
export TMPDIR fuzzers corpus work here
export ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export LSAN_OPTIONS=suppressions=$here/leaks.txt:print_suppressions=0

options() { # HARNESS: dictionary and maximum length; a probe process may take 20 s on a shared processor
	local most=40000
	[[ $1 == made_* || $1 == read_geometry ]] && most=600
	echo "-max_len=$most -len_control=0 -timeout=60 -rss_limit_mb=3000"
	[ ! -f "$here/words/$1" ] || echo "-dict=$here/words/$1"
}
# one processor until the end; after a finding it restarts with the next seed
one() { # HARNESS NUMBER SECONDS
	local end=$((SECONDS + $3)) seed=$2 left log=$work/$1-$2.log
	mkdir -p "$work/$1"
	while left=$((end - SECONDS)) && [ $left -gt 0 ]; do
		# shellcheck disable=SC2046
		timeout -k 1 $((left + 1)) "$fuzzers/$1" $(options "$1") -seed="$seed" -max_total_time=$left -reload=30 -print_final_stats=1 -artifact_prefix="$work/found/$1-" \
			"$work/$1" "$corpus/$1" >>"$log" 2>&1 </dev/null && break
		seed=$((seed + 1000))
	done
	# Processor time of the child processes, which fuzz. No pipe: its shell would have no children.
	times >"$log.took"
	sed -n 2p "$log.took" | tr 'ms' '  ' | awk '{ print 60 * ($1 + $3) + $2 + $4 }' >"$log.times"
}
# merges inputs with new edges
pick() { # HARNESS
	mkdir -p "$work/new/$1"
	# shellcheck disable=SC2046
	timeout -k 1 $((until - $(date +%s) > 1 ? until - $(date +%s) : 1)) "$fuzzers/$1" $(options "$1") -merge=1 "$work/picked-$1" "$corpus/$1" "$work/$1" >"$work/$1-merge.log" 2>&1 </dev/null
}
export -f options one

mapfile -t names < <(cd "$fuzzers" && find . -maxdepth 1 ! -type d \( -name 'read_*' -o -name 'made_*' -o -name 'parse_*' \) -printf '%f\n' | sort)
# slow because of libraries and probe processes: two processors each, if available
plan=("${names[@]}")
for name in made_netcdf read_netcdf read_checkpoint read_dicom read_dataexchange made_hdf5 read_frames read_txrm; do
	[ ${#plan[@]} -ge "$processors" ] || [ ! -x "$fuzzers/$name" ] || plan+=("$name")
done
rounds=$(((${#plan[@]} + processors - 1) / processors))
while [ ${#plan[@]} -lt $((rounds * processors)) ]; do plan+=("${names[${#plan[@]} % ${#names[@]}]}"); done
echo "${#names[@]} harnesses, $processors processors, $rounds rounds of some $(((deadline - SECONDS) / rounds)) s each"
for ((round = 0; round < rounds; round++)); do
	each=$(((deadline - SECONDS) / (rounds - round)))
	[ $each -gt 0 ] || continue
	for ((i = round * processors; i < (round + 1) * processors; i++)); do one "${plan[i]}" $((i + 1)) $each & done
	wait
done

printf '%-18s %10s %10s %8s %6s  %s\n' harness runs executions edges 'cpu h' found
hash_of() { # HARNESS: of its readers' sources; parsers have none
	awk -v h="$1" '$1 == h { s = $2 } END { print s ? s : "-" }' "$fuzzers/sources" 2>/dev/null || echo -
}
: >"$out/hours.txt"
for name in "${names[@]}"; do
	runs=$(find "$work" -maxdepth 1 -name "$name-*.log" | wc -l)
	# a run that was killed by its limit prints no statistics
	units=$(cat "$work/$name"-*.log 2>/dev/null | awk '/^#[0-9]/ { u = substr($1, 2) + 0 } /^INFO: Running with/ || /^INFO: Seed/ { n += u; u = 0 }
		/^stat::number_of_executed_units/ { n += $2; u = 0 } END { print n + u }')
	edges=$(cat "$work/$name"-*.log 2>/dev/null | grep -o 'cov: [0-9]*' | awk '$2 > n { n = $2 } END { print n + 0 }')
	found=$(find "$work/found" -name "$name-*" ! -name '*.log' | wc -l)
	hours=$(cat "$work/$name"-*.times 2>/dev/null | awk '{ n += $1 } END { printf "%.4f", n / 3600 }')
	what=$(cat "$work/$name"-*.log 2>/dev/null | grep -E '^fuzz:|runtime error|SUMMARY|ERROR' | sort | uniq -c | sort -rn | head -2 | tr '\n' ';' | cut -c1-200)
	printf '%-18s %10d %10d %8d %6.2f  %s\n' "$name" "$runs" "$units" "$edges" "$hours" "$found $what"
	[ "$(hash_of "$name")" = - ] || echo "$(date -u +%FT%TZ) $name $(hash_of "$name") $hours $units $edges $found" >>"$out/hours.txt"
done | tee "$out/table.txt"
awk '{ n += $4; e += $5 } END { printf "readers: %d executions in %.2f processor hours\n", e, n }' "$out/hours.txt" | tee -a "$out/table.txt"
find "$work/found" -type f -exec cp -t "$out" {} +
export -f pick
# findings are kept even if the rest is interrupted
cp "$work"/*.log "$work/found/" 2>/dev/null
find "$work/found" -name '*.log' -size +200k -exec truncate -s 200k {} \;
tar -C "$work" -czf "$out/found.tar.gz" found
for name in "${names[@]}"; do mkdir -p "$work/picked-$name"; done
# harnesses in sequence, all before the end
until=$(($(date +%s) + over - SECONDS))
export until
printf '%s\n' "${names[@]}" | xargs -P "$processors" -I{} bash -c 'pick {}'
# the merge keeps one file per feature, named by its hash; corpus files are not new
for name in "${names[@]}"; do
	for kept in $(comm -13 <(find "$corpus/$name" -type f -exec sha1sum {} + | cut -d' ' -f1 | sort -u) <(find "$work/picked-$name" -type f -printf '%f\n' | sort -u)); do
		cp "$work/picked-$name/$kept" "$work/new/$name/"
	done
done
tar -C "$work" -czf "$out/new.tar.gz" new
ls -l "$out/new.tar.gz" "$out/found.tar.gz"
