#!/bin/bash
# compare reports known differences, and fails above each tolerance.
. "$(dirname "$0")/support/lib.sh"

ok simulate --reduce 16 --phantom water-cylinder -o scan.nc --truth truth.nc --grid 32x32x8@8x8x5
ok import truth.nc -o truth.mha
# Half of all values, then all values and 0.001.
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
# A constant has no range: the peak ratio is omitted instead of minus infinity.
ok import truth.mha -o ones.nc --input-unit mm-1 --slope 1e-30 --offset 0.02
ok compare truth.nc ones.nc
says "psnr              -            (all values of the reference are equal"
ok compare truth.nc ones.nc --json
says '"psnr_db":	null'
for key in rmse max mean; do
	refused 1 "out of tolerance" compare plus.nc truth.nc --$key 0.0009
done
ok compare plus.nc truth.nc --rmse 50.1HU --max 51hu --mean 50.1HU
refused 1 "out of tolerance: rmse is 50 HU, expected at most 49.9 HU" compare plus.nc truth.nc --rmse 49.9HU
refused 2 "--max=5mm" compare plus.nc truth.nc --max 5mm
refused 2 "--rmse=HU" compare plus.nc truth.nc --rmse HU
refused 2 "these are projections" compare scan.nc scan.nc --rmse 5HU
refused 2 "these are projections" compare scan.nc scan.nc --rmse 5mm-1
# A number without unit has that of the files, if they have one.
ok convert plus.nc -o plus-hu.nc --unit HU
ok convert truth.nc -o truth-hu.nc --unit HU
ok compare plus-hu.nc truth-hu.nc --rmse 50.1 --max 51 --mean 50.1
ok compare plus-hu.nc truth-hu.nc --rmse 0.0011mm-1 --max 0.0011MM-1
refused 1 "out of tolerance: rmse is 50 HU, expected at most 49.9 HU" compare plus-hu.nc truth-hu.nc --rmse 49.9
refused 1 "out of tolerance: largest difference is 0.001" compare plus-hu.nc truth-hu.nc --max 0.0009mm-1
refused 1 "expected at most 0.0009 mm-1" compare plus.nc truth.nc --mean 0.0009
for key in rmse max mean; do
	refused 2 "--$key=5: plus.nc is in mm-1 and truth-hu.nc in HU: expected a number with its unit, 5HU or 5mm-1" compare plus.nc truth-hu.nc --$key 5
done
ok compare plus.nc truth-hu.nc --rmse 50.1HU --max 0.0011mm-1 --relative 1
grep -q "^rmse .*(at most 0.001002 mm-1, 50.1 HU)$" <<<"$out" || fail "tolerance in HU: $out"
grep -q "^largest .*(at most 0.0011 mm-1, 55 HU)$" <<<"$out" || fail "tolerance in mm-1: $out"
grep -q "^relative rmse .*[0-9]  *(at most 1)$" <<<"$out" || fail "tolerance of a ratio: $out"
grep "^mean difference" <<<"$out" | grep -q "at most" && fail "a tolerance that was not given: $out"
# In mm-1 five exceeds any difference; a plausible plain number causes no note.
ok compare plus.nc truth.nc --rmse 5 --max 0.0011
grep -qx -- "--rmse=5 is taken as 5 mm-1, the unit of both files, which is 250000 HU; did you mean 5HU?" stderr.txt || fail "five in mm-1: $(cat stderr.txt)"
[ "$(grep -c . stderr.txt)" = 1 ] || fail "further output: $(cat stderr.txt)"
ok compare plus-hu.nc truth-hu.nc --rmse 51 --max 60
[ ! -s stderr.txt ] || fail "note on HU: $(cat stderr.txt)"
ok compare scan.nc scan.nc --rmse 5
grep -q "^rmse .*(at most 5)$" <<<"$out" || fail "tolerance of projections: $out"
ok compare plus.nc plus-hu.nc --max 1e-8mm-1
ok compare truth-hu.nc truth.nc --central 0.5 --rmse 1e-3HU
ok compare plus-hu.nc plus-hu.nc --max 0
ok convert plus-hu.nc -o plus-hu.mha --unit HU
for name in plus-hu.nc plus-hu.mha; do
	ok info $name --json
	grep -q '"unit":[[:space:]]*"HU"' <<<"$out" || fail "$name is not in HU: $out"
	holds "($(value least) + 950) ^ 2 < 1e-4 && ($(value most) - 50) ^ 2 < 1e-4 && ($(value most_HU) - 50) ^ 2 < 1e-4" "$name: $out"
