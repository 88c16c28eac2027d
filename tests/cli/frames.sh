#!/bin/bash
# Real synchrotron counts to an image in one command each; the data are in GT_DATA.
. "$(dirname "$0")/support/lib.sh"

mkdir empty
refused_output 1 "holds no files of a known format" recon empty
[ -f "${GT_DATA:-}/pin/angles.txt" ] || skip "GT_DATA names no folder with pin/"

# A pin of plastic and metal: 91 images with one dead pixel, at 0.69 of the flat field.
ok recon "$GT_DATA/pin" -o pin.nc --grid 147x147x5@1x1x1+0,0,50 --backend "$backend"
grep -q "rotation axis found at column 85.8[1-7]" stderr.txt || fail "another axis: $(cat stderr.txt)"
grep -q "interpolated 1 dead pixel (first at row 0, column 0)" stderr.txt || fail "no dead cell: $(cat stderr.txt)"
grep -q "air found in 29 columns at the left and 23 at the right edge" stderr.txt || fail "other air: $(cat stderr.txt)"
# Line integrals of air are 0.00 +- 0.02, also at the dead pixel; air in the image stays near 0 despite the metal.
ok prepare "$GT_DATA/pin" -o pin-prepared.nc --auto
grep -q "rotation axis found at column 85.8[0-8]" stderr.txt || fail "another axis: $(cat stderr.txt)"
grep -qE "line integrals in air are up to (0.00[0-4]|[1-9]\.?[0-9]*e-0[4-9]|0.000)" stderr.txt || fail "other air: $(cat stderr.txt)"
grep -q "air: left out: line integrals in air are up to 0.0[01]" <<<"$out $(cat stderr.txt)" || fail "air: $out $(cat stderr.txt)"
grep -q "metal: done: .* leaves 0.9[0-4] of the streaks" <<<"$out $(cat stderr.txt)" || fail "metal: $out $(cat stderr.txt)"
# The densest of the rods attenuates neutrons 17 times as much as the drum; its interpolation draws more streaks than it removes.
if [ -f "$GT_DATA/neutron.tif" ]; then
	ok prepare "$GT_DATA/neutron.tif" -o rods.nc --sinogram --angles 0..360 --auto
	grep -q "metal: left out: .* leaves 1.* of the streaks: no gain" <<<"$out $(cat stderr.txt)" || fail "rods: $out $(cat stderr.txt)"
fi
for region in 55,30,50,6 -50,35,50,6 0,-55,50,6; do
	ok measure pin.nc --roi "$region" --json
	holds "$(value mean) < 0.001 && $(value mean) > -0.001" "air of the picture at $region"
done
ok import "$GT_DATA/pin" -o pin-scan.nc
ok recon pin-scan.nc -o same.nc --grid 147x147x5@1x1x1+0,0,50 --backend "$backend"
ok compare pin.nc same.nc --json
holds "$(value rmse) == 0" "the folder and what import makes of it"

# By slabs, from the images.
ok recon "$GT_DATA/pin" -o slabs.nc --grid 147x147x5@1x1x1+0,0,50 --backend "$backend" --no-overlap
ok compare pin.nc slabs.nc --json
holds "$(value rmse) < 1e-7" "by slabs"

# A fan beam in a NumPy file.
if [ -f "$GT_DATA/disc_fan.npy" ]; then
	fan=("$GT_DATA/disc_fan.npy" --sinogram --values line-integrals --source-to-axis 410.66 --source-to-detector 553.74 --pixel 0.2)
	ok import "${fan[@]}" --angles -75:-0.5 -o fan.nc
	ok info fan.nc
	says "detector                 flat"
	refused_output 2 "source to axis 0 mm" import "$GT_DATA/disc_fan.npy" --source-to-detector 553 --angles 0:1
fi

# Export with one range.
ok convert pin.nc -o pin.tif --number u16 --range 0:0.005
grep -q "are outside the range 0 to 0.005" stderr.txt || fail "nothing is beyond: $(cat stderr.txt)"
refused_output 2 "has one sample type" recon pin-scan.nc --number u16
refused 2 "--range=0:1: applies to integers alone" convert pin.nc -o x.tif --range 0:1

refused_output 2 "--flat does not apply" recon pin-scan.nc --flat x.tif
refused_output 1 "91 angles, expected" recon "$GT_DATA/neutron.tif" --angles "$GT_DATA/pin/angles.txt" --sinogram
refused_output 2 "angles 0..360" recon "$GT_DATA/neutron.tif" --angles 0..360
finish
