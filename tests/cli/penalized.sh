#!/bin/bash
# Noisy projections by penalised weighted least squares: better than the analytic method, decreasing cost, stopping rules, refusals.
. "$(dirname "$0")/support/lib.sh"

ok simulate --phantom shepp-logan --reduce 8 --photons 300 --seed 5 -o scan.nc --truth truth.nc --grid 56x56x8@4.5x4.5x5
ok recon scan.nc -o direct.nc --like truth.nc --solver fdk --backend "$backend"
ok recon scan.nc -o huber.nc --like truth.nc --backend "$backend" --solver pcg:iterations=12 --weights photons:count=300 \
	--penalty huber:strength=2e4,delta=10HU --log huber.csv
ok info huber.nc
says "weights=photons:count=300,electronic=0/"
says "penalty=huber:strength=2e4,delta=10HU"
ok compare direct.nc truth.nc --central 0.5 --json
direct=$(value rmse)
ok compare huber.nc truth.nc --central 0.5 --json
holds "$(value rmse) < 0.8 * $direct"

# The cost decreases in every line and is the sum of its two terms.
falls() { grep -v "^#" "$1" | awk -F, 'NR > 1 { if ((n && $3 > cost) || ($3 - $4 - $5) ^ 2 > 1e-12 * $3 ^ 2) exit 1; cost = $3; n++ } END { exit n != 12 }'; }
falls huber.csv || fail "huber.csv: cost rises, or lines are missing"

ok recon scan.nc -o early.nc --like truth.nc --backend "$backend" --solver fista:iterations=40 --penalty tv:strength=5 --stop change=40HU --json
holds "$(value iterations) < 40"
says "small change"
ok recon scan.nc -o early.nc --like truth.nc --backend "$backend" --solver os-sqs:iterations=3,subsets=6 --penalty qggmrf:strength=1e3,c=10HU --quiet

refused 2 "solver 'os-sart' cannot take a penalty (huber)" recon scan.nc -o no.nc --solver os-sart --penalty huber
refused 2 "solver 'os-sart' cannot take weights" recon scan.nc -o no.nc --solver os-sart --weights photons:count=1e4
refused 2 "did you mean 'huber'" recon scan.nc -o no.nc --solver pcg --penalty hubber
refused 2 "unknown parameter 'delat'" recon scan.nc -o no.nc --solver pcg --penalty huber:delat=3
refused 2 "delta=3hu" recon scan.nc -o no.nc --solver pcg --penalty huber:delta=3hu
# A number without unit is mm-1: large ones were probably HU.
refused 2 "penalty huber: delta=10: a number without unit is mm-1, and this one would be 500000 HU: expected delta=10HU, or delta=10mm-1" \
	recon scan.nc -o no.nc --solver pcg --penalty huber:strength=3,delta=10
refused 2 "expected noise=0.5HU, or noise=0.5mm-1" recon scan.nc -o no.nc --solver pcg --penalty huber:noise=0.5
refused 2 "expected change=1HU, or change=1mm-1" recon scan.nc -o no.nc --solver pcg --stop change=1
ok recon scan.nc -o no.nc --solver pcg --penalty huber:strength=3,delta=10mm-1 --stop change=1mm-1 --dry-run
refused 2 "no variable weight" recon scan.nc -o no.nc --solver pcg --weights file
refused 2 "no variable photons" recon scan.nc -o no.nc --solver pcg --weights photons
refused 2 "analytic method" recon scan.nc -o no.nc --solver fdk --penalty huber
refused 2 "unknown parameter 'chang'" recon scan.nc -o no.nc --solver pcg --stop chang=1HU
[ ! -e no.nc ] || fail "no.nc was written"
finish
