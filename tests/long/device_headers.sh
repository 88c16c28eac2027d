#!/bin/bash
# Every header for nvcc compiles alone. Usage: device_headers.sh ROOT BUILD; exits 2 if the check itself is broken; skips without nvcc.
set -u
root=$(cd "${1:?usage: device_headers.sh ROOT BUILD}" && pwd) || exit 2
nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc) || { echo "no nvcc"; exit 77; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# compiles one header of a root to PTX for one architecture
cat >"$dir/alone" <<'END'
dir=$1 nvcc=$2 root=$3 header=$4
name=$(echo "$root/$header" | tr / _)
echo "#include \"$header\"" >"$dir/$name.cu"
"$nvcc" -std=c++17 -arch=sm_90 -ptx -DGT_HAVE_CUDA -D_GNU_SOURCE "-I$root" "-I$root/include" "$dir/$name.cu" -o "$dir/$name.ptx" >"$dir/$name.said" 2>&1 ||
	echo "$header: does not stand alone: $(grep -m 1 -E 'error' "$dir/$name.said")"
END
check() { # ROOT
	(cd "$1" && find . -path './build*' -prune -o -path './tests/*' -prune -o -name '*.cuh' -print) | sed 's|^\./||' | sort |
		xargs -P "$(nproc)" -I '{}' sh "$dir/alone" "$dir" "$nvcc" "$1" '{}' | sort
}

seed() { # NAME TEXT
	mkdir -p "$dir/$1/core" && echo "$2" >"$dir/$1/core/a.cuh"
}
seed fine '__device__ inline float twice(float a) { return __fadd_rn(a, a); }'
seed fault '__device__ inline float twice(float a) { return gt_missing(a); }'
[ -z "$(check "$dir/fine")" ] || { check "$dir/fine"; echo "device_headers.sh refuses a correct header"; exit 2; }
[ -n "$(check "$dir/fault")" ] || { echo "device_headers.sh does not see its fault"; exit 2; }
check "$root" | { ! grep .; }
