#!/bin/bash
# Kernels compile for the oldest GPUs of the default list, for which no build here is made: __CUDA_ARCH__ hides lines from newer ones.
# Compiles to PTX without optimisation; by default the sources that depend on the GPU, also through headers: they compare __CUDA_ARCH__ or
# use features missing in 7.5. tests/long compiles all.
# Usage: older_gpus.sh ROOT [BUILD [all]]
set -eu
root=${1:?usage: older_gpus.sh ROOT [BUILD [all]]}
cd "$root"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc"; exit 77; }
read -ra all < <(sed -n 's/^\t*set(CMAKE_CUDA_ARCHITECTURES \([0-9][^)]*\)).*/\1/p' CMakeLists.txt)
[ ${#all[@]} -ge 2 ] || { echo "CMakeLists.txt: expected the default list of architectures, found '${all[*]}'" >&2; exit 1; }
mapfile -t texts < <(find . \( -path './build*' -o -path ./tests \) -prune -o \( -name '*.cu' -o -name '*.cuh' -o -name '*.h' -o -name '*.inc' \) -print | sed 's|^\./||')

# depend_on_gpu: prints the sources with such a line, or with an include that has one.
depend_on_gpu() {
	local found more
	found=$(grep -lE '__CUDA_ARCH__ *[<>=]|\b__(reduce|match)_[a-z]+_sync|bfloat16|<cuda/' "${texts[@]}" | sort)
	while more=$(grep -lF -f <(sed 's|^include/||; s|.*|"&"|; p; s|"\(.*\)"|<\1>|' <<<"$found") "${texts[@]}" | sort - <(echo "$found") | uniq) && [ "$more" != "$found" ]; do
		found=$more
	done
	grep '\.cu$' <<<"$found"
}
# Only the oldest GPU sees all lines hidden from 9.0. With all, also the oldest with asynchronous copies into shared memory (8.0).
if [ "${3:-}" = all ]; then
	targets=("${all[0]%-*}" 80)
	mapfile -t sources < <(printf '%s\n' "${texts[@]}" | grep '\.cu$')
else
	targets=("${all[0]%-*}")
	mapfile -t sources < <(depend_on_gpu)
fi
[ ${#sources[@]} -gt 0 ] || { echo "no source with kernels was found below $root" >&2; exit 1; }
for one in "${targets[@]}"; do
	printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" "$nvcc" -std=c++17 -G -w -ptx -arch="compute_$one" -DGT_HAVE_CUDA -I. -Iinclude -o /dev/null ||
		{ echo "these kernels do not compile for compute capability ${one%?}.${one: -1}" >&2; exit 1; }
	echo "${#sources[@]} files compile for compute capability ${one%?}.${one: -1}"
done
