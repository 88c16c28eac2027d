"""Solvers written for the operators of other packages run with a Projector, on arrays of NumPy, PyTorch and CuPy in place."""

import numpy as np
import pytest
from conftest import DEVICE, GRID, tiny

import gantry
from gantry.interop import astra

GPU = DEVICE.startswith("cuda")
LIBRARIES = ["numpy", "torch", "cupy"]


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


def landweber(op, x, rhs, iterations, omega):
    """In the manner of ODL: op(x), op.adjoint(y)."""
    for _ in range(iterations):
        x = x - omega * op.adjoint(op(x) - rhs)
    return x


def by_astra():
    """A projector from the dictionaries of ASTRA."""
    cone = {"type": "cone", "DetectorSpacingX": 4.0, "DetectorSpacingY": 4.0, "DetectorRowCount": 9, "DetectorColCount": 31,
            "ProjectionAngles": np.linspace(0.2, 6.2, 24), "DistanceOriginSource": 400.0, "DistanceOriginDetector": 300.0}
    volume = {"GridRowCount": 20, "GridColCount": 22, "GridSliceCount": 7,
              "option": dict(zip(("WindowMinX", "WindowMaxX", "WindowMinY", "WindowMaxY", "WindowMinZ", "WindowMaxZ"), (-22, 22, -20, 20, -7, 7)))}
    return gantry.Projector(astra.scan(cone), astra.grid(volume), device=DEVICE)


def on(library):
    """The module of a library, and where its arrays are made."""
    module = pytest.importorskip(library, reason=f"{library} is not installed here")
    if library == "cupy" and not GPU:
        pytest.skip("CuPy needs a GPU")
    return module, {"device": "cuda"} if library == "torch" and GPU else {}


def in_numpy(x, library):
    return x.cpu().numpy() if library == "torch" else x.get() if library == "cupy" else x


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("make", [lambda: gantry.Projector(tiny(), GRID, device=DEVICE), by_astra], ids=["odl", "astra"])
def test_landweber_in_the_manner_of_odl(make, library, rng):
    module, where = on(library)
    A = make()
    y = A(rng.random(A.domain_shape, np.float32))
    omega = 1 / float(A(np.ones(A.domain_shape, np.float32)).max() * A.T(np.ones(A.range_shape, np.float32)).max())
    x = landweber(A, module.zeros(A.domain_shape, dtype=module.float32, **where), module.asarray(y, **where), 10, omega)
    expected = landweber(A, np.zeros(A.domain_shape, np.float32), y, 10, omega)
    assert isinstance(x, type(module.asarray(y)))
    assert np.linalg.norm(in_numpy(x, library) - expected) < 1e-5 * np.linalg.norm(expected)
    assert np.linalg.norm(A(expected) - y) < 0.3 * np.linalg.norm(y)


@pytest.mark.parametrize("library", LIBRARIES)
def test_sirt_in_the_manner_of_tomosipo(library, rng):
    module, where = on(library)
    A = gantry.Projector(tiny(), GRID, device=DEVICE)
    truth = rng.random(GRID.shape, np.float32)
    y = module.asarray(A(truth), **where)
    x = sirt(A, y, lambda shape: module.ones(shape, dtype=module.float32, **where), 20)
    assert isinstance(x, type(y))
    got = in_numpy(x, library)
    left = np.linalg.norm(A(got) - A(truth)) / np.linalg.norm(A(truth))
    assert left < 0.05
    assert np.linalg.norm(got - gantry.sirt(A, A(truth), iterations=20).x) < 1e-3 * np.linalg.norm(got)


def test_cgls_by_vectors(rng):
    A = gantry.Projector(tiny(), GRID, device=DEVICE, dtype=np.float64)
    y = A(rng.random(GRID.shape)).ravel()
    x = cgls(A, y, 8)
    assert np.allclose(x, gantry.cgls(A, y.reshape(A.range_shape), iterations=8).x.ravel(), rtol=1e-6, atol=1e-9)
