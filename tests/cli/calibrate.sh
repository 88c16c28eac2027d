#!/bin/bash
# A scan with a wrong centre: estimate, output and refusals.
. "$(dirname "$0")/support/lib.sh"

cat > body.shapes <<'SHAPES'
unit mm-1
ellipsoid center=4,-6,3 radii=14,9,8 density=0.03
ellipsoid center=-13,9,-8 radius=5 density=0.05
ellipsoid center=12,14,7 radius=4 density=0.06
SHAPES
circle=(--scanner c-arm --views 36 --columns 40 --rows 20 --column-pitch 2.6 --row-pitch 2.6 --source-to-axis 100 --source-to-detector 200 --turns 1)
ok simulate "${circle[@]}" --phantom body.shapes --column-offset 1.5 --rays 1 --photons 1e5 -o right.nc
ok import right.nc -o wrong.nc --axis 19.5
ok calibrate wrong.nc -o mended.nc --find axis --picture report.png --json
holds "$(value column_center) > 20.95 && $(value column_center) < 21.05" "column $(value column_center), expected 21"
[ -s report.png ] || fail "no picture"
ok info mended.nc
says "calibrate=center:1."
ok calibrate wrong.nc --find axis
says "column of the central ray: 2"
grep -q "axis is seen" <<<"$out" && fail "an axis in the plane of source and central ray: $out"
# A vendor file with the axis off the central ray: both columns are printed.
printf '%s\n' "[XTekCT]" Projections=36 SrcToObject=100 SrcToDetector=200 DetectorPixelsX=40 DetectorPixelsY=20 DetectorPixelSizeX=2.6 \
	DetectorPixelSizeY=2.6 ObjectOffsetX=2 InitialAngle=0 AngularStep=10 > beside.xtekct
ok geometry beside.xtekct --direction as-file --axis-side as-file -o beside.nc
ok recon right.nc -o body.nc --grid 32 --solver fdk
ok project body.nc --scan beside.nc -o beside-p.nc
ok calibrate beside-p.nc --find axis
grep -qE "^column of the central ray: 19\.[45][0-9]*; the rotation axis is at column (21|17)\." <<<"$out" || fail "$out"

refused_output 1 "not converged after 1 iterations" calibrate wrong.nc --find axis,roll --iterations 1 --backend cpu:2
refused_output 2 "cpux" calibrate wrong.nc --backend cpux
refused_output 2 "unknown --find 'centre'" calibrate wrong.nc --find centre
refused_output 2 "axis is given twice" calibrate wrong.nc --find axis,axis
refused_output 2 "iterations" calibrate wrong.nc --iterations 0
ok simulate --scanner ge-ct750hd --reduce 16 --phantom water-cylinder -o arc.nc --rays 1
for few in 1 3 7; do
	ok simulate --scanner c-arm --views $few --columns 40 --rows 20 --phantom body.shapes --rays 1 -o few.nc
	refused_output 1 "not unique: $few view" calibrate few.nc --find axis
done
refused_output 1 "found an arc detector" calibrate arc.nc

# Beads: estimate, table, picture and refusals.
{
	echo "unit mm-1"
	for at in 20,0,-25 3,19,-18 -17,9,-11 -13,-16,-3 9,-18,4 19,7,12 -3,20,19; do
		echo "ellipsoid center=$at radius=1.2 density=0.6"
		echo "$at" >> places.txt
	done
} > balls.shapes
circle=(--scanner c-arm --views 36 --columns 90 --rows 110 --column-pitch 0.8 --row-pitch 0.8 --source-to-axis 400 --source-to-detector 600 --turns 1)
ok simulate "${circle[@]}" --phantom balls.shapes --column-offset 2.25 --rays 3 --photons 1e5 -o right.nc
ok import right.nc -o balls.nc --axis 44.5
ok calibrate balls.nc --beads 7 -o mended.nc --table views.csv --picture balls.png --json
holds "$(value column_center) > 46.73 && $(value column_center) < 46.77" "column $(value column_center), expected 46.75"
holds "$(value residual_after) < 0.05 && $(value residual_before) > 0.001" "$out"
[ "$(wc -l < views.csv)" -eq 37 ] || fail "views.csv has $(wc -l < views.csv) lines"
[ -s balls.png ] || fail "no picture"
ok info mended.nc
says "beads=7:center:2.2"
ok calibrate balls.nc --beads places.txt
says "axis       "
says "bead  7 at"
ok calibrate balls.nc --beads 7 --span 5.5cm
says "axis       "
refused_output 1 "7 beads that at least half of the views show separately, expected 6" calibrate balls.nc --beads 6
refused_output 1 "7 beads that at least half of the views show separately, expected 9" calibrate balls.nc --beads 9
refused_output 2 "expected 4 to 64 beads" calibrate balls.nc --beads 3
refused_output 1 "no.txt: No such file" calibrate balls.nc --beads no.txt
head -3 places.txt > three.txt
refused_output 1 "found 3 beads" calibrate balls.nc --beads three.txt
refused_output 2 "cannot be combined" calibrate balls.nc --beads 7 --jitter
refused_output 2 "applies to --beads alone" calibrate balls.nc --each-view
refused_output 2 "--table: applies to --beads and --jitter alone" calibrate balls.nc --table out.nc.csv
refused_output 1 "found an arc detector" calibrate arc.nc --beads 7
ok calibrate wrong.nc --jitter --iterations 40 --table shifts.csv
says "jitter along rows"
[ "$(wc -l < shifts.csv)" -eq 37 ] || fail "shifts.csv has $(wc -l < shifts.csv) lines"
refused_output 1 "not converged after 1 rounds" calibrate wrong.nc --jitter --iterations 1
refused_output 2 "--find: cannot be combined with --" calibrate wrong.nc --jitter --find roll
finish
