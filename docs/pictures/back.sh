#!/bin/bash
# Makes back-sf-tr.png of docs/papers.md: a slice of a plain backprojection by separable footprints.
# Usage: docs/pictures/back.sh [GANTRY]
set -eu
gantry=$(realpath "${1:-build/gantry}")
pictures=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$gantry" simulate --phantom forbild-head --reduce 4 --rays 1 -o scan.nc --quiet
"$gantry" backproject scan.nc --projector sf-tr --grid 128x128x16@2x2x2.5 -o back.nc --quiet
"$gantry" view back.nc -o "$pictures/back-sf-tr.png" --plane axial --title "backprojection by sf-tr" --quiet
