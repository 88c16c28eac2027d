#!/bin/bash
# Lengths and angles with units equal those in mm and degrees, in every command.
. "$(dirname "$0")/support/lib.sh"

common=(--scanner c-arm --views 36 --columns 40 --rows 20 --turns 1 --phantom spheres --scale 0.25 --rays 1)
ok simulate "${common[@]}" --column-pitch 2.6 --row-pitch 2.6 --source-to-axis 100 --source-to-detector 200 --start 90 --shift 0.5 --tilt 1 -o mm.nc
ok simulate "${common[@]}" --column-pitch 2600um --row-pitch 0.26cm --source-to-axis 10cm --source-to-detector 0.2m \
	--start 90deg --shift 500um --tilt 0.017453292519943295rad -o units.nc
ok info mm.nc
plain=$(grep -E 'hash|column_pitch|source_to' <<<"$out")
[ -n "$plain" ] || fail "no figures in: $out"
ok info units.nc
[ "$plain" = "$(grep -E 'hash|column_pitch|source_to' <<<"$out")" ] || fail "not the same: $plain and $out"
refused_output 2 "--column-pitch=2.6pounds" simulate "${common[@]}" --column-pitch 2.6pounds
refused_output 2 "--start=1mm" simulate "${common[@]}" --start 1mm

ok recon mm.nc -o mm-grid.nc --voxel 2
ok recon mm.nc -o um-grid.nc --voxel 2000um
ok recon mm.nc -o cm-grid.nc --voxel 0.2cm
ok compare mm-grid.nc um-grid.nc --rmse 0
ok compare mm-grid.nc cm-grid.nc --rmse 0 --radius 1cm
ok recon mm.nc -o wide.nc --grid 32
ok info wide.nc
says "32x32x"
ok recon mm.nc -o slice.nc --slice 5
ok info slice.nc
says "40x40x1@"

ok measure mm-grid.nc --roi '15,0,0,4;0,0,0,8' --json
plain=$out
ok measure mm-grid.nc --roi '1.5cm,0,0,4mm;0,0,0,8000um' --json
[ "$plain" = "$out" ] || fail "measure: $plain and $out"
refused 2 "--roi=1,0,0,4pounds" measure mm-grid.nc --roi 1,0,0,4pounds
finish
