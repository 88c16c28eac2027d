"""CuPy and JAX on a GPU: their memory is used in place, in the order of their streams."""

import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import GRID, tiny

import gantry

DEVICE = os.environ.get("GT_BACKEND", "cpu:2")
pytestmark = pytest.mark.skipif(not DEVICE.startswith("cuda"), reason="GT_BACKEND names no GPU")


@pytest.fixture(scope="module")
def operator():
    return gantry.Projector(tiny(), GRID, device=DEVICE)


def test_cupy(operator, rng):
    cupy = pytest.importorskip("cupy")
    host = rng.random(GRID.shape, np.float32)
    x = cupy.asarray(host)
    before = operator.backend.counters()
    with cupy.cuda.Stream(non_blocking=True):
        y = operator(2 * x)
        total = y.sum()
    after = operator.backend.counters()
    assert (before["puts"], before["gets"], before["waits"]) == (after["puts"], after["gets"], after["waits"])
    assert isinstance(y, cupy.ndarray)
    cupy.cuda.Device().synchronize()
    assert np.array_equal(y.get(), operator(2 * host))
    assert float(total) == pytest.approx(float(y.get().sum()), rel=1e-4)
    back = operator.T(y)
    assert np.array_equal(back.get(), operator.T(y.get()))


def test_jax(operator, rng):
    jax = pytest.importorskip("jax")
    host = rng.random(GRID.shape, np.float32)
    x = jax.device_put(host, jax.devices("gpu")[0])
    y = operator(x)
    assert isinstance(y, jax.Array)
    assert y.devices() == x.devices()
    assert np.array_equal(np.asarray(y), operator(host))
    assert np.array_equal(np.asarray(operator.T(y)), operator.T(np.asarray(y)))
    with pytest.raises(gantry.ArgumentError, match="out: "):
        operator(x, out=y)


def test_an_operator_after_its_device_failed():
    """An invalid read of a kernel ends all work of the process on the device: exceptions from then on, and a silent exit."""
    code = f"""
import numpy as np, gantry
from gantry._c import ffi, lib
A = gantry.Projector(gantry.circular(24, (9, 31), 4.0, 500, 1000), gantry.Grid(20, 2.0), device={DEVICE!r})
x = np.ones(A.domain_shape, np.float32)
assert A(x).any()
lib.gt_py_apply_on_stream(A.c, 0, 1, ffi.cast("void *", 4096), ffi.cast("void *", 8192), ffi.NULL)
for call in (lambda: A(x), lambda: A.T(np.ones(A.range_shape, np.float32)), lambda: gantry.cgls(A, np.ones(A.range_shape)),
             lambda: gantry.Projector(A.scan, A.grid, device=A.backend)):
    try:
        call()
    except gantry.Error as error:
        print(type(error).__name__, error)
    else:
        raise SystemExit("no error")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("DeviceError") >= 1 and len(done.stdout.splitlines()) == 4
