#!/bin/bash
# Files of an older version, which tests/cli/frozen.sh reads and continues: scans, volumes, and of every solver of runs.txt a
# checkpoint halfway and the result of the whole run. Usage: make_frozen.sh OLD_GANTRY FOLDER
set -eu
gantry=$(realpath "$1") runs=$(realpath "$(dirname "$0")/../frozen/runs.txt")
mkdir -p "$2"
cd "$2"
# The command is kept in every file: by its bare name.
make() { PATH=$(dirname "$gantry"):$PATH gantry "$@" --quiet; }

make simulate --phantom shepp-logan --reduce 48 --views 18 --rows 2 --row-pitch 30 --photons 1e4 --seed 5 -o arc.nc --truth volume.nc --grid 12x11x2@20x22x8+1,-2,0
make simulate --phantom shepp-logan --scanner c-arm --reduce 72 --views 14 --rows 3 --shift 2 --tilt 1 --seed 7 -o flat.nc
make simulate --phantom shepp-logan --scanner ge-ct750hd-helical --reduce 48 --turns 2 --views 36 --rows 2 --row-pitch 48 -o helix.nc
make simulate --phantom shepp-logan --detector parallel --columns 18 --rows 2 --views 18 --column-pitch 15 --row-pitch 8 --turns 0.5 -o parallel.nc
for scan in arc flat helix parallel; do
	make recon $scan.nc -o "$scan.mha" --like volume.nc --backend cpu:1
done

grep -v '^#' "$runs" | while read -r name half whole stop options; do
	read -ra first <<<"${options//=N/=$half}"
	read -ra all <<<"${options//=N/=$whole}"
	[ "$stop" = - ] || first+=(--stop "$stop")
	make recon arc.nc -o half.mha --like volume.nc --padding no --backend cpu:1 "${first[@]}" --checkpoint "$name.ck"
	make recon arc.nc -o "$name.mha" --like volume.nc --padding no --backend cpu:1 "${all[@]}"
done
rm half.mha
