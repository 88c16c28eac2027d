#!/bin/bash
# Solvers on Krylov spaces, by likelihoods, random subsets and splitting: each is as accurate as conjugate gradients,
# continues from a checkpoint bit-identically, and refuses what it does not support.
. "$(dirname "$0")/support/lib.sh"

ok simulate --phantom shepp-logan --reduce 20 --rows 3 --photons 1e5 --seed 5 -o scan.nc --truth truth.nc --grid 44x40x4@5.5x6x5
common=(scan.nc --like truth.nc --padding no --backend "$backend" --quiet --init zero)
error() {
	ok compare "$1" truth.nc --json
	value relative
}

ok recon "${common[@]}" --solver cgls:iterations=15 -o cgls.nc
known=$(error cgls.nc)
holds "$known < 0.9"
# Solver and penalty: none is much worse than conjugate gradients on this coarse scan.
while read -r solver penalty; do
	extra=()
	[ "$penalty" = - ] || extra=(--penalty "$penalty")
	ok recon "${common[@]}" "${extra[@]}" --solver "$solver" -o whole.nc --checkpoint run.ck:every=2
	found=$(error whole.nc)
	holds "$found < 1.1 * $known" "$solver: $found, cgls: $known"
	ok recon "${common[@]}" "${extra[@]}" --solver "$solver" -o again.nc --resume run.ck
	ok compare again.nc whole.nc --max 0
done <<'END'
lsmr:iterations=15 -
hybrid-lsqr:iterations=15 -
ab-gmres:iterations=2,steps=6 -
ba-gmres:iterations=2,steps=6 -
mlem:iterations=40,negative=zero -
osem:iterations=6,subsets=6,negative=zero -
mltr:iterations=20,subsets=6,curvature=precomputed,background=0.01 -
sirt:iterations=25,anderson=4 -
saga:iterations=12,subsets=6,step=1 huber:strength=1e3,delta=20HU
svrg:iterations=12,subsets=6,step=1 huber:strength=1e3,delta=20HU
spdhg:iterations=12,subsets=6 tv:strength=1
os-lalm:iterations=12,subsets=4 huber:strength=1e3,delta=20HU
admm:iterations=10 tv:strength=1
END

refused 2 "solver 'mlem': the least datum is -" recon "${common[@]}" -o no.nc --solver mlem:iterations=2
refused 2 "negative=zero takes them for 0" recon "${common[@]}" -o no.nc --solver osem:iterations=2,subsets=3
refused 2 "solver 'hybrid-lsqr': noise=0: with strength=discrepancy" recon "${common[@]}" -o no.nc --solver hybrid-lsqr:strength=discrepancy
# mltr accepts blank-scan counts from the file or one value; it refuses inverse variances.
ok recon scan.nc --like truth.nc --padding no --backend "$backend" --init zero -o blank.nc --solver mltr:iterations=2 --weights photons:count=1e5
ok recon "${common[@]}" -o flat.nc --solver mltr:iterations=2 --weights uniform
ok compare flat.nc blank.nc --max 1e-6 # the same count everywhere
for weights in noise photons:electronic=5 model; do
	refused 2 "solver 'mltr' takes blank-scan counts" recon "${common[@]}" -o no.nc --solver mltr --weights "$weights"
done
refused 2 "expected reduce=1" recon "${common[@]}" -o no.nc --solver os-sart:anderson=3
refused 2 "solver 'ab-gmres' cannot take a penalty" recon "${common[@]}" -o no.nc --solver ab-gmres --penalty tv:strength=1
refused 2 "steps=0: expected" recon "${common[@]}" -o no.nc --solver ba-gmres:steps=0
# A basis that does not fit: the message states the maximum number of vectors, which then fits, and one more does not.
while read -r solver key; do
	refused 1 "would fit: --solver $solver:$key=" recon "${common[@]}" -o no.nc --solver "$solver:$key=400" --device-memory 6MiB
	fits=$(sed -n "s/.*--solver $solver:$key=\([0-9]*\) .*/\1/p" stderr.txt)
	[ "${fits:-0}" -gt 5 ] || fail "$solver: $key=$fits of 400 fit: $(cat stderr.txt)"
	ok recon "${common[@]}" -o fits.nc --solver "$solver:$key=$fits" --device-memory 6MiB --dry-run
	more=$solver:$key=$((fits + 1))
	refused 1 "would fit: --solver $solver:$key=$fits (" recon "${common[@]}" -o no.nc --solver "$more" --device-memory 6MiB
done <<'END'
ab-gmres steps
ba-gmres steps
hybrid-lsqr iterations
END
[ ! -e no.nc ] || fail "no.nc was written"
# Few thick voxels and a strong penalty: the adaptive steps of pdhg converge to the result of small ones.
ok simulate --scanner ge-ct750hd --views 14 --columns 14 --rows 8 --column-pitch 6 --row-pitch 5 --source-to-axis 120 --source-to-detector 240 \
	--phantom water-cylinder --scale .1 --photons 3e4 -o thick.nc
thick=(thick.nc --grid 6x5x4@4x5x3 --init zero --penalty "huber:strength=1e4,delta=50HU" --backend "$backend" --quiet --no-check)
ok recon "${thick[@]}" --solver pdhg -o fitted.nc
ok recon "${thick[@]}" --solver pdhg:sigma=0.5,iterations=2000 -o small.nc
ok compare fitted.nc small.nc --rmse 0.25HU # 0.14; 0.52 with steps that stay as they are
finish
