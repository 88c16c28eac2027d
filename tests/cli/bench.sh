#!/bin/bash
# The smallest workloads run, and the table is valid JSON with figures; projectors are timed side by side.
. "$(dirname "$0")/support/lib.sh"

ok bench --workload quick --operation forward,back,direct,iteration,parts --repeat 2 --every 2 --backend "$backend" --json -o bench.json
cmp -s <(printf '%s\n' "$out") bench.json || fail "--json and --output differ"
for operation in forward back direct iteration; do
	says "\"operation\":	\"$operation\""
done
holds "$(value ms) > 0 && $(value gups) > 0 && $(value peak_bytes) > 0"
# Some voxels in the corners of the square are out of the fan: the overlap is less than all, and most of it.
holds "$(value overlap) < $(value voxels) * $(value views) && $(value overlap) > 0.7 * $(value voxels) * $(value views)"
# What a workload cannot do is a line of the table.
ok bench --workload quick-flat --operation iteration --solver os-sart:subsets=40 --repeat 1 --every 9 --backend "$backend"
says "subsets=40"
ok bench --workload odd-helix --operation direct --repeat 1 --every 400 --backend "$backend"
says "wfbp: pitch 15.5"
refused 2 "did you mean 'os-sart'" bench --solver os-srt
ok bench --workload quick-flat --operation forward --repeat 1 --every 9 --backend "$backend"
says "quick-flat     forward    dd"

# Every projector, or several; another one beside each. The ratio is that of the two medians, roughly.
ok bench --workload quick-arc --operation forward --projector all --repeat 1 --every 9 --backend "$backend"
for name in $("$gantry" help projector | awk '{ print $1 }'); do
	says "forward    $name "
done
ok bench --workload quick-arc --projector dd,joseph --vs dd --repeat 3 --every 9 --backend "$backend" --json
[ "$(grep -c '"ratio":' <<<"$out")" -eq 2 ] || fail "--vs dd: expected one ratio forward and one back: $out"
says '"vs":	"dd"'
says '"operation":	"back"'
holds "$(value ratio) > 0"
if grep -q '"direct"' <<<"$out"; then fail "--vs times operators alone: $out"; fi
# Integral images alone: three lines for a projector that has them, refused where it does not run.
ok bench --workload quick-arc --operation parts --projector dd,dd-db --repeat 1 --every 9 --backend "$backend"
for part in "x slices" "y slices" "views   "; do
	says "quick-arc      $part   dd-db "
done
if grep -q "arc .* dd  " <<<"$out"; then fail "dd prepares nothing that is timed alone: $out"; fi
# Penalties and operations on arrays, beside copies; an iteration beside the projector, penalised and weighted.
ok bench --workload quick-arc --operation penalty,vectors --penalty huber,tv:inner=3 --repeat 1 --backend "$backend" --json
for operation in value gradient grad+curv line prox/inner axpy dot; do
	says "\"operation\":	\"$operation\""
done
says '"bound":	"copy"'
[ "$(grep -c '"penalty":	"tv:inner=3"' <<<"$out")" -eq 5 ] || fail "tv: expected five lines: $out"
ok bench --workload quick-arc --operation iteration --solver pcg --penalty huber:strength=2,fair --repeat 1 --every 9 --backend "$backend" --json
says '"bound":	"forward + back"'
says '"penalty":	"huber:strength=2,fair"'
refused 2 "unknown penalty 'hubr': did you mean 'huber'" bench --penalty hubr
refused 2 "unknown projector 'joesph': did you mean 'joseph'" bench --projector dd,joesph
refused 2 "unknown projector 'd'" bench --vs d
refused 2 "unknown workload 'od'" bench --workload quick,od
refused 2 "projector sf-tr: unknown parameter 'foo'" bench --projector dd,sf-tr:foo=1
refused 2 "projector dd: memory=-1: expected a number" bench --vs dd:memory=-1
finish
