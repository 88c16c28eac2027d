#!/bin/bash
# Scans and noise match the options.
. "$(dirname "$0")/support/lib.sh"

small=(--reduce 16 --phantom forbild-head)
ok simulate "${small[@]}" --photons 1e4 --seed 7 --threads 1 -o one.nc
ok simulate "${small[@]}" --photons 1e4 --seed 7 --threads 3 -o three.nc
ok compare one.nc three.nc --max 0
ok simulate "${small[@]}" --photons 1e4 --seed 8 -o eight.nc
refused 1 "out of tolerance" compare one.nc eight.nc --rmse 1e-4
ok simulate "${small[@]}" -o clean.nc
refused 1 "out of tolerance" compare one.nc clean.nc --rmse 1e-4
ok compare one.nc clean.nc --relative 0.2 --mean 0.01

ok simulate --geometry-only --turns 2 --pitch 40 --views 100 --columns 50 --rows 20 --start 30 -o helix.nc
ok info -g helix.nc
says "views                    100"
says "turn_deg                 720"
says "first_angle_deg          30"
says "pitch_mm_per_turn        40"
ok simulate --geometry-only --short-scan --reduce 8 -o short.nc
ok info -g short.nc --json
holds "$(value turn_deg) > 230 && $(value turn_deg) < 240"
holds "$(value views) < 85 && $(value views) > 75"
ok simulate --geometry-only --reduce 8 --detector flat --row-offset 0.5 --source-to-axis 600 -o flat.nc
ok info -g flat.nc
says "detector                 flat"
says "row_offset_cells         0.5"
says "source_to_axis_mm        600"
# Lengths and angles with units.
ok simulate --geometry-only --reduce 8 --start 90deg --z-center 2cm --source-to-axis 0.6m -o deg.nc
ok info -g deg.nc --json
degrees=$(value first_angle_deg)
ok simulate --geometry-only --reduce 8 --start 1.5707963267948966rad --z-center 20 --source-to-axis 600mm -o rad.nc
ok info -g rad.nc --json
holds "$(value first_angle_deg) == 90 && $degrees == 90 && $(value source_to_axis_mm) == 600"
refused 2 "--start=1.5turns: expected a number and a unit, deg" simulate --geometry-only --start 1.5turns -o none.nc
# A file of shapes, and an invalid one.
printf 'no shapes here\n' >shapes.txt
refused_output 1 "shapes.txt" simulate --reduce 16 --phantom shapes.txt
# JSON is UTF-8 for every file name.
if command -v iconv >/dev/null; then
	name=$(printf 'M\374ller-\303\266.nc')
	ok simulate --reduce 16 --phantom box --geometry-only -o "$name"
	ok info "$name" --json
	iconv -f UTF-8 -t UTF-8 <<<"$out" >/dev/null || fail "no UTF-8: $out"
	says '"M?ller-ö.nc"'
fi
finish
