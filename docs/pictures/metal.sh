#!/bin/bash
# Makes metal.png of docs/measurements.md: slices of the metal pin and of the neutron drum by fbp and by the preset.
# Needs the scans of docs/guide/real-data.md in $GT_DATA, and python3 (or PYTHON) with numpy and matplotlib. Usage: docs/pictures/metal.sh [GANTRY]
set -eu
gantry=$(realpath "${1:-build/gantry}")
pictures=$(realpath "$(dirname "$0")")
data=$(realpath "$GT_DATA")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# recon SCAN OPTIONS...
recon() {
	"$gantry" recon "$1.nc" -o fbp.nc --solver fbp --quiet "${@:2}"
	"$gantry" recon "$1.nc" -o preset.nc --preset iterative --quiet "${@:2}" 2>/dev/null
	for image in fbp preset; do
		"$gantry" convert "$image.nc" -o "$1-$image.npy" --quiet
	done
}
"$gantry" prepare "$data/pin" -o pin.nc --pixel 10um --auto --quiet
"$gantry" prepare "$data/neutron.tif" -o neutron.nc --sinogram --angles 0..360 --pixel 0.1 --auto --quiet
recon pin --slice 60:64
recon neutron
"${PYTHON:-python3}" "$pictures/metal.py" "$pictures/metal.png"
