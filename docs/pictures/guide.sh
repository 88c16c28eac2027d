#!/bin/bash
# Makes wrong-axis.png of the guide: slices of its laboratory scan before and after `gantry calibrate`.
# Usage: docs/pictures/guide.sh [GANTRY]
set -eu
gantry=$(realpath "${1:-build/gantry}")
pictures=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 "$pictures/../guide/make_counts.py" counts
"$gantry" import counts -o guess.nc --source-to-axis 120 --source-to-detector 240 --pixel 0.4 --angles 0:4 --quiet
"$gantry" calibrate guess.nc -o found.nc --find axis --picture wrong-axis.png --quiet
mv wrong-axis.png "$pictures/"
