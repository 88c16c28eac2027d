#!/bin/bash
# Python reconstructs through the shared library alone, without a compiler, bit-identical to the command. Usage: python.sh ROOT BUILD
set -eu
root=${1:?usage: python.sh ROOT BUILD} build=${2:?usage: python.sh ROOT BUILD}
skip() { echo "skipped: $*"; exit 77; }
python3 -c 'import ctypes' 2>/dev/null || skip "there is no python3"
library=$build/libgantry.so gantry=$build/gantry
[ -e "$library" ] || skip "the library is not a shared one"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
"$gantry" simulate --scanner ge-ct750hd --detector flat --reduce 24 --phantom shepp-logan --photons 1e5 --quiet -o scan.nc

# same OPTION=VALUE...: library settings equal command options
same() {
	"$gantry" recon scan.nc -o volume.nc --quiet "${@/#/--}"
	python3 "$root/tests/install/python.py" "$library" scan.nc volume.nc "$@"
}
same backend=cpu:2
same backend=cpu:2 grid=40x38x6@6x6x5 solver=os-sart:iterations=3,subsets=5 init=zero
same backend=cpu:2 grid=40x38x6@6x6x5 quality=iterative penalty=qggmrf:noise=10HU
same backend=cpu:2 grid=40x38x6@6x6x5 solver=pcg:iterations=3 precision=double weights=noise penalty=huber:strength=30
# another volume is distinguished from this one
"$gantry" recon scan.nc -o other.nc --quiet --backend cpu:2 --grid 40x38x6@6x6x5 --solver fdk:filter=hann
if python3 "$root/tests/install/python.py" "$library" scan.nc other.nc backend=cpu:2 grid=40x38x6@6x6x5 2>message; then
	echo "another volume was taken for the same"
	exit 1
fi
grep -q "is not that of the command" message
