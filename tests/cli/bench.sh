#!/bin/bash
# The smallest workloads run and give a valid JSON table; projectors are timed alternately.
. "$(dirname "$0")/support/lib.sh"

ok bench --workload quick --operation forward,back,direct,iteration,parts --repeat 2 --every 2 --backend "$backend" --json -o bench.json
cmp -s <(printf '%s\n' "$out") bench.json || fail "--json and --output differ"
for operation in forward back direct iteration; do
	says "\"operation\":	\"$operation\""
done
holds "$(value ms) > 0 && $(value gups) > 0 && $(value peak_bytes) > 0"
# Voxels in the corners of the square are outside the fan, so the overlap is slightly below 1.
holds "$(value overlap) < $(value voxels) * $(value views) && $(value overlap) > 0.7 * $(value voxels) * $(value views)"
# Unsupported cases are lines of the table.
ok bench --workload quick-flat --operation iteration --solver os-sart:subsets=40 --repeat 1 --every 9 --backend "$backend"
says "subsets=40"
ok bench --workload odd-helix --operation direct --repeat 1 --every 400 --backend "$backend"
says "wfbp: pitch 15.5"
# About a tilted axis.
ok bench --workload plate --operation direct --repeat 1 --every 240 --backend "$backend" --json
[ "$(value views)" = 3 ] || fail "plate: $out"
refused 2 "did you mean 'os-sart'" bench --solver os-srt
ok bench --workload quick-flat --operation forward --repeat 1 --every 9 --backend "$backend"
says "$(printf '%-14s %-18s dd' quick-flat forward)"

# All or several projectors, and another one alternately with each. The ratio is approximately that of the medians.
ok bench --workload quick-arc --operation forward --projector all --repeat 1 --every 9 --backend "$backend"
for name in $("$gantry" help projector | awk '{ print $1 }'); do
	says "$(printf '%-18s %s ' forward "$name")"
done
ok bench --workload quick-arc --projector dd,joseph --vs dd --repeat 3 --every 9 --backend "$backend" --json
[ "$(grep -c '"ratio":' <<<"$out")" -eq 2 ] || fail "--vs dd: expected one ratio forward and one back: $out"
says '"vs":	"dd"'
says '"operation":	"back"'
holds "$(value ratio) > 0"
if grep -q '"direct"' <<<"$out"; then fail "--vs times operators alone: $out"; fi
# Integral images alone: three lines for a projector with them; refused otherwise.
ok bench --workload quick-arc --operation parts --projector dd,dd-db --repeat 1 --every 9 --backend "$backend"
for part in "x slices" "y slices" "views   "; do
	says "$(printf '%-14s %-18s dd-db ' quick-arc "$part")"
done
if grep -q "arc .* dd  " <<<"$out"; then fail "dd has a preparation: $out"; fi
# Penalties and array operations next to copies; an iteration next to the projector, with penalty and weights.
ok bench --workload quick-arc --operation penalty,vectors --penalty huber,tv:inner=3 --repeat 1 --backend "$backend" --json
for operation in value gradient grad+curv line prox/inner axpy dot add_scaled_clamped divide_step weighted_residual data_misfit reciprocal divide \
	sub_clamped weighted_norm2 distance2; do
	says "\"operation\":	\"$operation\""
done
says '"bound":	"copy"'
[ "$(grep -c '"penalty":	"tv:inner=3"' <<<"$out")" -eq 5 ] || fail "tv: expected five lines: $out"
# Products and sums of stored volumes, in both precisions.
ok bench --workload quick-arc --operation basis --vectors 7 --repeat 1 --backend "$backend" --precision double --json
for operation in products sum "project out"; do
	says "\"operation\":	\"$operation\""
done
says '"basis":	"7 vectors"'
ok bench --workload quick-arc --operation iteration --solver pcg --penalty huber:strength=2,fair --repeat 1 --every 9 --backend "$backend" --json
says '"bound":	"forward + back"'
says '"penalty":	"huber:strength=2,fair"'
says '"solver":	"pcg"'
# Too little memory for the volume or the projections is a line of each operation; others are timed, and the report is complete.
# (Sanitizers need more address space.)
if (ulimit -v 1000000 && "$gantry" --version) >/dev/null 2>&1; then
	for every in 1 9; do
		(
			ulimit -v 1000000
			"$gantry" bench --workload quick-arc,cube1024,cube2048 --operation forward,back,direct,iteration,parts --repeat 1 \
				--every $every --backend cpu:2 -q -o short.json >short.txt 2>stderr.txt
		) || fail "too little memory is no failure: $(cat stderr.txt)"
		for operation in forward back direct iteration; do
			[ "$(grep -c "^cube[0-9]* *$operation .* needs* .* [GM]i*B" short.txt)" -eq 2 ] || fail "$operation: no lines: $(cat short.txt)"
			grep -q "^quick-arc *$operation .*[0-9]  " short.txt || fail "$operation: quick-arc is missing: $(cat short.txt)"
		done
		[ "$(grep -c '"refused"' short.json)" -eq 8 ] || fail "expected eight lines that have no room: $(cat short.json)"
		[ "$(grep -c '"gups_overlap"' short.json)" -eq 5 ] || fail "expected five that were timed: $(cat short.json)"
	done
fi
# Empty lists time nothing; neither do missing operations.
for option in workload operation projector penalty; do
	refused 2 "--$option: expected a comma-separated list of names" bench --$option ""
done
refused 2 "unknown solver ''" bench --method ""
refused 2 "expected an analytic method" bench --method os-sart
refused 2 "--vs=joseph: applies to forward and back, and --operation=direct has neither" bench --vs joseph --operation direct
ok bench --workload quick-arc --operation parts --backend "$backend"
grep -qF "parts: dd has no preparation" stderr.txt || fail "no parts, and no note: $(cat stderr.txt)"
if [ "$backend" = cpu ]; then
	ok bench --workload quick-flat --operation direct --method fdk:kernel=plain --repeat 1 --backend cpu
	grep -qF "fdk: kernel=plain needs CUDA" stderr.txt || fail "a form unsupported on the CPU, and no note: $(cat stderr.txt)"
fi
# Columns stay aligned for the standard names.
ok bench --workload quick-arc --operation direct,iteration,penalty --repeat 1 --every 9 --backend "$backend"
says "$(printf '%-18s dd os-sart' iteration)"
[ "$(sed 1,2d <<<"$out" | cut -c 55-60 | grep -vc '^ *[-0-9]*$')" -eq 0 ] || fail "the column of views is not one: $out"
refused 2 "unknown penalty 'hubr': did you mean 'huber'" bench --penalty hubr
refused 2 "unknown projector 'joesph': did you mean 'joseph'" bench --projector dd,joesph
refused 2 "unknown projector 'd'" bench --vs d
refused 2 "unknown workload 'od'" bench --workload quick,od
refused 2 "projector sf-tr: unknown parameter 'foo'" bench --projector dd,sf-tr:foo=1
refused 2 "projector dd: memory=-1: expected a number" bench --vs dd:memory=-1
finish
