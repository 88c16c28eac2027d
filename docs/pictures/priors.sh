#!/bin/bash
# Makes prior-*.png of docs/regularizers.md: a noisy scan of few views, reconstructed with each penalty.
# Usage: docs/pictures/priors.sh [GANTRY]
set -eu
gantry=$(realpath "${1:-build/gantry}")
pictures=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
grid=120x120x1@2x2x40
"$gantry" simulate --phantom forbild-head --reduce 6 --rows 1 --views 60 --photons 2e4 --seed 7 -o scan.nc --truth truth.nc --grid $grid --quiet
"$gantry" simulate --phantom forbild-head --reduce 6 --rows 1 --photons 2e5 --seed 8 -o earlier.nc --quiet
"$gantry" recon earlier.nc -o prior.nc --like truth.nc --solver fdk --quiet

picture() { "$gantry" view "$1.nc" -o "$pictures/prior-$1.png" --plane axial --window -40:160 --unit HU --title "$2" --quiet; }
# recon NAME SOLVER PENALTY
recon() {
	"$gantry" recon scan.nc -o "$1.nc" --like truth.nc --padding no --weights noise --solver "$2" --penalty "$3" --quiet
	picture "$1" "$1"
}
picture truth "the phantom"
"$gantry" recon scan.nc -o fdk.nc --like truth.nc --solver fdk --quiet
picture fdk "fdk, 60 views"
recon qggmrf os-sqs:iterations=10,subsets=4 "qggmrf:c=10HU,strength=${QGGMRF:-3e2}"
recon tv fista:iterations=30,prox=yes "tv:strength=${TV:-0.1}"
recon tgv fista:iterations=30 "tgv:strength=${TV:-0.1}"
recon wavelet fista:iterations=30 "wavelet:strength=${WAVELET:-0.25}"
recon awtv fista:iterations=30 "awtv:strength=${TV:-0.1},delta=60HU,smooth=2HU"
recon nltv fista:iterations=30 "nltv:strength=${NLTV:-0.5},h=20HU,smooth=2HU,prior=prior.nc"
recon piccs fista:iterations=30 "piccs:strength=${TV:-0.1},smooth=2HU,prior=prior.nc"
recon nlm pnp-fista:iterations=20 "nlm:strength=1,h=${H:-15HU}"
for name in fdk qggmrf tv tgv wavelet awtv nltv piccs nlm; do
	printf '%-8s ' $name
	"$gantry" compare $name.nc truth.nc --quiet | grep -m1 -i rms
done
