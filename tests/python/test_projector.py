"""The projector on NumPy arrays: exact transposes, no copies, batches, flat vectors, pickles."""

import gc
import pickle
import threading

import numpy as np
import pytest
from conftest import DEVICE, GRID, tiny

import gantry

MODELS = ("dd", "sf-tr", "sf-tt", "joseph", "siddon")


def small(kind="flat", dtype=np.float32, model=None, device=DEVICE):
    return gantry.Projector(tiny(kind), GRID, model, device=device, dtype=dtype)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", ["flat", "arc", "parallel"])
def test_transpose_entry_by_entry(kind, model):
    scan = {"flat": gantry.circular(3, (3, 5), 4.0, 500, 1000, offset=(0.2, 0.3)),
            "arc": gantry.circular(3, (3, 5), 4.0, 500, 1000, detector="arc", offset=(0.2, 0.3)),
            "parallel": gantry.parallel([0.2, 1.1, 2.9], (3, 5), 4.0)}[kind]
    A = gantry.Projector(scan, gantry.Grid((2, 3, 4), (3.1, 3.3, 3.7), (0.5, 1, -1)), model, device=DEVICE, dtype=np.float64)
    m, n = A.shape
    forward = np.stack([A.matvec(e) for e in np.eye(n)], 1)
    back = np.stack([A.rmatvec(e) for e in np.eye(m)], 0)
    assert forward.any()
    assert np.abs(forward - back).max() <= 1e-12 * np.abs(forward).max()


def test_line_integrals_of_a_box_are_those_of_geometry():
    """Parallel rays along y through an off-centre box at angle 0: length times attenuation."""
    scan = gantry.parallel([0.0], (6, 8), 1.0)
    grid = gantry.Grid((6, 10, 8), 1.0)
    x = np.zeros(grid.shape, np.float32)
    x[1, 2:7, 5] = 0.03
    y = gantry.Projector(scan, grid, device=DEVICE)(x)
    expected = np.zeros(scan.shape)
    expected[0, 1, 5] = 5 * 0.03
    assert np.allclose(y, expected, atol=1e-6)


def test_nothing_is_copied_on_the_cpu(rng):
    A = small(device="cpu:2")
    x, y = rng.random(A.domain_shape, np.float32), np.empty(A.range_shape, np.float32)
    before = A.backend.counters()
    assert A(x, out=y) is y
    assert A.T(y, out=x) is x
    assert A.backend.counters() == before
    assert y.any()


def test_other_orders_and_types_are_converted(rng):
    A = small()
    x = rng.random(A.domain_shape, np.float32)
    y = A(x)
    for other in (np.asfortranarray(x), x.astype(np.float64), x[::1, :, :], np.repeat(x, 2, axis=2)[:, :, ::2]):
        assert np.array_equal(A(other), y)
    assert np.array_equal(A(np.ones(A.domain_shape, int)), A(np.ones(A.domain_shape, np.float32)))


def test_batches_are_single_calls(rng):
    A = small()
    x = rng.random((2, 3, *A.domain_shape), np.float32)
    y = A(x)
    assert y.shape == (2, 3, *A.range_shape)
    for i in np.ndindex(2, 3):
        assert np.array_equal(y[i], A(x[i]))
    back = A.T(y)
    assert np.array_equal(back[1, 2], A.T(y[1, 2]))
    assert A(x[:0]).shape == (0, 3, *A.range_shape)


def test_scipy_takes_it(rng):
    linalg = pytest.importorskip("scipy.sparse.linalg")
    A = small(dtype=np.float64)
    x = rng.random(A.domain_shape)
    b = A(x)
    found = linalg.lsqr(linalg.aslinearoperator(A), b.ravel(), iter_lim=30)[0]
    assert np.linalg.norm(A @ found - b.ravel()) < 1e-2 * np.linalg.norm(b)
    assert np.array_equal(A.H @ b.ravel(), A.T(b).ravel())


def test_subsets_are_views(rng):
    A = small()
    x = rng.random(A.domain_shape, np.float32)
    y = A(x)
    for k, part in enumerate(A.subsets(5)):
        assert np.array_equal(part(x), y[k::5])
    with pytest.raises(gantry.ArgumentError):
        A.scan.subset(0, 0)


def test_pickles_compute_the_same(rng):
    A = small("arc", model="sf-tr")
    x = rng.random(A.domain_shape, np.float32)
    B = pickle.loads(pickle.dumps(A))
    assert np.array_equal(B(x), A(x))
    y = A(x)
    assert np.array_equal(pickle.loads(pickle.dumps(A.T))(y), A.T(y))


def test_the_transpose_keeps_the_operator(rng):
    y = rng.random(small().range_shape, np.float32)
    expected = small().T(y)
    T = small().T
    gc.collect()
    assert np.array_equal(T(y), expected)
    assert np.array_equal(T.T(expected), small()(expected))


def test_mismatch_and_other_precisions(rng):
    A = small()
    assert A.mismatch() < 1e-6
    B = A.astype(np.float64)
    x = rng.random(A.domain_shape)
    assert B(x).dtype == np.float64
    assert np.allclose(B(x), A(x), rtol=1e-4, atol=1e-3)
    assert B.mismatch(7) < 1e-13


def test_operators_may_go_in_any_order_and_thread():
    """Operators in reference cycles, made and dropped while two threads compute."""
    A = small()
    x = np.random.default_rng(6).random(A.domain_shape, np.float32)
    expected, wrong, done = A(x), [], threading.Event()

    def work():
        while not done.is_set():
            if not np.array_equal(A(x), expected):
                wrong.append(1)

    before = A.backend.counters()["bytes"]
    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    scan = gantry.circular(3, 4, 1.0, 50, 100)
    for _ in range(2000):
        B = gantry.Projector(scan, gantry.Grid(4, 1), device=DEVICE)
        B.myself = [B, B.T]
    del B
    done.set()
    for t in threads:
        t.join()
    gc.collect()
    assert not wrong
    assert A.backend.counters()["bytes"] == before


@pytest.mark.parametrize("kind", ["flat", "arc", "parallel", "helix"])
def test_filtered_backprojection_as_an_operator(kind, rng):
    scan = tiny(kind)
    B = gantry.Analytic(scan, GRID, device="cpu:2", dtype=np.float64, filter="hann")
    p, x = rng.normal(size=scan.shape), rng.normal(size=GRID.shape)
    v = B(p)
    assert np.array_equal(v, gantry.analytic(None, p, scan, GRID, device="cpu:2", dtype=np.float64, filter="hann"))
    assert abs(np.vdot(v, x) - np.vdot(p, B.T(x))) < 1e-12 * np.linalg.norm(v) * np.linalg.norm(x)
    assert np.array_equal(B.T.T(p), v) and np.array_equal(pickle.loads(pickle.dumps(B))(p), v)
    assert np.array_equal(pickle.loads(pickle.dumps(B.T))(x), B.T(x))
    for device in {"cpu:2", DEVICE}:
        single = gantry.Analytic(scan, GRID, device=device, filter="hann").T(x.astype(np.float32))
        assert single.dtype == np.float32 and np.allclose(single, B.T(x), atol=(1e-6 if device == "cpu:2" else 1e-5) * np.abs(single).max())
    with pytest.raises(gantry.ArgumentError, match=r"x: shape .*\[view\]\[row\]\[column\]"):
        B(x)
