#!/bin/bash
# Lists devices and vector instructions, with a note on narrow ones.
. "$(dirname "$0")/support/lib.sh"

# instructions: the value in the last JSON output.
instructions() { sed -n 's/.*"instructions":[[:space:]]*"\([a-z0-9]*\)".*/\1/p' <<<"$out"; }

unset GANTRY_INSTRUCTIONS
ok devices --json
used=$(instructions)
ok devices
grep -qE '^cpu:[0-9]+ +.*[0-9]+ threads? +[0-9.]+ of [0-9.]+ GiB free$' <<<"$out" || fail "the line of the CPU: $out"
case $used in
avx512) says ", AVX-512, " ;;
avx2) says ", AVX2, " ;;
any) grep -qE "has no AVX2: projections on the CPU take" stderr.txt || fail "no note where AVX2 is missing: $(cat stderr.txt)" ;;
*) fail "instructions: '$used'" ;;
esac
[ "$used" = any ] || ! grep -q AVX2 stderr.txt || fail "a note where nothing is missing: $(cat stderr.txt)"

export GANTRY_INSTRUCTIONS=sse9
refused 2 "GANTRY_INSTRUCTIONS=sse9 in the environment: expected any, avx2 or avx512" devices
GANTRY_INSTRUCTIONS=avx512
ok devices --json
[ "$(instructions)" = "$used" ] || fail "asked for AVX-512: $(instructions), the processor has $used"
GANTRY_INSTRUCTIONS=any
ok devices --json
[ "$(instructions)" = any ] || fail "asked for any: $(instructions)"
[ "$used" = any ] || grep -q "GANTRY_INSTRUCTIONS=any: CPU kernels use neither AVX2 nor AVX-512" stderr.txt || fail "no note: $(cat stderr.txt)"
[ "$used" = any ] || [ "$(grep -c AVX2 stderr.txt)" = 1 ] || fail "more than one note: $(cat stderr.txt)"

# Results without them agree to rounding, by other kernels.
ok simulate --phantom forbild-head --reduce 24 -o scan.nc -q
ok recon scan.nc -o any.mha --solver fdk --grid 33x31x5@7x7x9 -q
ok recon scan.nc -o any-os.mha --solver os-sart:iterations=1,subsets=3 --grid 33x31x5@7x7x9 -q
GANTRY_INSTRUCTIONS=
ok recon scan.nc -o widest.mha --solver fdk --grid 33x31x5@7x7x9 -q
ok recon scan.nc -o widest-os.mha --solver os-sart:iterations=1,subsets=3 --grid 33x31x5@7x7x9 -q
ok compare any.mha widest.mha --max 1e-6mm-1
ok compare any-os.mha widest-os.mha --max 1e-6mm-1
[ "$used" = any ] || ! cmp -s any.mha widest.mha || fail "the same bits: other kernels did not run"
finish
