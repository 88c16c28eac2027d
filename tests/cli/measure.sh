#!/bin/bash
# Figures of volumes: values of a known object, curves as files, refusals.
. "$(dirname "$0")/support/lib.sh"

cat > disc.shapes <<'SHAPES'
unit mm-1
cylinder center=1,-2,0 radius=20 length=90 density=0.03
SHAPES
ok simulate --phantom disc.shapes --reduce 16 --geometry-only -o scan.nc --truth disc.nc --grid 128x128x6@0.5x0.5x1
ok measure disc.nc --roi '1,-2,0,10;1,-2,0,5,4;27,27,0,3' --mtf 0,0,20 --profile -30,-2,0,30,-2,0 --points 61 --json -o curves.csv
holds "$(value mean) > 0.029999 && $(value mean) < 0.030001" "mean $(value mean)"
holds "$(value disc_radius) > 19.95 && $(value disc_radius) < 20.05" "radius $(value disc_radius)"
# Blur of a voxel: sinc(0.5 f) is 0.5 at 1.2067, beyond the Nyquist frequency; averaged over directions MTF50 is about 1/mm.
grep -q '^profile,30,0.0[23]' curves.csv || fail "the middle of the profile: $(grep '^profile,30,' curves.csv)"
grep -q '^region 2 mean,2,' curves.csv || fail "no mean of the third region in curves.csv"
grep -q '^mtf disc_radius,0,[12]' curves.csv || fail "no figures of the disc in curves.csv"
[ "$(grep -c '^profile,' curves.csv)" -eq 61 ] || fail "points: $(grep -c '^profile,' curves.csv)"
ok measure disc.nc --fsc disc.nc --json
grep -q '"resolution_half_bit":[[:space:]]*null' <<<"$out" || fail "the same volume: $out"
ok measure disc.nc --roi 1,-2,0,10 --unit HU
says "mean                 500"
ok measure disc.nc --nps 1,-2,0,19 --side 16
says "squares"

refused 2 "nothing to measure" measure disc.nc
refused 2 "expected X,Y,Z,RADIUS" measure disc.nc --roi 1,2
refused 2 "no voxel of the volume" measure disc.nc --roi 500,0,0,1
refused 2 "there is no edge" measure disc.nc --mtf 1,-2,3
refused 2 "no square of 64 x 64" measure disc.nc --nps 0,0,0,3
refused 1 "none.nc" measure none.nc --roi 0,0,0,1
refused 2 "is outside of the volume" measure disc.nc --profile 0,0,0,99,0,0
finish
