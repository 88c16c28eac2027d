#!/bin/bash
# Tests of the single-precision kernels (distance-driven, Joseph, SF-TR) for AArch64, compiled by a cross compiler with NEON and run by
# QEMU; tests/long/neon/check.h replaces the library Check.
# Usage: neon.sh ROOT; some minutes for every fifth case of a loop (GT_TESTS_EVERY=1: all). Exits with 77 if aarch64-linux-gnu-gcc or
# qemu-aarch64 is missing (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user).
set -eu
root=$(cd "${1:?usage: neon.sh ROOT}" && pwd)
compiler=aarch64-linux-gnu-gcc
for tool in $compiler qemu-aarch64; do
	command -v "$tool" >/dev/null || { echo "$tool is not here"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
flags=(-std=gnu11 -D_GNU_SOURCE -O2 -ffp-contract=fast -Wno-psabi -ffunction-sections -fdata-sections "-I$root" "-I$root/include" "-I$root/tests/long/neon" "-DGANTRY_VERSION=\"0\"")

# objects of the modules that projectors need, without MPI and libraries of the target
cd "$root"
find core geometry projectors phantoms -name '*.c' ! -name transport_mpi.c ! -path 'core/fft/*' >"$dir/sources"
printf '%s\n' tests/support/{support,geometries,images,definition,transpose}.c >>"$dir/sources"
object() { echo "$dir/$(echo "$1" | tr / _).o"; }
export -f object
export dir compiler
printf -v all "%q " "${flags[@]}"
export all
# shellcheck disable=SC2016
xargs -P "$(nproc)" -I{} bash -c 'eval "$compiler $all" -c {} -o "$(object {})"' <"$dir/sources"
rm -f "$dir/all.a"
aarch64-linux-gnu-ar rc "$dir/all.a" "$dir"/*_*.c.o
for test in dd_single dd_tilt joseph_single sf_single; do
	$compiler "${flags[@]}" -c "tests/projectors/test_$test.c" -o "$dir/$test.o"
	$compiler "$dir/$test.o" "$dir/all.a" -static -Wl,--gc-sections -lpthread -lm -o "$dir/$test" 2>"$dir/$test.log" || { cat "$dir/$test.log"; exit 1; }
	echo "test_$test"
	GT_TESTS_EVERY=${GT_TESTS_EVERY:-5} qemu-aarch64 "$dir/$test" >"$dir/$test.txt" || { tail -3 "$dir/$test.txt"; exit 1; }
	echo "$(wc -l <"$dir/$test.txt") tests pass"
done