done
ok info plus.nc --json
grep -q '"unit":[[:space:]]*"mm-1"' <<<"$out" || fail "plus.nc is not in mm-1: $out"
holds "($(value least) - 0.001) ^ 2 < 1e-12 && ($(value most) - 0.021) ^ 2 < 1e-12 && ($(value least_HU) + 950) ^ 2 < 1e-4"
refused 1 "out of tolerance: relative rmse" compare half.nc truth.nc --relative 0.49
ok compare truth.nc truth.nc --max 0
# The centre of the cylinder is water.
ok compare half.nc truth.nc --radius 60 --json
holds "($(value rmse) - 0.01) ^ 2 < 1e-14"
ok compare truth.nc half.nc --central 0.25 --json
holds "$(value n) == 32 * 32 * 2"

# Structural similarity of unrelated images: by the definition, window by window, and by gantry.
header() { printf 'ObjectType = Image\nNDims = 3\nDimSize = %d %d %d\nElementSpacing = 1 1 1\nElementType = MET_FLOAT\nElementDataFile = %s\n' "$@"; }
numbers() { awk -v n="$1" -v a="$2" -v b="$3" 'BEGIN { for (i = 0; i < n; i++) printf "%.6f\n", 0.02 * (1 + sin(a * i + b * i % 7)) }'; }
floats() { perl -ne 'print pack("f<", $_)'; }
if command -v perl >/dev/null; then
	numbers $((14 * 13 * 3)) 0.7 0.3 >a.txt
	paste a.txt <(numbers $((14 * 13 * 3)) 0.31 0.9) | awk '{ print 0.7 * $1 + 0.3 * $2 }' >b.txt
	for f in a b; do
		floats <$f.txt >$f.raw
		header 14 13 3 $f.raw >$f.mhd
		ok import $f.mhd -o $f.nc --input-unit mm-1
	done
	expected=$(paste a.txt b.txt | awk '
		{ x[NR - 1] = $1; y[NR - 1] = $2; if (NR == 1 || $2 > most) most = $2; if (NR == 1 || $2 < least) least = $2 }
		END {
			c1 = (0.01 * (most - least)) ^ 2; c2 = (0.03 * (most - least)) ^ 2
			for (i = -5; i <= 5; i++) for (j = -5; j <= 5; j++) all += exp(-(i * i + j * j) / 4.5)
			for (s = 0; s < 3; s++) for (l = 5; l < 8; l++) for (c = 5; c < 9; c++) {
				mx = my = xx = yy = xy = 0
				for (i = -5; i <= 5; i++) for (j = -5; j <= 5; j++) { w = exp(-(i * i + j * j) / 4.5) / all; k = (s * 13 + l + i) * 14 + c + j; mx += w * x[k]; my += w * y[k] }
				for (i = -5; i <= 5; i++) for (j = -5; j <= 5; j++) { w = exp(-(i * i + j * j) / 4.5) / all; k = (s * 13 + l + i) * 14 + c + j
					xx += w * (x[k] - mx) ^ 2; yy += w * (y[k] - my) ^ 2; xy += w * (x[k] - mx) * (y[k] - my) }
				sum += (2 * mx * my + c1) * (2 * xy + c2) / ((mx ^ 2 + my ^ 2 + c1) * (xx + yy + c2)); n++
			}
			printf "%.9f", sum / n
		}')
	ok compare a.nc b.nc --ssim 0 --json
	holds "($(value ssim) - $expected) ^ 2 < 1e-12" "ssim is $(value ssim), expected $expected"
	holds "$expected > 0.1 && $expected < 0.98"
	refused 1 "out of tolerance: ssim is" compare a.nc b.nc --ssim 0.99
	ok compare a.nc a.nc --ssim 1
	# Upside down about its mean, the structure is the opposite.
	ok import a.mhd -o inverse.nc --input-unit mm-1 --slope -1 --offset 0.04
	ok compare inverse.nc a.nc --ssim -1 --json
	holds "$(value ssim) < -0.5"
	ok compare a.nc b.nc --json
	grep -q '"ssim":[[:space:]]*null' <<<"$out" || fail "ssim without --ssim: $out"
	refused 2 "--ssim: no window of 11 x 11 voxels" compare a.nc b.nc --ssim 0 --radius 0.1
fi
# For constants a and b it is (2 a b + C1) / (a^2 + b^2 + C1); the cylinder has 0.02 at its centre, and 0.01 is half.
ok compare half.nc truth.nc --central 0.5 --radius 20 --ssim 0 --json
holds "($(value ssim) - 0.8) ^ 2 < 1e-3"
refused 2 "these are projections" compare scan.nc scan.nc --ssim 0.5
refused 2 "--ssim=2" compare half.nc truth.nc --ssim 2

ok simulate --reduce 16 --phantom water-cylinder -o other.nc --truth other-truth.nc --grid 32x32x8@8x8x5.5
refused 1 "different grids" compare truth.nc other-truth.nc
refused 1 "use gantry recon --like for equal grids" compare truth.nc other-truth.nc
refused 1 "holds projections" compare truth.nc scan.nc
ok compare scan.nc other.nc --max 0
ok simulate --reduce 17 --phantom water-cylinder -o fewer.nc
refused 1 "different sizes" compare scan.nc fewer.nc
finish
