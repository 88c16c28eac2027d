#!/bin/bash
# Corrects faults of a scan: every step, its record, refusals; real data if GT_DATA names them.
. "$(dirname "$0")/support/lib.sh"

ok simulate --scanner ge-ct750hd --phantom forbild-head --reduce 16 --views 40 --rows 3 --photons 2e4 --rays 1 -o scan.nc
ok prepare scan.nc -o mended.nc --air auto --bad-pixels auto --zingers auto --scatter fraction=0.01 --beam-hardening kv=120,aluminium=3 \
	--rings gain --show pictures
grep -q "zingers: .* values replaced" stderr.txt || fail "zingers: $(cat stderr.txt)"
[ "$(find pictures -name '*.png' | wc -l)" -eq 7 ] || fail "pictures: $(ls pictures)"
ok info mended.nc
for step in air bad-pixels zingers scatter beam-hardening rings; do says "prepare=$step"; done
ok prepare scan.nc -o small.nc --views 1:40:2 --bin 1 --crop last-rows=1 --quiet
ok info small.nc
says "20"
ok prepare scan.nc -o auto.nc --auto
grep -q "rings: " stderr.txt || fail "auto says nothing of rings: $(cat stderr.txt)"
# A picture of the measured data, and one after each step of --auto.
if command -v python3 >/dev/null; then
	mkdir counts
	python3 - <<'END'
import array, math, random
random.seed(5)
gain = [random.gauss(1, 0.02) for _ in range(64)]
for view in range(60):
    body = [0.02 * 2 * math.sqrt(max(0, 22 ** 2 - (x - 31.5) ** 2)) for x in range(64)]
    pixels = [round(20000 * 0.9 * gain[x] * math.exp(-body[x]) + random.gauss(0, 40)) for _ in range(4) for x in range(64)]
    array.array("H", pixels).tofile(open(f"counts/v{view:03}.raw", "wb"))
END
	ok import counts --raw u16le:64x4 --white 20000 --angles 0:3 --air no --axis 31.5 -o counts.nc
	ok prepare counts.nc -o shown.nc --auto --show shown
	steps=$(sed -n 's/^\([a-z-]*\): done: .*/\1/p' stderr.txt)
	[ "$(wc -w <<<"$steps")" -ge 2 ] || fail "steps of --auto: $steps: $(cat stderr.txt)"
	[ "$(ls shown)" = "$(n=0; for step in measured $steps; do printf '%02d-%s.png\n' $n "$step"; n=$((n + 1)); done)" ] || fail "steps: $steps; pictures: $(ls shown)"
fi
# Ctrl-C between chunks: a message, exit code 1, no partial file.
ok simulate --scanner micro-ct --phantom shepp-logan --scale 0.05 --reduce 2 --rows 60 --rays 1 --photons 1e5 -o long.nc -q
# The output has another name until it is whole.
caught INT none.nc "ls -l /proc/\$job/fd 2>/dev/null | grep -q none.nc" prepare long.nc -o none.nc --zingers auto --rings sorting --memory 1
if [ "$code" -ne 1 ] || ! grep -q "interrupted: none.nc was not written" stderr.txt; then fail "Ctrl-C between chunks gave $code: $(cat stderr.txt)"; fi
nothing_left none "Ctrl-C between chunks"
ok prepare scan.nc -o curve.nc --beam-hardening polynomial=0.8:0.05
ok help step rings
says "sorting"

ok prepare scan.nc -o whole.nc --air auto --zingers auto --beam-hardening kv=120,aluminium=3 --rings gain
ok prepare scan.nc -o pieces.nc --air auto --zingers auto --beam-hardening kv=120,aluminium=3 --rings gain --memory 1
ok compare whole.nc pieces.nc --max 0
ok prepare scan.nc -o metal.nc --metal nmar,threshold=1.5,image=dense.nc --backend cpu
grep -qE "metal: [0-9]+ voxels \(.* mm\^3\) are above .* of the rays pass them: .* put back" stderr.txt || fail "metal: $(cat stderr.txt)"
ok info dense.nc
ok simulate --scanner ge-ct750hd --phantom forbild-head --reduce 16 --views 30 --rows 1 --spectrum kv=120,aluminium=3 --rays 1 -o many.nc
ok info many.nc
says "spectrum=kv=120,aluminium=3"

