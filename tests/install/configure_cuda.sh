#!/bin/bash
# The Python package is for the CPU where there is no GPU; other builds compile CUDA. Usage: configure_cuda.sh ROOT
set -eu
root=${1:?usage: configure_cuda.sh ROOT}
ls /dev/nvidia[0-9]* >/dev/null 2>&1 && exit 0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { cat "$dir/log"; echo "$*"; exit 1; }

# chosen WORD OPTION...: GANTRY_CUDA of a configuration that stops at the first library. The folder keeps the facts about compilers.
chosen() {
	local word=$1
	shift
	PKG_CONFIG_LIBDIR=$dir PKG_CONFIG_PATH='' cmake -S "$root" -B "$dir/none" -UGANTRY_CUDA -UGANTRY_PYTHON -UCMAKE_CUDA_ARCHITECTURES \
		-DGANTRY_TESTS=OFF "$@" >"$dir/log" 2>&1 || true
	grep -q "^GANTRY_CUDA:[A-Z]*=$word$" "$dir/none/CMakeCache.txt" || fail "expected GANTRY_CUDA=$word by $*"
}
chosen OFF -DGANTRY_PYTHON=ON
chosen ON -DGANTRY_PYTHON=OFF
chosen ON -DGANTRY_PYTHON=ON -DGANTRY_CUDA=ON
chosen ON -DGANTRY_PYTHON=ON -DCMAKE_CUDA_ARCHITECTURES=90
