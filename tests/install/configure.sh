#!/bin/bash
# Configuring without libraries names all of them, with their packages. Usage: configure.sh ROOT
set -eu
root=${1:?usage: configure.sh ROOT}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { cat "$dir/log"; echo "$*"; exit 1; }

! PKG_CONFIG_LIBDIR=$dir PKG_CONFIG_PATH='' cmake -S "$root" -B "$dir/none" -DGANTRY_CUDA=OFF >"$dir/log" 2>&1 || fail "configured without libraries"
for package in libnetcdf-dev libfftw3-dev libcairo2-dev libtiff-dev libcjson-dev zlib1g-dev libexpat1-dev netcdf-devel libnetcdf; do
	grep -q "install .*$package" "$dir/log" || fail "$package is not named"
done

# The same message names pkg-config and the headers of Python. The facts about compilers are those of the first folder.
mkdir -p "$dir/bare/CMakeFiles"
cp -r "$dir"/none/CMakeFiles/[0-9]* "$dir/bare/CMakeFiles/"
! cmake -S "$root" -B "$dir/bare" -DGANTRY_CUDA=OFF -DGANTRY_PYTHON=ON -DGANTRY_TESTS=OFF -DPKG_CONFIG_EXECUTABLE= \
	-DPython_INCLUDE_DIR="$dir" >"$dir/log" 2>&1 || fail "configured without pkg-config and Python.h"
tr -s '\n ' ' ' <"$dir/log" | grep -q "not found: pkg-config, [^:]*Python.h" || fail "pkg-config and Python.h are not named"
grep -q "apt-get install pkg-config .*libnetcdf-dev .*python3-dev" "$dir/log" || fail "python3-dev is not named"
