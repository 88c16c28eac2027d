#!/bin/bash
# A dry run estimates the largest resident size of the run, less the size of the process without a run.
. "$(dirname "$0")/support/lib.sh"
[ "$backend" = cpu ] || skip "arrays of $backend are not in host memory"
! nm -D "$gantry" | grep -q __asan_ || skip "sanitizers multiply memory"
! nm -D "$gantry" | grep -q __tsan_ || skip "sanitizers multiply memory"

ok simulate -p forbild-head --rays 1 --reduce 8 -o head.nc
ok simulate -p forbild-head --rays 1 --reduce 4 --photons 1e5 -o larger.nc
ok simulate -p forbild-head --rays 1 --scanner c-arm --reduce 8 -o arm.nc
ok simulate -p forbild-head --rays 1 --scanner synchrotron --scale 0.003 --reduce 8 -o parallel.nc
cat >cases.txt <<'TEXT'
head.nc --solver fdk
head.nc --solver fdk --precision double
head.nc --solver fdk --grid 128x128x64@2x2x2
larger.nc --solver fdk
arm.nc --solver fdk
parallel.nc --solver fbp
head.nc --solver os-sart:iterations=2 --precision double
larger.nc --solver os-sart:iterations=2
arm.nc --solver cgls:iterations=2 --init zero
larger.nc --solver pcg:iterations=2 --penalty huber:strength=1,delta=20HU
head.nc --solver os-sqs:iterations=2 --penalty tv:strength=0.01
head.nc --preset iterative
TEXT
# Within 10 %, never more than 5 % below, except for a random 1 MiB.
python3 - "$gantry" <<'PYTHON' || fail "estimates"
import json, os, subprocess, sys

def resident(*arguments):
    run = subprocess.Popen([sys.argv[1], *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = run.stdout.read().decode()
    _, status, usage = os.wait4(run.pid, 0)
    assert status == 0, arguments
    return usage.ru_maxrss / 1024, text

bare = min(resident("help")[0] for _ in range(5))
bad = 0
for line in open("cases.txt"):
    words = line.split()
    estimate = json.loads(resident("recon", *words, "--backend", "cpu:2", "--dry-run", "--json")[1])["host_bytes"]["peak"] / 2 ** 20
    measured = 0
    for _ in range(3):
        measured = max(measured, resident("recon", *words, "--backend", "cpu:2", "-o", "volume.nc")[0] - bare)
        if estimate <= 1.1 * measured + 1:
            break
    if not 0.95 * measured - 1 <= estimate <= 1.1 * measured + 1:
        print(f"{line.strip()}: estimate {estimate:.1f} MiB, measured {measured:.1f} MiB", file=sys.stderr)
        bad += 1
sys.exit(bad > 0)
PYTHON
# A limit of the address space limits the memory.
(ulimit -v 700000 && "$gantry" recon larger.nc --backend cpu:1 --solver cgls:iterations=1 --grid 512x512x256@1x1x1 --dry-run) >stdout.txt 2>stderr.txt
code=$?
if [ $code -ne 1 ] || ! grep -q "of memory, .* are free" stderr.txt; then fail "an address space of 700 MB: code $code: $(cat stderr.txt)"; fi
finish
