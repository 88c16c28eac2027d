#!/bin/bash
# Every kernel compiles for the GPUs of the default list that no build here is made for: __CUDA_ARCH__ hides lines from the others. Without optimisation,
# and as far as PTX.
# Usage: older_gpus.sh ROOT [BUILD]
set -eu
root=${1:?usage: older_gpus.sh ROOT [BUILD]}
cd "$root"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc"; exit 77; }
read -ra all < <(sed -n 's/^\t*set(CMAKE_CUDA_ARCHITECTURES \([0-9][^)]*\)).*/\1/p' CMakeLists.txt)
[ ${#all[@]} -ge 2 ] || { echo "CMakeLists.txt: expected the default list of architectures, found '${all[*]}'" >&2; exit 1; }
mapfile -t sources < <(git ls-files '*.cu' 2>/dev/null)
[ ${#sources[@]} -gt 0 ] || mapfile -t sources < <(find . -name '*.cu' -not -path './build*')

# The oldest, and the oldest that copies into shared memory by itself (8.0); what is between 8.0 and 9.0 sees the same lines.
for one in "${all[0]%-*}" 80; do
	printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" "$nvcc" -std=c++17 -G -w -ptx -arch="compute_$one" -DGT_HAVE_CUDA -I. -Iinclude -o /dev/null ||
		{ echo "these kernels do not compile for compute capability ${one%?}.${one: -1}" >&2; exit 1; }
	echo "${#sources[@]} files compile for compute capability ${one%?}.${one: -1}"
done
