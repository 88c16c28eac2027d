#!/bin/bash
# RabbitCT: a simulated set, its references and score, and the module with a runner. $2: the runner, $3: the module.
. "$(dirname "$0")/support/lib.sh"
runner=${2:?} module=${3:?}

scan=(simulate --scanner c-arm --reduce 24 --views 37 --shift 2 --tilt 1 --seed 7 --phantom forbild-head --rays 1)
ok "${scan[@]}" -o set.rctd
ok "${scan[@]}" -o set.rct
ok info set.rctd
says "detector                 flat"
says "views                    37"
says "water_mm-1               0.02"
grep -q "no pixel pitch: assumed 0.32 mm" stderr.txt || fail "the source of the detector is not stated: $(cat stderr.txt)"
[ "$(stat -c %s set.rctd)" -eq $((24 + 37 * (96 + 4 * 52 * 40))) ] || fail "set.rctd has another size"

# Filtering twice would destroy the image.
refused 1 "set.rctd: the projections are weighted and filtered already" recon set.rctd -o never.nc --grid 8x8x8@20x20x20
refused 1 "set.rctd: the projections are weighted and filtered already" recon set.rctd -o never.nc --grid 8x8x8@20x20x20 --solver sirt:iterations=1
ok import set.rctd -o imported.nc
refused 1 "imported.nc: the projections are weighted and filtered already" recon imported.nc -o never.nc --grid 8x8x8@20x20x20
refused 1 "imported.nc: the projections are weighted and filtered already" recon imported.nc --data imported.nc -o never.nc --grid 8x8x8@20x20x20
# Calibration and preparation need line integrals; commands that accept other values state their kind.
refused 1 "calibration: the projections are weighted and filtered already" calibrate imported.nc -o never.nc --find axis
refused 1 "jitter: the projections are weighted and filtered already" calibrate imported.nc -o never.nc --jitter
refused 1 "calibration by beads: the projections are weighted and filtered already" calibrate imported.nc -o never.nc --beads 4
refused 1 "the projections are weighted and filtered already" prepare imported.nc -o never.nc --rings gain
refused 1 "the projections are weighted and filtered already" prepare imported.nc -o never.nc --rings gain --memory 1
nothing_left never.nc "a scan that was refused"
ok backproject imported.nc --grid 8x8x8@20x20x20 -o back.nc --backend "$backend"
grep -q "imported.nc: the projections are weighted and filtered already" stderr.txt || fail "backproject does not tell: $(cat stderr.txt)"
ok denoise imported.nc -o smooth.nc --penalty tv:strength=0.01,inner=2,z=0 --backend "$backend"
grep -q "imported.nc: the projections are weighted and filtered already" stderr.txt || fail "denoise does not tell: $(cat stderr.txt)"
for file in imported.nc smooth.nc; do
	ok info $file
	says "projections              weighted and filtered already"
done
ok recon set.rctd -o forced.nc --grid 8x8x8@20x20x20 --force
# The result is its own reference; another precision and the other layout are close.
ok rabbitct set.rctd --size 64 --backend "$backend" -o own.vol
[ "$(stat -c %s own.vol)" -eq 524288 ] || fail "own.vol has another size"
ok rabbitct set.rct --size 64 --backend "$backend" --reference own.vol --json
holds "$(value rmse_hu) == 0 && $(value max_hu) == 0 && $(value gups_2_30) > 0"
holds "$(value gups_1e9) / $(value gups_2_30) > 1.0737 && $(value gups_1e9) / $(value gups_2_30) < 1.0738"
ok rabbitct set.rctd --size 64 --backend "$backend" --precision double --reference own.vol --batch 5 --json
holds "$(value rmse_hu) < 0.1 && $(value max_hu) <= 1"
ok rabbitct set.rctd --size 128 --backend "$backend" --add-reference
ok rabbitct set.rctd --size 128 --backend "$backend"
says "root mean square error    0 HU"
refused 1 "cannot add one of 512, expected 256" rabbitct set.rctd --size 512 --backend "$backend" --add-reference

# The module: buffers of the module or the runner, subsets of any size, bit-identical volumes.
export GT_RABBITCT_BACKEND=$backend
for buffers in 9 37 1; do
	"$runner" "$module" set.rctd 64 "module.vol" $buffers >/dev/null || fail "the runner failed with $buffers buffers"
	cmp own.vol module.vol || fail "the module's volume differs with $buffers buffers"
done
GT_RABBITCT_BATCH=x "$runner" "$module" set.rctd 64 no.vol 2>said.txt && fail "a wrong GT_RABBITCT_BATCH was accepted"
grep -q "GT_RABBITCT_BATCH=x" said.txt || fail "the wrong GT_RABBITCT_BATCH is not named: $(cat said.txt)"

# Refused files and matrices.
cp set.rctd version.rctd && printf '\x03' | dd of=version.rctd bs=1 conv=notrunc status=none
refused 1 "version word 3: expected 2" rabbitct version.rctd --size 64 --backend "$backend"
head -c 100000 set.rctd >short.rctd
refused 1 "it is truncated" rabbitct short.rctd --size 64 --backend "$backend"
cp set.rct long.rct && printf 'abc' >>long.rct
refused 1 "expected" rabbitct long.rct --size 64 --backend "$backend"
refused 1 "expected 524288" rabbitct set.rctd --size 64 --backend "$backend" --reference set.rct
refused 2 "or .vol, for 16-bit HU" rabbitct set.rctd --size 64 --backend "$backend" -o own.foo
ok simulate --reduce 24 --geometry-only -o other.nc
refused 1 "other.nc: is a NetCDF file: expected a RabbitCT data set" rabbitct other.nc --size 64 --backend "$backend"
record=$((96 + 4 * 52 * 40))
zero() { dd if=/dev/zero of="$1" bs=1 seek=$((24 + 3 * record + $2)) count="$3" conv=notrunc status=none; }
cp set.rctd singular.rctd && zero singular.rctd 0 24
refused 1 "view 3: the matrix is singular" rabbitct singular.rctd --size 64 --backend "$backend"
cp set.rctd nan.rctd && printf '\xff\xff\xff\x7f' | dd of=nan.rctd bs=1 seek=$((24 + 3 * record + 96)) conv=notrunc status=none
refused 1 "gantry rabbitct: nan.rctd: 1 values of view 3 are not finite" rabbitct nan.rctd --size 64 --backend "$backend"
cp set.rctd away.rctd && zero away.rctd 88 8
refused 1 "view 3: the matrix does not see the whole volume" rabbitct away.rctd --size 64 --backend "$backend"
"$runner" "$module" away.rctd 64 no.vol >/dev/null 2>said.txt && fail "the module took a matrix that looks away"
grep -q "view 3" said.txt || fail "the module does not name the view: $(cat said.txt)"
refused 2 "expected a name that ends in .nc" simulate --scanner c-arm --geometry-only -o x.rctd
refused 1 "expected a flat detector" simulate --shift 1 --phantom forbild-head -o x.nc
refused 1 "expected a flat detector on a circle" simulate --scanner synchrotron --reduce 64 --phantom forbild-head -o x.rctd
refused 2 "size" rabbitct set.rctd --size 0
for left in x.rctd x.nc no.vol; do
	[ ! -e $left ] || fail "a refused command left $left"
done
finish
