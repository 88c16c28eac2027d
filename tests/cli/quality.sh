#!/bin/bash
# Presets and strengths from the noise: the achieved noise is the target at any dose; choices are recorded; refusals.
. "$(dirname "$0")/support/lib.sh"

grid=56x56x1@4x4x12
scan() { ok simulate --phantom water-cylinder --reduce 8 --rows 1 "$@"; }
scan --photons 1e4 --seed 5 -o low.nc --truth truth.nc --grid $grid
scan --photons 1e5 --seed 6 -o high.nc
scan -o clean.nc

# Root mean square difference to the truth inside the water.
error() { ok compare "$1" truth.nc --radius 70 --json; value rmse_HU; }
noted() { grep -qF -- "$1" stderr.txt || fail "'$1' is not in: $(cat stderr.txt)"; }

for dose in low high; do
	ok recon $dose.nc -o fast.nc --like truth.nc --preset fast --backend "$backend"
	ok recon $dose.nc -o slow.nc --like truth.nc --preset iterative --backend "$backend"
	noted "--preset iterative: --solver os-sqs:iterations=20,subsets=7 --weights model --penalty qggmrf:c=10HU,strength=auto,kappa=yes; the remaining time is estimated after the first iteration"
	grep -q "^recon 1/20 .* s, about [0-9]* [a-z]* left$" stderr.txt || fail "no time is said after the first iteration: $(cat stderr.txt)"
	noted "searching the strength of the penalty"
	noted "expected noise"
	grep -q "within 15 %" stderr.txt && fail "$dose: an error of the noise is stated without its structure"
	noted "the expected noise is that of a uniform object: structure above c leaves up to 1.5 times as much"
	# With kappa there is more in the middle than at the border.
	noted "depending on the position; uniform resolution, not noise"
	range=$(sed -n 's/.*; \([0-9.]*\) to \([0-9.]*\) HU depending on the position;.*/\1 \2/p' stderr.txt)
	read -r least most <<<"$range"
	holds "$least > 0 && 1.15 * $least < $most && $most < 2 * $least" "$dose: from $least to $most HU"
	grep -q "fewer than 10 photons" stderr.txt && fail "$dose: no ray is starved"
	ok info slow.nc
	says "solver=os-sqs"
	says "strength_from=noise:"
	says "kappa=yes"
	says "weights=model:slope="
	fast=$(error fast.nc)
	slow=$(error slow.nc)
	holds "$slow < 0.55 * $fast" "$dose"
	# Half of the noise of the direct method, as a number.
	half=$(awk "BEGIN { print $fast / 2 }")
	for penalty in qggmrf huber:delta=20HU; do
		case $penalty in *:*) more="$penalty," ;; *) more="$penalty:" ;; esac
		ok recon $dose.nc -o half.nc --like truth.nc --solver os-sqs:iterations=12,subsets=6 --weights noise \
			--penalty "${more}noise=${half}HU" --backend "$backend"
		left=$(error half.nc)
		holds "$left > 0.75 * $half && $left < 1.25 * $half" "$dose $penalty: $left HU where $half HU were asked for"
	done
done

# Few photons: reported, without relevant bias relative to the analytic method; two draws of the noise.
mean() { ok compare "$1" truth.nc --radius 70 --json; value mean; }
for seed in 1 2; do
	scan --photons 300 --seed $seed -o starved.nc
	ok recon starved.nc -o fast$seed.nc --like truth.nc --preset fast --backend "$backend"
	ok recon starved.nc -o slow$seed.nc --like truth.nc --preset iterative --backend "$backend"
	noted "of the rays have fewer than 10 photons"
done
fast=$(awk "BEGIN { print ($(mean fast1.nc) + $(mean fast2.nc)) / 2 * 5e4 }") slow=$(awk "BEGIN { print ($(mean slow1.nc) + $(mean slow2.nc)) / 2 * 5e4 }")
holds "$fast > 15" "fdk: $fast HU too high"
holds "$slow < 8 && $slow > -8" "iterative: $slow HU too high"

# A repeated run is identical; twice the strength is smoother.
few=os-sqs:iterations=6,subsets=6
ok recon low.nc -o one.nc --like truth.nc --solver $few --penalty huber:kappa=yes --weights noise --backend cpu:1
ok recon low.nc -o two.nc --like truth.nc --solver $few --penalty huber:strength=auto,kappa=yes --weights noise --backend cpu:2
ok compare one.nc two.nc --max 0.01HU
ok recon low.nc -o two.nc --like truth.nc --solver $few --penalty huber:strength=2x,kappa=yes --weights noise --backend "$backend"
holds "$(error two.nc) < $(error one.nc)"

# A target above the noise, and zero noise.
ok recon low.nc -o more.nc --like truth.nc --solver $few --penalty huber:noise=900HU --backend "$backend"
noted "the strength is set for the latter"
ok recon clean.nc -o clean-out.nc --like truth.nc --preset iterative --backend "$backend"
noted "the data have almost no noise"

# Keys in addition to the preset override it with a note, also if nothing of it remains.
ok recon low.nc -o some.nc --like truth.nc --preset iterative --solver os-sqs:iterations=2 --penalty qggmrf:noise=30HU --backend "$backend"
noted "--preset iterative, changed by --solver os-sqs:iterations=2 --penalty qggmrf:noise=30HU: --solver os-sqs:subsets=7,iterations=2 --weights model --penalty qggmrf:c=10HU,kappa=yes,noise=30HU;"
noted "HU within 15 % instead of"
ok info some.nc
says "kappa=yes"
ok recon low.nc -o all.nc --like truth.nc --preset iterative --solver pcg:iterations=2 --weights noise --penalty huber:strength=3 --backend "$backend"
noted "has no effect: solver, weights and penalty are all overridden"
ok recon low.nc -o same.nc --like truth.nc --solver pcg:iterations=2 --weights noise --penalty huber:strength=3 --backend "$backend"
ok compare all.nc same.nc --max 0

refused 2 "noise=0HU" recon low.nc -o no.nc --solver pcg --penalty huber:noise=0HU
refused 2 "noise=-3HU" recon low.nc -o no.nc --solver pcg --penalty huber:noise=-3HU
refused 2 "cannot be combined" recon low.nc -o no.nc --solver pcg --penalty huber:noise=5HU,strength=3
refused 2 "strength=3y" recon low.nc -o no.nc --solver pcg --penalty huber:strength=3y
refused 2 "strength=0x" recon low.nc -o no.nc --solver pcg --penalty huber:strength=0x
refused 1 "no weights per voxel" recon low.nc -o no.nc --solver fista:iterations=1 --penalty tv:strength=3,kappa=yes --weights noise --like truth.nc
refused 2 "unknown parameter 'kapa'" recon low.nc -o no.nc --solver pcg --penalty huber:kapa=yes
refused 2 "fdk is an analytic method, which takes neither its weights" recon low.nc -o no.nc --preset iterative --solver fdk
refused 2 "cannot be combined with --solver=pcg" recon low.nc -o no.nc --preset fast --solver pcg
refused 2 "takes no penalty" recon low.nc -o no.nc --preset fast --penalty huber
[ ! -e no.nc ] || fail "no.nc was written"
finish
