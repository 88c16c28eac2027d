#!/bin/bash
# Runs the package's tests of threads, callbacks and teams on the CPU under the thread sanitizer. Library and extension are built with it
# into build-tsan/; Python is not (its lock is seen, its memory is not). Needs the environment of `./run python`. First a planted race, two
# threads that write into one array, must be found. Excluded: timing, and a child of fork(), which the sanitizer does not follow.
# Usage: tsan.sh [PYTEST ARGS]
set -eu
cd "$(dirname "$0")/../.."
python=$PWD/build-python/venv/bin/python
[ -x "$python" ] || { echo "tsan.sh: no build-python/venv: call ./run python first" >&2; exit 1; }
"$python" -m pip install -q --no-build-isolation --no-deps --upgrade -t build-tsan/site . -Ccmake.build-type=RelWithDebInfo -Ccmake.define.GANTRY_SANITIZE=thread \
	-Ccmake.define.GANTRY_CUDA=OFF -Ccmake.define.GANTRY_MPI=OFF -Cbuild-dir=build-tsan/cmake
export PYTHONPATH=$PWD/build-tsan/site PYTHONDONTWRITEBYTECODE=1 GT_BACKEND=cpu:2
# without address space randomisation, because the sanitizer needs fixed address ranges
under() { env LD_PRELOAD="$(${CC:-gcc} -print-file-name=libtsan.so)" TSAN_OPTIONS="report_thread_leaks=0:exitcode=66:log_path=build-tsan/report" setarch -R "$python" "$@"; }
rm -f build-tsan/report.*
under - <<'END' && { echo "tsan.sh: the planted race was not found" >&2; exit 1; }
import threading, numpy as np, gantry
A = [gantry.Projector(gantry.circular(24, (9, 31), 4.0, 500, 1000), gantry.Grid(20, 2.0), device=gantry.Backend("cpu:1")) for _ in range(2)]
x, y, ready = np.ones(A[0].domain_shape, np.float32), np.empty(A[0].range_shape, np.float32), threading.Barrier(2)
def work(k):
    ready.wait()
    for _ in range(20):
        A[k](x, out=y)
both = [threading.Thread(target=work, args=(k,)) for k in range(2)]
for t in both: t.start()
for t in both: t.join()
END
grep -q "data race" build-tsan/report.* || { echo "tsan.sh: something else than the planted race was found: build-tsan/report.*" >&2; exit 1; }
rm -f build-tsan/report.*
[ $# -gt 0 ] || set -- tests/python/test_calls.py tests/python/test_denoiser.py tests/python/test_teams.py tests/python/test_joint.py tests/python/test_projector.py
under -m pytest -q -p no:cacheprovider "$@" -k "not ends_a_long_call and not child_of_fork and not entry_by_entry and not any_order_and_thread" || failed=1
! ls build-tsan/report.* 2>/dev/null || { cat build-tsan/report.*; exit 1; }
exit "${failed:-0}"
