#!/bin/bash
# Scan geometries: made, shown, corrected, read and written for other programs, and used with images.
. "$(dirname "$0")/support/lib.sh"

small=(--views 60 --rows 12 --columns 40 --pixel 1000um --source-to-axis 12cm --source-to-detector 240)
ok geometry make circle "${small[@]}" --column-offset 1.5 -o scan.nc
ok geometry show scan.nc --json
holds "$(value views) == 60 && $(value column_center) == 21 && $(value source_to_axis_mm) == 120 && $(value step_deg) == 6"
ok geometry show scan.nc -o scan.png
says "counter-clockwise as seen from +z"
[ "$(head -c 4 scan.png | tail -c 3)" = PNG ] || fail "scan.png is no PNG"
ok geometry show scan.nc -o scan.svg
grep -q "<svg" scan.svg || fail "scan.svg is no SVG"
refused_output 2 "--views, --rows, --columns, --pixel: not given" geometry make parallel
ok simulate --reduce 16 --phantom water-cylinder --rays 1 -o whole.nc
head -c 9000 whole.nc >cut.nc
refused_output 1 "cut.nc: truncated: has 9000 bytes" geometry cut.nc
refused_output 2 "--source-to-detector 100 mm: expected more than --source-to-axis, 200 mm" geometry make circle "${small[@]}" \
	--source-to-axis 200 --source-to-detector 100
refused_output 2 "--pitch: not given: expected the table feed" geometry make helix "${small[@]}"
refused_output 2 "did you mean 'circle'" geometry make circel "${small[@]}"
refused_output 2 "--pixel=3,5um: expected a number and a unit" geometry make circle --pixel 3,5um

# Writing and reading preserves the rays.
for file in scan.npy scan.json scan.csv scan.leap; do
	ok geometry scan.nc -o $file
	ok geometry $file --rows 12 --columns 40 -o back.nc
	ok geometry show back.nc --json
	holds "$(value views) == 60 && $(value source_to_axis_mm) - 120 < 1e-9 && 120 - $(value source_to_axis_mm) < 1e-9" "$file"
done
ok geometry scan.nc -o scan.xml
grep -q "image columns are reversed" scan.xml || fail "RTK's columns are not reported"
ok geometry scan.xml --rows 12 --columns 40 --pixel 1 --reverse-columns -o back.nc
refused_output 2 "expected --pixel" geometry scan.xml --rows 12 --columns 40
refused_output 2 "does not state the number of rows" geometry scan.npy
refused 2 "ends in .nc, .xml" geometry scan.nc -o scan.txt
refused_output 1 "no geometry in a known format" geometry scan.png

# RTK's image offsets refer to the projected axis: column 255.5 + 116/0.8, row 255.5 - 2/0.8.
cat >rtk.xml <<'XML'
<?xml version="1.0"?>
<RTKThreeDCircularGeometry version="3">
<SourceToIsocenterDistance>1000</SourceToIsocenterDistance><SourceToDetectorDistance>1536</SourceToDetectorDistance>
<ProjectionOffsetX>-116</ProjectionOffsetX><ProjectionOffsetY>2</ProjectionOffsetY>
<Projection><GantryAngle>10</GantryAngle></Projection><Projection><GantryAngle>130</GantryAngle></Projection>
<Projection><GantryAngle>250</GantryAngle></Projection>
</RTKThreeDCircularGeometry>
XML
ok geometry show rtk.xml --rows 512 --columns 512 --pixel 0.8 --json
holds "$(value axis_column) > 400.499 && $(value axis_column) < 400.501 && $(value axis_row) > 252.999 && $(value axis_row) < 253.001"
ok geometry show rtk.xml --rows 512 --columns 512 --pixel 0.8
says "axis        at column 400.5 (+145 from the centre)"
# Rounding errors are not an offset.
ok geometry make circle --views 90 --rows 24 --columns 64 --pixel 0.4 --source-to-axis 120 --source-to-detector 240 -o level.nc
ok geometry show level.nc
says "at the height of the source at row 11.5 (+0)"

# Corrections.
ok geometry scan.nc --column-offset -2 --reverse-direction --roll 10mrad -o fixed.nc
ok geometry show fixed.nc --json
holds "$(value column_center) < 19.5 && $(value step_deg) == -6 && $(value roll_deg) > 0.57 && $(value roll_deg) < 0.58"
# The sign equals that of --roll also if rows run down.
ok geometry scan.nc --reverse-rows -o down.nc
ok geometry down.nc --roll 10mrad -o rolled.nc
ok geometry show rolled.nc --json
holds "$(value roll_deg) > 0.57 && $(value roll_deg) < 0.58"

