#!/bin/bash
# compare knows the size of known differences, and fails above each tolerance.
. "$(dirname "$0")/support/lib.sh"

ok simulate --reduce 16 --phantom water-cylinder -o scan.nc --truth truth.nc --grid 32x32x8@8x8x5
ok import truth.nc -o truth.mha
# Half of everything, then everything and 0.001.
ok import truth.mha -o half.nc --input-unit mm-1 --slope 0.5
ok import truth.mha -o plus.nc --input-unit mm-1 --slope 1 --offset 0.001
ok compare half.nc truth.nc --json
holds "($(value relative) - 0.5) ^ 2 < 1e-10"
holds "($(value max) - 0.01) ^ 2 < 1e-14"
ok compare plus.nc truth.nc --json
holds "($(value rmse) - 0.001) ^ 2 < 1e-14"
holds "($(value mean) - 0.001) ^ 2 < 1e-14"
holds "($(value rmse_HU) - 50) ^ 2 < 1e-4"
ok compare plus.nc truth.nc --rmse 0.0011 --max 0.0011 --mean 0.0011
for key in rmse max mean; do
	refused 1 "out of tolerance" compare plus.nc truth.nc --$key 0.0009
done
ok compare plus.nc truth.nc --rmse 50.1HU --max 51hu --mean 50.1HU
refused 1 "out of tolerance: rmse is 50 HU, expected at most 49.9 HU" compare plus.nc truth.nc --rmse 49.9HU
refused 2 "--max=5mm" compare plus.nc truth.nc --max 5mm
refused 2 "--rmse=HU" compare plus.nc truth.nc --rmse HU
refused 2 "these are projections" compare scan.nc scan.nc --rmse 5HU
refused 1 "out of tolerance: relative rmse" compare half.nc truth.nc --relative 0.49
ok compare truth.nc truth.nc --max 0
# The cylinder's middle is water alone.
ok compare half.nc truth.nc --radius 60 --json
holds "($(value rmse) - 0.01) ^ 2 < 1e-14"
ok compare truth.nc half.nc --central 0.25 --json
holds "$(value n) == 32 * 32 * 2"

ok simulate --reduce 16 --phantom water-cylinder -o other.nc --truth other-truth.nc --grid 32x32x8@8x8x5.5
refused 1 "different grids" compare truth.nc other-truth.nc
refused 1 "holds projections" compare truth.nc scan.nc
ok compare scan.nc other.nc --max 0
ok simulate --reduce 17 --phantom water-cylinder -o fewer.nc
refused 1 "different sizes" compare scan.nc fewer.nc
finish
