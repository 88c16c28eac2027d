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
cylinder radii=160,110 length=400 density=1
cylinder center=-72,8,0 radii=52,72 length=400 angles=8 density=0.26
cylinder center=74,6,0 radii=48,70 length=400 angles=-9 density=0.26
cylinder center=8,28,0 radii=38,44 length=400 angles=25 density=1.05
cylinder center=-65,20,0 radius=4 length=400 density=1.05
cylinder center=79,-18,0 radius=3 length=400 density=1.05
cylinder center=0,-66,0 radii=22,18 length=400 density=1.8
cylinder center=0,-66,0 radii=19,15 length=400 density=1.3
cylinder center=-130,-11,0 radii=5,12 length=400 angles=6 density=1.8
cylinder center=130,-8,0 radii=5,12 length=400 angles=-7 density=1.8
END
# region NAME PHANTOM ROWS ROW_PITCH GRID
region() {
	"$gantry" simulate --phantom "$2" --reduce 4 --rows "$3" --row-pitch "$4" --photons 1e5 --seed 3 -o scan.nc --truth truth.nc --grid "$5" --quiet
	"$gantry" recon scan.nc -o fdk.nc --grid "$5" --solver fdk --quiet
	for outside in no subtract grid; do
		"$gantry" recon scan.nc -o $outside.nc --grid "$5" --preset iterative --outside $outside --quiet 2>/dev/null
	done
	for image in truth fdk no subtract grid; do
		"$gantry" convert $image.nc -o "$1-$image.npy" --quiet
	done
}
region head forbild-head 1 4 40x40x1@2.5x2.5x2.5
region "head, side" forbild-head 1 4 16x20x1@2.5x2.5x2.5+-50,40,0
region "head, cone" forbild-head 32 5 20x20x8@5x5x5
region "torso, lung" torso 1 4 30x24x1@2.5x2.5x2.5+70,20,0
region "torso, spine" torso 1 4 26x18x1@2.5x2.5x2.5+0,-60,0
"${PYTHON:-python3}" "$pictures/regions.py" "$pictures/regions.png"