# Raw images with the geometry of another program in one command.
mkdir raw
for i in 1 2 3; do head -c 960 /dev/zero | tr '\0' "\\$i" >"raw/view_$i.raw"; done
refused 2 "expected --raw" recon raw -o out.nc --angles 0:60
ok geometry make circle "${small[@]}" --views 3 -o three.nc
ok geometry three.nc -o three.json
ok import raw --raw u16le:40x12 --values line-integrals --geometry three.json -o images.nc
ok info images.nc
says "least                    257"
ok recon images.nc -o one.nc --solver sirt:iterations=1 --grid 8 --force --no-check --backend "$backend"
grep -q "change [0-9.e+-]* mm-1" stderr.txt || fail "HU without a patient: $(cat stderr.txt)"
ok recon images.nc -o two.nc --solver sirt:iterations=1 --grid 8 --force --no-check --backend "$backend" --water 0.02
grep -q "change [0-9.e+-]* HU" stderr.txt || fail "no HU with a stated water value: $(cat stderr.txt)"
refused_output 1 "3 images, but scan.json states 60 views" import raw --raw u16le:40x12 --geometry scan.json
refused_output 1 "has 960 bytes, expected" import raw --raw u16le:41x12 --angles 0:60
refused_output 2 "type 'u17' is not supported" import raw --raw u17:40x12 --angles 0:60
mkdir edf
for i in 1 2 3; do
	printf '%-510s}\n' "{ HeaderID = EH:0 ; Size = 960 ;
Dim_2 = 12 ;
DataType = UnsignedShort ;
ByteOrder = LowByteFirst ;
Dim_1 = 40 ;" >"edf/view_$i.edf"
	cat "raw/view_$i.raw" >>"edf/view_$i.edf"
done
ok import edf --values line-integrals --geometry three.json -o edf.nc
ok info edf.nc
says "least                    257"

# --axis is the column of the projected axis, also if the central ray of the file is elsewhere (RTK).
sed 's/-116/-4/; s/>2</>0</' rtk.xml >near.xml
ok import raw --raw u16le:40x12 --values line-integrals --geometry near.xml --pixel 1 --axis 17.25 -o axis.nc
grep -q "the axis is at column 17.25, as requested (23.5 in the file)" stderr.txt || fail "axis: $(cat stderr.txt)"
ok geometry show axis.nc --json
holds "$(value axis_column) > 17.249 && $(value axis_column) < 17.251 && $(value column_center) != 17.25" "axis at $(value axis_column), central ray at $(value column_center)"

# Parts of a reconstruction.
ok simulate --scanner micro-ct --reduce 16 --phantom shepp-logan --scale 0.05 -o sim.nc
ok recon sim.nc -o a.nc --grid 32 --backend "$backend"
ok info a.nc
says "32x32x33@0.266"
ok recon sim.nc -o b.nc --voxel 200um --slice -3 --views 0::2 --backend "$backend"
grep -q "uses 23 of 45 views" stderr.txt || fail "views: $(cat stderr.txt)"
ok info b.nc
says "43x43x1@0.2"
refused_output 2 "--voxel: cannot be combined with --grid" recon sim.nc --voxel 1 --grid 8x8x8@1x1x1
refused_output 2 "views: 50 to 44 of 45" recon sim.nc --views 50: --backend "$backend"

# A beamline file with links to others, and a microscope file.
[ -f "${GT_DATA:-}/chip.txrm" ] || skip "GT_DATA names no folder with chip.txrm"
ok geometry "$GT_DATA/chip.txrm" --direction as-file -o chip.nc
grep -q "the first by 0.2592, 0.244" stderr.txt || fail "shifts: $(cat stderr.txt)"
ok geometry show chip.nc --json
holds "$(value views) == 7 && $(value rows) == 256 && $(value column_pitch_mm) > 1.5578e-4 && $(value column_pitch_mm) < 1.558e-4"
holds "$(value first_angle_deg) > -45.02 && $(value first_angle_deg) < -45.01"
refused_output 1 "expected --direction" geometry "$GT_DATA/chip.txrm"
if [ -f "$GT_DATA/nxtomo/k11-18014.nxs" ]; then
	ok import "$GT_DATA/nxtomo/k11-18014.nxs" -o k11.nc --axis 10.5
	grep -q "3001 views from 89.9951 to 269.995 degrees" stderr.txt || fail "angles: $(cat stderr.txt)"
	grep -q "100 flat fields by the keys: 50 before, 50 after" stderr.txt || fail "flats: $(cat stderr.txt)"
	cp "$GT_DATA/nxtomo/k11-18014.nxs" .
	refused_output 1 "k11-18014/k11-18014-imaging.h5, which does not exist" import k11-18014.nxs
fi
finish
