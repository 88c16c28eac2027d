#!/bin/bash
# The example of a reconstruction in memory gives the result of the command. Usage: recon_example.sh ROOT BUILD
set -eu
root=${1:?usage: recon_example.sh ROOT BUILD} build=${2:?usage: recon_example.sh ROOT BUILD}
[ -e "$build/libgantry.so" ] || { echo "skipped: the library is not a shared one"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$root/include" "$root/tests/install/recon_example.c" -o example -L "$build" -lgantry
"$build/gantry" simulate --scanner ge-ct750hd --reduce 24 --phantom shepp-logan --photons 1e5 --quiet -o scan.nc
LD_LIBRARY_PATH=$build ./example || { echo "the example fails"; exit 1; }
"$build/gantry" recon scan.nc --preset iterative --grid 40x40x6@6x6x5 --quiet -o command.nc
"$build/gantry" compare vol.nc command.nc --max 0
