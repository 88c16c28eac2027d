#!/bin/bash
# Measurements and choices of several ranks: links, times and model, load fractions of heterogeneous ranks, bit-identical results.
. "$(dirname "$0")/support/lib.sh"
export XDG_CACHE_HOME=$PWD/cache

ok devices --links --megabytes 1
says "GB/s both ways"
ok devices --links --megabytes 0.5 --json
holds "$(value bytes_per_second) > 0 && $(value latency_seconds) > 0"
refused 2 "megabytes" devices --links --megabytes 0

# Speed-up of one rank is 1; every line has the model and its error.
ok bench --gpus 1,2 --backend cpu:1 --workload quick-arc --split views,slices --solver fista:prox=yes --penalty tv:strength=0.01 \
	--operation iteration --repeat 1 --every 3 --json -o speed.json
cmp -s <(printf '%s\n' "$out") speed.json || fail "--json and --output differ"
[ "$(grep -c '"members"' speed.json)" -eq 3 ] || fail "expected one member, and two by views and by slices: $out"
holds "$(value ms) > 0 && $(value model_ms) > 0 && $(value speedup) == 1 && $(value efficiency) == 1"
holds "($(value model_error) + 1) * $(value ms) > 0.99 * $(value model_ms) && ($(value model_error) + 1) * $(value ms) < 1.01 * $(value model_ms)"
says '"split":	"slices"'
ok bench --gpus 2,1 --backend cpu:1 --workload quick-flat --operation direct --repeat 1 --every 5
says "speed-up"
[ "$(grep -c "fdk kernels" <<<"$out")" -eq 2 ] || fail "expected the kernels alone on one member and on two: $out"
ok bench --gpus 1,64 --backend cpu:1 --workload odd-16 --operation direct --repeat 1 --every 60
says "64 devices for 17 slices: expected a slice for each"
refused 2 "1,2,4" bench --gpus 1,,2
refused 2 "combined" bench --gpus 2 --vs dd
refused 2 "nothing" bench --gpus 2 --split nothing

ok simulate --phantom shepp-logan --reduce 16 --rows 8 --photons 1e4 --seed 5 -o scan.nc

# Bit-identical on 1, 2, 4 and 8 ranks.
for s in "pcg:iterations=2 --penalty qggmrf:strength=100" os-sart:subsets=3,iterations=2 "fista:iterations=2,prox=yes --penalty tv:strength=0.01" \
	"cgls:iterations=2 --init zero" fdk; do
	first=
	for b in cpu:2 cpu:1x2 cpu:1x4 cpu:1x8; do
		# shellcheck disable=SC2086 # several arguments
		ok recon scan.nc -o bits.mha --backend $b --quiet --reproducible --solver $s
		sum=$(sed '1,/ElementDataFile/d' bits.mha | md5sum)
		[ -z "$first" ] || [ "$sum" = "$first" ] || fail "--reproducible: $s has other bits on $b"
		first=$sum
	done
done
ok recon scan.nc -o one.nc --backend cpu:1 --quiet --solver os-sart:subsets=3,iterations=2 --precision double
ok recon scan.nc -o bits.nc --backend cpu:1x4 --quiet --solver os-sart:subsets=3,iterations=2 --precision double --reproducible
ok compare bits.nc one.nc --rmse 1e-9
refused 2 "3 devices" recon scan.nc -o bits.nc --backend cpu:1x3 --reproducible
# One device, but eight partitions.
refused 2 "--reproducible uses 8 ranks, too many for 1 slice and subsets of 5 views: omit it, or use fewer subsets" \
	recon scan.nc -o bits.nc --backend cpu:1 --reproducible --grid 20x20x1@20x20x10 --padding no --solver os-sart:subsets=12,iterations=1

# Heterogeneous ranks: measured once, then cached; a damaged file is ignored.
# shellcheck disable=SC2054 # of parameters
unlike=(recon scan.nc -o two.nc --backend cpu:1+cpu:2 --solver os-sart:subsets=3,iterations=2 --precision double)
ok "${unlike[@]}"
grep -q "as measured" stderr.txt || fail "shares were not measured: $(cat stderr.txt)"
ok compare two.nc one.nc --rmse 1e-9
ok "${unlike[@]}"
grep -q "as found before" stderr.txt || fail "shares were not remembered: $(cat stderr.txt)"
sed -i 's/\t.*/\t7 x/' cache/gantry/shares
ok "${unlike[@]}"
grep -q "as measured" stderr.txt || fail "a damaged line was taken: $(cat stderr.txt)"
[ "$(ls cache/gantry)" = shares ] || fail "left behind: $(ls cache/gantry)"
rm cache/gantry/shares
mkfifo cache/gantry/shares
timeout 1200 "$gantry" "${unlike[@]}" >/dev/null 2>&1 || fail "a pipe in place of the shares: the command waits or fails"
ok "${unlike[@]}" --balance no
if grep -q "^balance" stderr.txt; then fail "--balance no measured: $(cat stderr.txt)"; fi
refused 2 "expected several" recon scan.nc -o two.nc --backend cpu:1 --balance yes --solver sirt
ok recon scan.nc --backend cpu:1x4 --solver os-sart:subsets=3 --dry-run
says "by_2x2 "
says "by the model"
finish
