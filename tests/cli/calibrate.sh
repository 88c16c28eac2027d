#!/bin/bash
# A scan whose centre is off: found and written; what is refused.
. "$(dirname "$0")/support/lib.sh"

cat > body.shapes <<'SHAPES'
unit mm-1
ellipsoid center=4,-6,3 radii=14,9,8 density=0.03
ellipsoid center=-13,9,-8 radius=5 density=0.05
ellipsoid center=12,14,7 radius=4 density=0.06
SHAPES
circle=(--scanner c-arm --views 36 --columns 40 --rows 20 --column-pitch 2.6 --row-pitch 2.6 --source-to-axis 100 --source-to-detector 200 --turns 1)
ok simulate "${circle[@]}" --phantom body.shapes --column-offset 1.5 --rays 1 --photons 1e5 -o right.nc
ok import right.nc -o wrong.nc --column-center 19.5
ok calibrate wrong.nc -o mended.nc --find center --picture report.png --json
holds "$(value column_center) > 20.95 && $(value column_center) < 21.05" "column $(value column_center), expected 21"
[ -s report.png ] || fail "no picture"
ok info mended.nc
says "calibrate=center:1."
ok calibrate wrong.nc --find center
says "column of the central ray: 2"

refused_output 1 "not converged after 1 steps" calibrate wrong.nc --find center,roll --iterations 1 --backend cpu:2
refused_output 2 "cpux" calibrate wrong.nc --backend cpux
refused_output 2 "unknown --find 'centre'" calibrate wrong.nc --find centre
refused_output 2 "center is there twice" calibrate wrong.nc --find center,center
refused_output 2 "iterations" calibrate wrong.nc --iterations 0
ok simulate --scanner ge-ct750hd --reduce 16 --phantom water-cylinder -o arc.nc --rays 1
ok simulate --scanner c-arm --views 1 --columns 40 --rows 20 --phantom body.shapes --rays 1 -o single.nc
refused_output 1 "there is 1 view" calibrate single.nc --find center
refused_output 1 "not of arcs" calibrate arc.nc
finish
