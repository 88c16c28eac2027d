#!/bin/bash
# Default methods: the analytic method if the scan permits one, else the first iterative method; dd, also for tilted
# detectors. A dry run makes the same choice.
. "$(dirname "$0")/support/lib.sh"

said() { grep -qE -- "$1" stderr.txt || fail "'$1' is not in: $(cat stderr.txt)"; }
unsaid() { ! grep -qE -- "$1" stderr.txt || fail "'$1' is in: $(cat stderr.txt)"; }
# chosen TEXT ARGUMENTS: recon uses this solver, and a dry run prints the same.
chosen() {
	local solver=$1
	shift
	ok recon "$@" --dry-run --backend "$backend"
	says "solver      $solver"
	ok recon "$@" -o out.nc --backend "$backend"
	cp stderr.txt run.txt
	ok info out.nc
	says "solver=$solver"
	cp run.txt stderr.txt
}
simulate() { ok simulate --reduce 16 --phantom forbild-head --rays 1 "$@"; }

# Tilted detectors, also by very small angles.
solver=(--solver "os-sart:iterations=2,subsets=3" --backend "$backend")
for tilt in 1 0.01; do
	simulate --scanner c-arm --shift 2 --tilt "$tilt" -o lean.nc --truth truth.nc --grid 20x24x10@12x10x10
	chosen fdk lean.nc --like truth.nc
	unsaid "solver:|projector:"
	chosen fdk lean.nc --like truth.nc --preset fast
	chosen os-sart lean.nc --like truth.nc --solver os-sart:iterations=1,subsets=3
	unsaid "projector:"
done
ok recon lean.nc -o default.nc --like truth.nc "${solver[@]}"
ok recon lean.nc -o asked.nc --like truth.nc "${solver[@]}" --projector dd
unsaid "projector:"
ok compare default.nc asked.nc --max 0
ok info default.nc
says "projector=dd"
ok project truth.nc --scan lean.nc -o default.nc --backend "$backend"
unsaid "projector:"
ok project truth.nc --scan lean.nc -o asked.nc --projector dd --backend "$backend"
ok compare default.nc asked.nc --max 0
ok backproject lean.nc --like truth.nc -o default.nc --backend "$backend"
unsaid "projector:"
ok backproject lean.nc --like truth.nc -o asked.nc --projector dd --backend "$backend"
ok compare default.nc asked.nc --max 0
ok adjoint lean.nc --grid 5x4x3@30x30x30 --backend "$backend"
says "dd"
simulate -o upright.nc
ok backproject upright.nc --like truth.nc -o out.nc --backend "$backend"
unsaid "projector:"

# Incomplete angular ranges, down to a single view, with fewer views than subsets; a requested method is still refused.
chosen fdk upright.nc
unsaid "solver:|streaks"
for few in "--turns 0.3" "--views 5 --turns 0.3" "--views 1"; do
	# shellcheck disable=SC2086
	simulate --detector flat $few -o few.nc
	chosen os-sart few.nc
	said "^solver: os-sart \(fdk: the [0-9]* views cover [0-9.]* degrees: expected at least .*, or 360\)$"
	unsaid "^start: .*use an iterative solver"
	refused 1 "use an iterative solver such as os-sart" recon few.nc -o none.nc --solver fdk --backend "$backend"
done
simulate --scanner synchrotron --turns 0.3 -o few.nc
chosen os-sart few.nc
said "^solver: os-sart \(fbp: the .* degrees: expected 180\)$"
# A few evenly spread views are not a gap.
simulate --detector flat --views 3 -o few.nc
chosen fdk few.nc
said "^fdk: 3 views, 120 degrees apart: expect streaks"

# A strength from the noise on coarse voxels, where a patch at the edge would contain the source.
simulate -o coarse.nc
ok recon coarse.nc --preset iterative --dry-run --backend "$backend"
says "strength=auto"
ok recon coarse.nc -o out.nc --preset iterative --solver os-sqs:iterations=1,subsets=3 --backend "$backend"
said "^strength [0-9.e+]*, found in"
finish