refused_output 2 "found no step" prepare scan.nc
refused_output 2 "expected one of gain, sorting" prepare scan.nc --rings gian
refused_output 2 "backend 'cpu:1x2': several devices" prepare scan.nc --views 0:7 --backend cpu:1x2
refused_output 2 "backend 'gpu': expected auto, cpu" prepare scan.nc --rings gain --memory 10 --backend gpu
refused_output 2 "expected a part of 0 to 39" prepare scan.nc --views 0:41
# --views counts as in recon: B is excluded, negative numbers count from the end; a single number is refused.
for range in 0:10 :-5 -7:-2 3::4; do
	ok prepare scan.nc -o part.nc --views "$range" --quiet
	ok info part.nc --json
	left=$(value views)
	ok recon scan.nc -o part-volume.nc --views "$range" --solver sirt:iterations=1 --grid 4
	grep -q "^uses $left of 40 views" stderr.txt || fail "--views $range leaves $left views in prepare: $(cat stderr.txt)"
done
refused_output 2 "found a single view, expected A:B or A:B:STEP; use 0:10 for the first 10 views" prepare scan.nc --views 10
refused_output 2 "found a single view, expected A:B or A:B:STEP; use 0:10 for the first 10 views" recon scan.nc --views 10
refused_output 2 "expected A:B or A:B:STEP" prepare scan.nc --views 0-10
refused_output 2 "neither flat nor dark" prepare scan.nc --bad-pixels fields
refused_output 1 "none.txt: No such" prepare scan.nc --beam-hardening spectrum=none.txt
refused_output 1 "./: is not a regular file but a folder" prepare scan.nc --beam-hardening spectrum=./
refused_output 2 "needs all projections at once" prepare scan.nc --auto --memory 10
refused_output 1 "flatness takes all projections" prepare scan.nc --beam-hardening flatness --memory 10
refused_output 1 "expected less than half; use a higher threshold" prepare scan.nc --metal li,threshold=0.1
refused_output 2 "did you mean 'bone'" simulate --phantom box --views 9 --rows 1 --spectrum kv=90 --materials water,2:bnoe
refused_output 2 "ascending order" simulate --phantom box --views 9 --rows 1 --spectrum kv=90 --materials 2:water
refused_output 2 "expected kv= or spectrum" simulate --phantom box --views 9 --rows 1 --spectrum polynomial=1
refused 2 "scan.nc" prepare scan.nc -o scan.nc --rings gain

if [ -f "${GT_DATA:-}/tooth.h5" ]; then
	ok prepare "$GT_DATA/tooth.h5" -o tooth.nc --auto
	grep -q "gain of the detector: 0.6[3-7]" stderr.txt || fail "another gain: $(cat stderr.txt)"
	# Images of HDF5 are divided by their air as they are read, as others are, unless that is not wanted.
	ok prepare "$GT_DATA/tooth.h5" -o plain.nc
	grep -q "every view is divided by it" stderr.txt || fail "no air: $(cat stderr.txt)"
	ok prepare "$GT_DATA/tooth.h5" -o no-air.nc --air no --bad-pixels auto
	! grep -q "every view is divided by it" stderr.txt || fail "air in spite of --air no: $(cat stderr.txt)"
fi
# Steps report their results.
ok prepare scan.nc -o notes.nc --rings sorting --bin rows=1,columns=2
grep -qE 'rings: line integrals changed by [0-9.e-]+ \(root mean square\), by [0-9.e-]+ at most' stderr.txt || fail "rings says nothing: $(cat stderr.txt)"
said=$(sed -n 's/.*bin: \([0-9]*\) rows x \([0-9]*\) columns made of .*, of \([0-9.]*\) x \([0-9.]*\) mm now/\1 \2 \3 \4/p' stderr.txt)
ok info notes.nc --json
[ "$said" = "$(value rows) $(value columns) $(printf '%.4g %.4g' "$(value row_pitch_mm)" "$(value column_pitch_mm)")" ] || fail "bin reports '$said': $out"
# Extrapolated rows are not conjugate rays.
echo 'cylinder radii=160,130 length=300 density=1' > wide.shapes
ok simulate --scanner ge-ct750hd --reduce 8 --phantom wide.shapes --rows 4 --columns 60 -o wide.nc
ok prepare wide.nc -o extended.nc --extend auto
grep -qE 'extend: [0-9]+ columns before the first and [0-9]+ after the last' stderr.txt || fail "extend says '$(cat stderr.txt)'"
ok recon extended.nc -o extended-volume.nc --grid 48x48x4@4.67x4.67x5
! grep -q 'conjugate rays disagree' stderr.txt || fail "columns that were added are compared: $(cat stderr.txt)"
finish
