#!/bin/bash
# Scans about a tilted axis: made, shown, written for other programs and read again, simulated, and reconstructed.
. "$(dirname "$0")/support/lib.sh"

small=(--views 48 --rows 40 --columns 44 --pixel 3 --source-to-axis 240 --source-to-detector 720)

# Both angles, true distances and the default grid.
ok geometry make lamino "${small[@]}" --tilt 30 --thickness 5 -o scan.nc
grep -q "tilted by 30 degrees; 60 degrees between central ray and axis" stderr.txt || fail "the angles are not noted: $(cat stderr.txt)"
ok geometry show scan.nc
says "axis tilt   30 degrees, 60 degrees between central ray and axis; plate of 5 mm"
says "distances   240 mm from the source to the axis, 720 mm to the detector: magnification 3, a pixel is 1 mm at the axis"
says "at the central ray at row 19.5 (+0)"
says "6@1x1x1"
ok geometry show scan.nc --json
holds "$(value axis_tilt_deg) > 29.999999 && $(value axis_tilt_deg) < 30.000001 && $(value plate_thickness_mm) == 5"
ok geometry show scan.nc -o scan.svg
ok geometry make lamino "${small[@]}" --beam-to-axis 60 --tilt 30deg --thickness 5 -o same.nc
ok geometry make lamino "${small[@]}" --beam-to-axis 60 --thickness 5 -o other.nc
ok info scan.nc --json
hash=$(sed -n 's/.*"geometry_hash": *"\([^"]*\)".*/\1/p' <<<"$out")
for file in same.nc other.nc; do
	ok info $file --json
	[ "$(sed -n 's/.*"geometry_hash": *"\([^"]*\)".*/\1/p' <<<"$out")" = "$hash" ] || fail "$file is another scan"
done
ok geometry make lamino "${small[@]}" --tilt 0 -o level.nc
ok geometry make circle "${small[@]}" -o circle.nc
for file in level circle; do
	ok geometry $file.nc -o $file.npy
done
cmp level.npy circle.npy || fail "a tilt of 0 is not the circle"

# Bad input, each by name.
refused_output 2 "--tilt: not given: expected it, or --beam-to-axis" geometry make lamino "${small[@]}"
refused_output 2 "--tilt 30 and --beam-to-axis 50 degrees contradict each other" geometry make lamino "${small[@]}" --tilt 30 --beam-to-axis 50
refused_output 2 "tilt=90 degrees" geometry make lamino "${small[@]}" --tilt 90
refused_output 2 "edge-on" geometry make lamino "${small[@]}" --tilt 0 --panel stage
refused_output 2 "thickness=500 mm: every view sees" geometry make lamino "${small[@]}" --tilt 30 --thickness 500
refused_output 2 "expected with make lamino" geometry make circle "${small[@]}" --tilt 30
refused_output 1 "found an arc detector" simulate --phantom box --axis-tilt 30

# A body off z = 0, projected through the geometry as other programs state it.
cat >bodies.txt <<'END'
ellipsoid center=5,-3,1 radius=4 density=1
ellipsoid center=-6,4,-1.5 radius=2 density=2
END
ok simulate --phantom bodies.txt --detector flat --axis-tilt 30 --turns 1 --views 48 --rows 40 --columns 44 --column-pitch 3 --row-pitch 3 \
	--column-offset 0 --source-to-axis 240 --source-to-detector 720 --rays 1 -o data.nc --truth truth.nc --grid 30x30x12@1x1x1
for panel in beam stage axis; do
	ok geometry make lamino "${small[@]}" --tilt 40 --panel $panel -o $panel.nc
	ok project truth.nc --scan $panel.nc --backend "$backend" -o p.nc
	ok recon p.nc --like truth.nc --solver fdk --backend "$backend" -o expected.nc
	for file in scan.npy scan.json scan.csv scan.leap; do
		ok geometry $panel.nc -o $file
		ok geometry $file --rows 40 --columns 44 -o back.nc
		ok geometry show back.nc
		says "axis tilt   40 degrees"
		says "distances   240 mm from the source to the axis, 720 mm to the detector"
		ok project truth.nc --scan back.nc --backend "$backend" -o p.nc
		ok recon p.nc --like truth.nc --solver fdk --backend "$backend" -o v.nc
		ok compare v.nc expected.nc --rmse 1e-5
	done
done

# The direct method, and iterative methods that start from it.
ok recon data.nc --like truth.nc --backend "$backend" -o direct.nc
grep -q "within 30 degrees of the axis are not measured: the centre of a ball keeps 0.87" stderr.txt ||
	fail "the missing cone is not noted: $(cat stderr.txt)"
ok recon data.nc --like truth.nc --backend "$backend" --solver cgls:iterations=2 -o cgls.nc
grep -q fdk stderr.txt || fail "cgls does not start from fdk: $(cat stderr.txt)"
ok compare direct.nc truth.nc --json
direct=$(value rmse)
ok compare cgls.nc truth.nc --json
holds "$(value rmse) < 0.9 * $direct" "cgls does not improve on fdk"
ok geometry make lamino "${small[@]}" --tilt 40 --panel stage-fixed -o fixed.nc
ok project truth.nc --scan fixed.nc --backend "$backend" -o p.nc
refused_output 1 "from the tangent of the orbit" recon p.nc --like truth.nc --solver fdk --backend "$backend"
ok recon p.nc --like truth.nc --solver cgls:iterations=2 --backend "$backend" -o v.nc
ok geometry make lamino "${small[@]}" --tilt 40 --range 270 -o part.nc
ok project truth.nc --scan part.nc --backend "$backend" -o p.nc
turn="about a tilted axis: expected 360"
refused_output 1 "$turn" recon p.nc --like truth.nc --solver fdk --backend "$backend"
ok recon p.nc --like truth.nc --backend "$backend" -o v.nc
grep -q "solver: os-sart.*$turn" stderr.txt || fail "the choice for a part of a turn is not explained: $(cat stderr.txt)"
ok recon p.nc --like truth.nc --preset iterative --backend "$backend" -o v.nc
grep -q "$turn" stderr.txt || fail "the start of the preset is not explained: $(cat stderr.txt)"
ok geometry part.nc -o part.npy
ok geometry part.npy --rows 40 --columns 44 -o back.nc
ok project truth.nc --scan back.nc --backend "$backend" -o p.nc
refused_output 1 "$turn" recon p.nc --like truth.nc --solver fdk --backend "$backend"
ok geometry make lamino --detector parallel --views 48 --rows 40 --columns 44 --pixel 1 --tilt 40 --range 270 -o part.nc
ok project truth.nc --scan part.nc --backend "$backend" -o p.nc
refused_output 1 "$turn" recon p.nc --like truth.nc --solver fbp --backend "$backend"
ok geometry make lamino --detector parallel --views 48 --rows 40 --columns 44 --pixel 1 --tilt 40 -o parallel.nc
ok project truth.nc --scan parallel.nc --backend "$backend" -o p.nc
ok recon p.nc --like truth.nc --backend "$backend" -o v.nc

# Opposite parallel views measure different rays, and are not compared.
ok simulate --phantom bodies.txt --detector parallel --axis-tilt 40 --turns 1 --views 48 --rows 40 --columns 44 --column-pitch 1 --row-pitch 1 \
	--column-offset 0 --rays 1 -o parallel.nc
ok recon parallel.nc --like truth.nc --backend "$backend" -o v.nc
grep -q "conjugate rays" stderr.txt && fail "conjugate rays of a tilted axis: $(cat stderr.txt)"

# A steep, wide fan needs another projector than dd.
ok geometry make lamino --views 48 --rows 72 --columns 72 --pixel 6 --source-to-axis 240 --source-to-detector 720 --tilt 60 -o steep.nc
ok project truth.nc --scan steep.nc --backend "$backend" -o p.nc
grep -q "some rays run along the axis" stderr.txt || fail "the projector is not explained: $(cat stderr.txt)"
ok recon p.nc --like truth.nc --solver cgls:iterations=2 --backend "$backend" -o v.nc
finish
