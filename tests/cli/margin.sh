#!/bin/bash
# Requested grids on a circle: padding slices cover the object beyond the ends, and none are added if the grid holds it.
. "$(dirname "$0")/support/lib.sh"

solver=(--solver "os-sart:iterations=5,subsets=6" --backend "$backend")
margin() { sed -n 's|^adds \([0-9]*\) padding slices* below and \([0-9]*\) above the grid: reconstructed but not written.*$|\1 \2|p' stderr.txt; }
# least BELOW ABOVE: the last run had at least these numbers of padding slices.
least() {
	local below=0 above=0
	read -r below above <<<"$(margin)"
	holds "${below:-0} >= $1 && ${above:-0} >= $2" "a margin of ${below:-0} and ${above:-0}: $(cat stderr.txt)"
}
none() { [ -z "$(margin)" ] || fail "a margin of $(margin): $*"; }

# One slice inside a long object equals that of many slices.
ok simulate --reduce 16 --rows 16 --row-pitch 4 --phantom water-cylinder --rays 1 -o long.nc --truth truth.nc --grid 44x40x1@5x6x2.5+4,-6,9
ok recon long.nc -o auto.nc --like truth.nc "${solver[@]}"
least 11 4
ok recon long.nc -o yes.nc --like truth.nc "${solver[@]}" --padding yes
ok compare auto.nc yes.nc --radius 60 --rmse 0.1HU
ok recon long.nc -o no.nc --like truth.nc "${solver[@]}" --padding no
none "--padding no"
grep -q "appears in the outermost slices" stderr.txt || fail "nothing is said: $(cat stderr.txt)"
ok compare auto.nc truth.nc --radius 60 --rmse 10HU
refused 1 "rmse" compare no.nc truth.nc --radius 60 --rmse 200HU
# A grid as high as the visible object, and one of an object that ends within the rows.
ok recon long.nc -o out.nc --grid 44x40x25@5x6x2.5 "${solver[@]}"
none "a grid as high as the beam in the cylinder"
ok simulate --reduce 8 --rows 32 --row-pitch 4 --phantom spheres -o spheres.nc
ok recon spheres.nc -o out.nc --grid 44x40x15@4x4x2 "${solver[@]}"
none "a grid that holds the spheres"
ok recon spheres.nc -o out.nc --grid 44x40x4@4x4x2 "${solver[@]}"
least 3 3
# Slices of the row height at the axis: beyond it rays are higher, by less than half a slice inside the object. All of their
# integrals lack this part.
for rows in 1 4; do
	ok simulate --reduce 16 --rows "$rows" --phantom water-cylinder --rays 1 -o row.nc --truth row-truth.nc --grid "44x40x$rows@5x6x10"
	ok recon row.nc -o auto.nc --like row-truth.nc "${solver[@]}"
	least 1 1
	ok recon row.nc -o yes.nc --like row-truth.nc "${solver[@]}" --padding yes
	ok compare auto.nc yes.nc --radius 60 --rmse 0.1HU
	ok compare auto.nc row-truth.nc --radius 60 --rmse 10HU
done
# One row and one slice that contains it form a two-dimensional problem.
ok simulate --reduce 16 --rows 1 --phantom forbild-head --rays 1 -o row.nc
ok recon row.nc -o out.nc --grid 44x40x1@5x6x15 "${solver[@]}"
none "one slice of one row that is higher than the row anywhere in the head"
# A start on the requested grid, and an interrupted run that continues: the result is that of one run, with the same padding.
ok recon long.nc -o fdk.nc --like truth.nc --solver fdk --backend "$backend"
ok recon long.nc -o whole.nc --like truth.nc "${solver[@]}" --init fdk.nc
least 11 4
ok recon long.nc -o short.nc --like truth.nc "${solver[@]/iterations=5/iterations=2}" --init fdk.nc --checkpoint a.ck
least 11 4
ok recon long.nc -o resumed.nc --like truth.nc "${solver[@]}" --init fdk.nc --resume a.ck
least 11 4
ok compare resumed.nc whole.nc --max 0
refused 1 "out of tolerance" compare short.nc whole.nc --max 0
refused 1 "a.ck: is of another run: the grid is" recon long.nc -o out.nc --like truth.nc "${solver[@]}" --init fdk.nc --resume a.ck --padding no
finish
