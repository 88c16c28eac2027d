"""CuPy and JAX on a GPU: their memory is used in place, behind what is on their streams."""

import os

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
