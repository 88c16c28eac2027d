"""Solvers written for the operators of other packages run with a Projector, on arrays of NumPy, PyTorch and CuPy in place."""

import importlib

import numpy as np
import pytest
from conftest import DEVICE, GRID, tiny

import gantry

GPU = DEVICE.startswith("cuda")


def sirt(A, y, ones, iterations):
    """In the manner of tomosipo: A(x), A(x, out=), A.T, domain_shape, range_shape."""
    rows, columns = 1 / A(ones(A.domain_shape)).clip(1e-6), 1 / A.T(ones(A.range_shape)).clip(1e-6)
    x, left = 0 * columns, 0 * y
    for _ in range(iterations):
        A(x, out=left)
        x += columns * A.T(rows * (y - left))
    return x


def cgls(A, y, iterations):
    """With vectors, in the manner of the operators of SciPy and PyLops: shape, matvec, rmatvec."""
    x, left = np.zeros(A.shape[1], y.dtype), y.copy()
    s = step = A.rmatvec(left)
    for _ in range(iterations):
        q = A.matvec(step)
        size = (s @ s) / (q @ q)
        x, left, before = x + size * step, left - size * q, s @ s
        s = A.rmatvec(left)
        step = s + (s @ s) / before * step
    return x


@pytest.mark.parametrize("library", ["numpy", "torch", "cupy"])
def test_sirt_in_the_manner_of_tomosipo(library, rng):
    module = pytest.importorskip(library, reason=f"{library} is not installed here")
    if library == "cupy" and not GPU:
        pytest.skip("CuPy needs a GPU")
    where = {"device": "cuda"} if library == "torch" and GPU else {}
    A = gantry.Projector(tiny(), GRID, device=DEVICE)
    truth = rng.random(GRID.shape, np.float32)
    y = importlib.import_module(library).asarray(A(truth), **where)
    x = sirt(A, y, lambda shape: module.ones(shape, dtype=module.float32, **where), 20)
    assert isinstance(x, type(y))
    got = x.cpu().numpy() if library == "torch" else x.get() if library == "cupy" else x
    left = np.linalg.norm(A(got) - A(truth)) / np.linalg.norm(A(truth))
    assert left < 0.05
    assert np.linalg.norm(got - gantry.sirt(A, A(truth), iterations=20).x) < 1e-3 * np.linalg.norm(got)


def test_cgls_by_vectors(rng):
    A = gantry.Projector(tiny(), GRID, device=DEVICE, dtype=np.float64)
    y = A(rng.random(GRID.shape)).ravel()
    x = cgls(A, y, 8)
    assert np.allclose(x, gantry.cgls(A, y.reshape(A.range_shape), iterations=8).x.ravel(), rtol=1e-6, atol=1e-9)
