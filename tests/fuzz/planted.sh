#!/bin/bash
# Checks that each harness finds a planted fault. A copy of the tree in BUILD/tree gets the faults of planted.txt: a read past an allocation
# if the fields of a file have the stated values. clang builds the copy with libFuzzer; each harness has SECONDS of processor time, one at a
# time. The tree itself is unchanged.
# Usage: planted.sh BUILD [SECONDS [FAULT...]]; FAULT: a harness, or HARNESS/NAME of planted.txt. Prints the time of each, exits with 1 if
# one found nothing. planted.sh --fits only checks that each line of planted.txt fits the tree, and that each harness has a line.
set -euo pipefail
build=$(realpath -m -- "${1:?usage: planted.sh BUILD [SECONDS [FAULT...]]}")
fits=
[ "$1" != --fits ] || fits=yes
seconds=${2:-60}
shift $(($# < 2 ? $# : 2))
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/../..")
fail() {
	echo "planted.sh: $*" >&2
	exit 1
}

# the copy: only changed files are written, so that a second build is short
copy() { # FROM TO
	cmp -s "$1" "$2" || { mkdir -p "$(dirname "$2")" && cp "$1" "$2"; }
}
faults() { grep -v '^#' "$here/planted.txt"; }
plant() { # FILE: with its faults, to stdout
	faults | awk -F ' [|] ' -v file="$1" '
		NR == FNR { if ($2 == file) { n++; name[n] = $1; at[n] = $3; when[n] = $NF } next }
		{ print }
		{ for (i = 1; i <= n; i++) if (index($0, at[i])) {
			printf "\t{ extern void gt_planted(const char *); if (%s) gt_planted(\"%s\"); }\n", when[i], name[i]; found[i]++ } }
		END { for (i = 1; i <= n; i++) if (found[i] != 1) { printf "%s: %d places for the fault of %s, expected one\n", file, found[i], name[i] >"/dev/stderr"; exit 1 } }
	' - "$root/$1"
}
planted=$(faults | awk -F ' [|] ' '{ print $2 }' | sort -u)
if [ -n "$fits" ]; then
	for source in "$here"/read_*.c "$here"/made_*.c "$here"/parse_*.c; do
		faults | grep -q "^$(basename "$source" .c) | " || fail "planted.txt has no fault for $(basename "$source" .c)"
	done
	while read -r file; do plant "$file" >/dev/null || fail "planted.txt does not fit the tree"; done <<<"$planted"
	exit 0
fi
mkdir -p "$build"
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
while read -r file; do
	grep -qxF "$file" <<<"$planted" || copy "$root/$file" "$build/tree/$file"
done < <(git -C "$root" ls-files)
while read -r file; do
	plant "$file" >"$new/file" || fail "planted.txt does not fit the tree"
	copy "$new/file" "$build/tree/$file"
done <<<"$planted"
cat >"$new/file" <<'END'
/* The fault: the byte behind an allocation is read. */
#include <stdlib.h>
#include <string.h>
void gt_planted(const char *harness);
void gt_planted(const char *harness)
{
	const char *wanted = getenv("GT_PLANTED");
	if (!wanted || strcmp(wanted, harness))
		return;
	volatile char *room = malloc(16);
	if (room)
		room[0] = room[16];
	free((void *)room);
}
END
copy "$new/file" "$build/tree/core/planted.c"

# readers' harnesses need less than half of the tree, parsers' all of it
compile() {
	CC=clang CXX=clang++ CFLAGS="-O1 -gline-tables-only" CXXFLAGS="-O1 -gline-tables-only" cmake -S "$build/tree" -B "$build/out" -G Ninja \
		-DCMAKE_BUILD_TYPE=None -DGANTRY_CUDA=OFF -DGANTRY_FUZZ=ON -DGANTRY_SANITIZE=address,fuzzer-no-link &&
		"$build/tree/tests/fuzz/one_program.sh" "$build/out" "$build/fuzzers" || return 1
	for name; do
		name=${name%/*}
		[[ $name != parse_* ]] || { ninja -C "$build/out" "fuzz_$name" && ln -sf "../out/tests/fuzz_$name" "$build/fuzzers/"; } || return 1
	done
}
missed=0
if [ $# -eq 0 ]; then
	for source in "$here"/read_*.c "$here"/made_*.c "$here"/parse_*.c; do
		name=$(basename "$source" .c)
		faults | grep -q "^$name | " || fail "planted.txt has no fault for $name"
	done
	while read -r name; do set -- "$@" "$name"; done < <(faults | awk -F ' [|] ' '{ print $1 }')
fi
compile "$@" >"$build/log" 2>&1 || { tail -20 "$build/log" >&2; fail "the copy does not build: $build/log"; }

export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0
TMPDIR=$new
export TMPDIR
one() { # FAULT: a line of the table
	local harness=${1%/*} log=$build/${1/\//-}.log most=40000 words=() code took
	[[ $harness == made_* || $harness == read_geometry ]] && most=600
	[ ! -f "$here/words/$harness" ] || words=(-dict="$here/words/$harness")
	rm -rf "${new:?}/corpus"
	mkdir "$new/corpus"
	GT_PLANTED=$1 "$build/fuzzers/$harness" -runs=0 -artifact_prefix="$new/" "$here/corpus/$harness" >"$log" 2>&1 || fail "$1: a file of the corpus comes to the fault already: $log"
	# the limit ends it by a signal, which libFuzzer does not count as a finding
	(
		ulimit -S -t "$seconds"
		GT_PLANTED=$1 "$build/fuzzers/$harness" -max_total_time=$((20 * seconds)) -timeout=60 -rss_limit_mb=3000 -max_len=$most -len_control=0 "${words[@]}" \
			-artifact_prefix="$new/" "$new/corpus" "$here/corpus/$harness" >"$log" 2>&1
		code=$?
		times >"$new/times"
		exit $code
	) && code=0 || code=$?
	took=$(sed -n 2p "$new/times" | tr 'ms' '  ' | awk '{ printf "%.1f", 60 * ($1 + $3) + $2 + $4 }')
	if [ $code -eq 0 ] || ! grep -q SUMMARY "$log"; then
		printf '%-18s nothing in %s s of a processor, %s executions\n' "$1" "$took" "$(grep -o '^#[0-9]*' "$log" | tail -1 | tr -d '#')"
		return 1
	fi
	grep -q 'in gt_planted' "$log" || { printf '%-18s another fault than the planted one: %s\n' "$1" "$log"; return 1; }
	printf '%-18s %6s s %9s executions\n' "$1" "$took" "$(grep -o '^#[0-9]*' "$log" | tail -1 | tr -d '#')"
}
for name; do one "$name" || missed=$((missed + 1)); done
[ $missed -eq 0 ] || fail "$missed of $# found nothing"
