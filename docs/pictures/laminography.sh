#!/bin/bash
# Makes laminography.png of docs/guide/laminography.md: slices of its board on every panel, and the depth response of balls and discs.
# Needs python3 (or PYTHON) with numpy and matplotlib. Usage: docs/pictures/laminography.sh [GANTRY]
set -eu
gantry=$(realpath "${1:-build/gantry}")
pictures=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sed -n '/^cat >board.txt/,/^END/p' "$pictures/../guide/laminography.md" >board.sh
bash board.sh
board=73x73x33@1x1x1
# scan PANEL ROWS ROW_PITCH
scan() {
	"$gantry" simulate --detector flat --axis-tilt 30 --panel "$1" --turns 1 --views 240 --rows "$2" --row-pitch "$3" --columns 128 --column-pitch 3 \
		--column-offset 0 --source-to-axis 240 --source-to-detector 720 --phantom board.txt --rays 2 -o "$1-scan.nc" --truth truth.nc --grid $board --quiet
}
# recon SCAN NAME OPTIONS...
recon() {
	"$gantry" recon "$1-scan.nc" -o "$2.nc" "${@:3}" --quiet
	"$gantry" convert "$2.nc" -o "$2.npy" --quiet
}
scan beam 128 3
scan stage 128 6
scan axis 160 3
scan stage-fixed 128 6
for panel in beam stage axis; do
	recon $panel $panel --grid $board --solver fdk:mask=none
done
recon stage-fixed stage-fixed --grid $board --solver cgls:iterations=10
recon beam tv --grid $board --solver fista:iterations=150,nonneg=yes --penalty tv:strength=0.2
"$gantry" convert truth.nc -o truth.npy --quiet

# alone NAME PIXEL SHAPE: a line in depth through an object of density 50, which is 1 per mm.
alone() {
	echo "$3 center=0,0,0 density=50" >"$1.txt"
	"$gantry" simulate --detector parallel --axis-tilt 30 --turns 1 --views 360 --rows 160 --row-pitch "$2" --columns 160 --column-pitch "$2" \
		--column-offset 0 --phantom "$1.txt" --rays 2 -o "$1-scan.nc" --quiet
	recon "$1" "$1" --grid "1x1x161@$2x${2}x0.25" --solver fbp:mask=none,extend=none,rows=zero
}
alone ball 0.25 "ellipsoid radius=7"
alone ellipsoid 0.25 "ellipsoid radii=7,7,3.5"
for width in 6 8 16; do
	alone disc-$width 0.25 "cylinder radius=$((width / 2)) length=2"
done
alone disc-40 0.5 "cylinder radius=20 length=2"
"${PYTHON:-python3}" "$pictures/laminography.py" "$pictures/laminography.png"
