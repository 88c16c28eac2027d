#!/bin/bash
# Makes regions.png of docs/measurements.md: five regions inside objects, by fdk and by the preset with each --outside.
# Needs python3 (or PYTHON) with numpy and matplotlib. Usage: docs/pictures/regions.sh [GANTRY]
set -eu
gantry=$(realpath "${1:-build/gantry}")
pictures=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >torso <<'END'
combine replace
cylinder radii=160,110 length=400 density=1.0
cylinder center=-70,0,0 radii=50,70 length=400 density=0.3
cylinder center=70,0,0 radii=50,70 length=400 density=0.3
cylinder center=0,-75,0 radii=22,18 length=400 density=1.9
cylinder center=0,-75,0 radii=9,8 length=400 density=1.0
cylinder center=-125,60,0 radii=9,9 length=400 density=1.9
cylinder center=125,60,0 radii=9,9 length=400 density=1.9
cylinder center=-140,-20,0 radii=8,12 length=400 density=1.9
cylinder center=140,-20,0 radii=8,12 length=400 density=1.9
cylinder center=10,20,0 radii=30,25 length=400 density=1.06
ellipsoid center=0,25,0 radii=10,10,10 density=1.1
cylinder center=22,18,0 radii=3,3 length=400 density=1.4
ellipsoid center=-75,10,0 radii=5,5,5 density=1.0
ellipsoid center=-60,-20,0 radii=3,3,3 density=1.0
END
# region NAME PHANTOM GRID SCAN_OPTIONS...
region() {
	"$gantry" simulate --phantom "$2" --reduce 4 --photons 1e5 --seed 1 "${@:4}" -o scan.nc --truth truth.nc --grid "$3" --quiet
	"$gantry" recon scan.nc -o fdk.nc --grid "$3" --solver fdk --quiet
	for outside in no subtract grid; do
		"$gantry" recon scan.nc -o $outside.nc --grid "$3" --preset iterative --outside $outside --quiet 2>/dev/null
	done
	for image in truth fdk no subtract grid; do
		"$gantry" convert $image.nc -o "$1-$image.npy" --quiet
	done
}
region head forbild-head 40x40x1@2.5x2.5x4 --rows 1 --points 6
region "head, side" forbild-head 16x20x1@2.5x2.5x4+-50,40,0 --rows 1 --points 6
region "head, cone" forbild-head 20x20x8@5x5x5 --rows 32 --row-pitch 5
region "torso, lung" torso 30x24x1@2.5x2.5x4+70,20,0 --rows 1 --points 6
region "torso, spine" torso 26x18x1@2.5x2.5x4+0,-60,0 --rows 1 --points 6
"${PYTHON:-python3}" "$pictures/regions.py" "$pictures/regions.png"
