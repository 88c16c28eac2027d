#!/bin/bash
# Every kind of penalty reduces the error of a noisy volume and of noisy projections; refusals.
. "$(dirname "$0")/support/lib.sh"

ok simulate --phantom shepp-logan --reduce 8 --photons 300 --seed 5 -o scan.nc --truth truth.nc --grid 56x56x5@4.5x4.5x5
ok simulate --phantom shepp-logan --reduce 8 -o clean.nc
ok recon scan.nc -o noisy.nc --like truth.nc --solver fdk --backend "$backend"
ok recon clean.nc -o best.nc --like truth.nc --solver fdk --backend "$backend"
ok compare noisy.nc best.nc --json
noisy=$(value rmse)
for penalty in nlm:h=60HU tv:strength=4e-4 tgv:strength=4e-4 huber:strength=4,delta=20HU wavelet:strength=1e-3 \
	awtv:strength=4e-4,delta=200HU; do
	ok denoise noisy.nc -o smooth.nc --penalty "$penalty" --backend "$backend"
	ok compare smooth.nc best.nc --json
	holds "$(value rmse) < 0.8 * $noisy" "$penalty: $(value rmse) of $noisy"
done
ok info smooth.nc
says "denoise=awtv:strength=4e-4"
ok denoise noisy.nc -o smooth.nc --penalty tv:strength=1e-9 --backend "$backend" --precision double
ok compare smooth.nc noisy.nc --max 1e-3HU
ok denoise noisy.nc -o smooth.mha --penalty nlm --nonneg --unit HU --backend "$backend"

# Two volumes jointly, the second with another dose.
ok simulate --phantom shepp-logan --reduce 8 --photons 900 --seed 6 -o other.nc
ok recon other.nc -o other-noisy.nc --like truth.nc --solver fdk --backend "$backend"
for penalty in joint-tv:strength=4e-4,kind=nuclear joint-tv:strength=4e-4; do
	ok denoise noisy.nc other-noisy.nc -o both.nc --penalty "$penalty" --backend "$backend"
	ok compare both-1.nc best.nc --json
	holds "$(value rmse) < 0.8 * $noisy" "$penalty: $(value rmse) of $noisy"
	ok info both-2.nc
	says "denoise=$penalty volume=2"
done
ok denoise noisy.nc other-noisy.nc -o both.nc --penalty low-rank:strength=0.05 --backend "$backend"
ok compare both-1.nc best.nc --json
holds "$(value rmse) < $noisy" "low-rank: $(value rmse) of $noisy"
if "$gantry" denoise noisy.nc other-noisy.nc -o series/ --penalty joint-tv:strength=4e-4 --backend "$backend" 2>stderr.txt; then
	if [ ! -d series-1 ] || [ ! -d series-2 ]; then fail "folders of several volumes: $(ls)"; fi
else
	grep -q "DCMTK" stderr.txt || fail "no folders of several volumes: $(cat stderr.txt)"
fi
refused 1 "penalty 'tv' is of one volume, not of 2" denoise noisy.nc other-noisy.nc -o none.nc --penalty tv:strength=1
refused 1 "holds projections" denoise scan.nc noisy.nc -o none.nc --penalty joint-tv:strength=1
refused 1 "expected no bounds" denoise noisy.nc other-noisy.nc -o none.nc --penalty low-rank:strength=1 --nonneg
refused 2 "would be overwritten" denoise both-1.nc both-2.nc -o both.nc --penalty joint-tv:strength=1

# Projections: less noise, same scan.
ok denoise scan.nc -o smooth.nc --penalty tv:strength=0.06 --backend "$backend"
ok recon smooth.nc -o from-smooth.nc --like truth.nc --solver fdk --backend "$backend"
ok compare from-smooth.nc best.nc --json
holds "$(value rmse) < 0.9 * $noisy" "projections: $(value rmse) of $noisy"

# HU refer to the water of the volume: here 1 HU is 4e-5 mm-1.
ok simulate --phantom water-cylinder --water 0.04 --truth dense.nc --grid 12x10x3@20x20x20
ok denoise dense.nc -o hu.nc --penalty nlm:h=200HU --backend "$backend"
ok denoise dense.nc -o mm.nc --penalty nlm:h=8e-3mm-1 --backend "$backend"
ok compare hu.nc mm.nc --json
holds "$(value max) == 0" "200 HU of water of 0.04 mm-1 are not 8e-3 mm-1"
ok compare hu.nc dense.nc --json
holds "$(value rmse_HU) > 1" "nothing was smoothed"
refused_output 2 "penalty tv: no strength: expected strength=NUMBER" denoise noisy.nc --penalty tv
refused_output 2 "did you mean 'tgv'" denoise noisy.nc --penalty tgw:strength=1
refused_output 2 "unknown parameter 'delat'" denoise noisy.nc --penalty huber:delat=3
refused_output 2 "--penalty" denoise noisy.nc
refused_output 2 "--unit=HU: projections have no unit" denoise scan.nc --penalty nlm --unit HU
refused_output 2 "expected h=20HU, or h=20mm-1" denoise noisy.nc --penalty nlm:h=20
refused_output 2 "line integrals have no unit: expected numbers without one" denoise scan.nc --penalty nlm:h=20HU
refused 2 "--output" denoise noisy.nc --penalty nlm
refused 2 "would be overwritten" denoise noisy.nc -o noisy.nc --penalty nlm
refused_output 1 "missing.nc" denoise missing.nc --penalty nlm
finish
