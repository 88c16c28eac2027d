#!/bin/bash
# Every projector pair is an exact adjoint for every detector and orbit of simulate.
. "$(dirname "$0")/support/lib.sh"

check() { # NAME SIMULATE-OPTIONS
	local name=$1 precision
	shift
	ok simulate --geometry-only "$@" -o "$name.nc"
	for precision in single double; do
		ok adjoint "$name.nc" --precision $precision --backend "$backend"
		says elements
	done
}
check arc --reduce 16 --column-offset 1.25 --spot '0.6,0,0;-0.6,0,0'
check helix --scanner ge-ct750hd-helical --reduce 16 --row-offset 0.3
check flat --scanner c-arm --reduce 24
check parallel --detector parallel --columns 40 --rows 6 --views 30 --column-pitch 6 --row-pitch 5 --column-offset -0.7

ok adjoint arc.nc --grid 20x16x6@9x9x5+31,-17,3 --json --coarse-only --backend "$backend"
holds "$(value element_difference) <= 1e-5"
holds "$(value largest_entry_mm) > 0.1"

# One line per projector; an unsupported scan is not a failure.
names=$("$gantry" help projector | awk '{ print $1 }')
ok adjoint --all arc.nc --views 4 --columns 7 --voxels 6 --backend "$backend"
for name in $names; do
	grep -qE "^$name .*(pass|near|refused: .+)$" <<<"$out" || fail "adjoint --all: no verdict on $name: $out"
done
grep -qE '^dd +[0-9.e-]+ +1e-05 +[0-9.e-]+ +1e-06 +pass$' <<<"$out" || fail "adjoint --all: dd does not pass: $out"
ok adjoint --all arc.nc --coarse-only --precision double --views 4 --columns 7 --voxels 6 --json --backend "$backend"
[ "$(grep -c '"projector":' <<<"$out")" -eq "$(wc -w <<<"$names")" ] || fail "adjoint --all --json: not one entry each: $out"
holds "$(value element_difference) <= 1e-12"
refused 2 "cannot be combined" adjoint --all --projector dd arc.nc
refused 2 "projector dd: unknown parameter 'mem'" adjoint --projector dd:mem=1 arc.nc
refused 2 "holds the source of view 0" adjoint --all arc.nc --grid 33x35x11@40x40x4 --backend "$backend"
# Tests that were not run are not printed as 0.
refused 1 "random numbers: needs" adjoint --projector joseph arc.nc --grid 99999x99999x9999@.001x.001x.001 --views 2 --voxels 2 --backend cpu
says elements
if grep -q 'dot product' <<<"$out"; then fail "a dot product that was not made is shown: $out"; fi
refused 1 "coarsened copy (--views" adjoint helix.nc --grid 5x5x5@1x1x1+0,0,70 --views 1 --backend cpu
refused 2 "none of the" adjoint --all arc.nc --grid 8x8x8@1x1x1+0,0,5000

# Rolled detectors (flat and arc by 0.3 rad, arc by 1 rad): projectors that refuse them state it, others pass.
# With a single projector, a refusal is a failure.
if command -v ncdump >/dev/null && command -v ncgen >/dev/null; then
	# tilted SCANNER SINE COSINE
	tilted() {
		ok simulate --geometry-only --scanner "$1" --reduce 48 --views 1 --start 0 -o upright.nc
		ncdump upright.nc | sed "/^ row_axis =/{n;s/.*/  -$2, 0, $3 ;/};/^ column_axis =/{n;s/.*/  $3, 0, $2 ;/}" | ncgen -4 -o tilted.nc
		ok adjoint --all tilted.nc --grid 7x6x5@20x20x20+3,2,1 --backend "$backend"
		grep -qE '^joseph .* pass$' <<<"$out" || fail "adjoint --all: joseph does not pass with rows of $1 that lean: $out"
	}
	for scanner in c-arm ge-ct750hd; do
		tilted $scanner 0.29552020666134 0.955336489125606
		grep -qE '^dd .* pass$' <<<"$out" || fail "adjoint --all: dd does not pass with rows of $scanner that lean: $out"
	done
	tilted ge-ct750hd 0.841470984807897 0.54030230586814
	grep -qE '^dd +refused: .*view' <<<"$out" || fail "adjoint --all: dd does not refuse rows of an arc that lie: $out"
	refused 1 "view" adjoint --projector dd tilted.nc --grid 7x6x5@20x20x20+3,2,1 --backend "$backend"
fi
# The CPU projector that replaces a GPU projector, and their difference.
if [ "$backend" = cpu ]; then
	refused 1 "'dd' approximates it and runs on both" adjoint arc.nc --projector dd-bl --backend cpu
	refused 1 "'dd' has the same entries and runs on both" adjoint arc.nc --projector dd-bs --backend cpu
fi
finish
