"""Denoisers on the memory of the device, handed over by DLPack: PyTorch, CuPy, JAX, and NumPy on the CPU."""

import gc
import weakref

import numpy as np
import pytest
from conftest import DEVICE, GRID, tiny

import gantry

GPU = DEVICE.startswith("cuda")
SOLVERS = [gantry.pnp_fista, gantry.pnp_admm, gantry.red]


def numbers(z):
    """A copy of what a denoiser was given, in NumPy."""
    return np.from_dlpack(z).copy()


def scaled(arrays):
    """A denoiser of each library that multiplies by 0.9."""
    if arrays == "dlpack":
        return lambda z, t: numbers(z) * z_type(0.9)
    return lambda z, t: 0.9 * z


z_type = np.float32


@pytest.fixture(scope="module")
def scene():
    A = gantry.Projector(tiny(), GRID, device=DEVICE)
    return A, gantry.add_noise(gantry.Phantom("shepp-logan", scale=0.35).project(tiny()), 1e4, seed=3)


def library(arrays):
    if arrays == "dlpack" and GPU:
        pytest.skip("NumPy reads no memory of a GPU")
    if arrays == "cupy" and not GPU:
        pytest.skip("CuPy needs a GPU")
    if arrays not in ("numpy", "dlpack"):
        pytest.importorskip(arrays)
    return arrays


@pytest.mark.parametrize("arrays", ["dlpack", "torch", "cupy", "jax"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_no_array_crosses_the_bus(scene, arrays, solver):
    A, p = scene
    f = scaled(library(arrays))
    r = solver(A, p, penalty=gantry.Denoiser(lambda z, t: 0.9 * z), iterations=3)
    moved = []

    def count(*_):
        moved.append(A.backend.counters())

    x = solver(A, p, penalty=gantry.Denoiser(f, arrays=arrays), iterations=5, callback=count)
    assert x.iterations == 5
    for name in ("gets", "puts", "get_bytes", "put_bytes", "allocations"):
        assert moved[-1][name] == moved[1][name], name
    three = solver(A, p, penalty=gantry.Denoiser(f, arrays=arrays), iterations=3)
    assert np.allclose(three.x, r.x, rtol=1e-5, atol=1e-5 * np.abs(r.x).max())


@pytest.mark.parametrize("arrays", ["numpy", "dlpack", "torch"])
def test_batches_of_slices(scene, arrays):
    A, p = scene
    f, seen = scaled(library(arrays)), []

    def look(z, t):
        result = f(z, t)
        seen.append(result.shape)
        return result

    whole = gantry.pnp_fista(A, p, penalty=gantry.Denoiser(f, arrays=arrays), iterations=2).x
    parts = gantry.pnp_fista(A, p, penalty=gantry.Denoiser(look, arrays=arrays, slices=3), iterations=2).x
    assert np.array_equal(whole, parts)
    assert [tuple(s) for s in seen] == [(3, 20, 23), (3, 20, 23), (1, 20, 23)] * 2


def test_double_precision():
    A = gantry.Projector(tiny(), GRID, device=DEVICE, dtype=np.float64)
    seen = []

    def look(z, t):
        v = numbers(z) if not GPU else z
        seen.append(str(v.dtype))
        return v / (1 + t)

    gantry.pnp_fista(A, np.ones(A.range_shape), penalty=gantry.Denoiser(look, arrays=library("torch" if GPU else "dlpack")), iterations=2)
    assert set(seen) <= {"float64", "torch.float64"} and len(seen) == 2


WRONG = [(lambda z: z.astype(np.float64), r"result of f: of type float64, expected a contiguous array of float32"),
         (lambda z: z.transpose(0, 2, 1).copy().transpose(0, 2, 1), "result of f: of type float32, not contiguous"),
         (lambda z: z[:2], r"result of f: shape \(2, 20, 23\), expected \(7, 20, 23\)"),
         (lambda z: z * np.nan, "denoiser 'f': returned nan at voxel"),
         (lambda z: None, "result of f: None, expected an array with DLPack"),
         (lambda z: 3.0, "result of f: a float, expected an array with DLPack")]


@pytest.mark.skipif(GPU, reason="NumPy reads no memory of a GPU")
@pytest.mark.parametrize(("spoil", "message"), WRONG)
def test_wrong_results_of_numpy(scene, spoil, message):
    A, p = scene
    with pytest.raises(gantry.Error, match=message):
        gantry.pnp_fista(A, p, penalty=gantry.Denoiser(lambda z, t: spoil(numbers(z)), "f", arrays="dlpack"), iterations=2)
    assert gantry.pnp_fista(A, p, penalty=gantry.Denoiser(lambda z, t: numbers(z), "f", arrays="dlpack"), iterations=2).iterations == 2


def test_wrong_results_of_torch(scene):
    torch = pytest.importorskip("torch")
    A, p = scene
    weight = torch.nn.Parameter(torch.ones((), device="cuda" if GPU else "cpu"))

    def records(z, t):
        with torch.enable_grad():
            return z * weight

    wrong = [(lambda z, t: z.double(), r"result of f: DLPack type code 2 of 64 bits, expected float32"),
             (lambda z, t: z.int(), r"result of f: DLPack type code 0 of 32 bits, expected float32"),
             (lambda z, t: z.transpose(1, 2).contiguous().transpose(1, 2), "result of f: not contiguous"),
             (lambda z, t: z[:2], r"result of f: shape \(2, 20, 23\), expected \(7, 20, 23\)"),
             (lambda z, t: z * float("nan"), "denoiser 'f': returned nan at voxel"),
             (records, "result of f: a tensor that records gradients")]
    if GPU:
        wrong.append((lambda z, t: z.cpu(), r"result of f: is on DLPack device \(1, 0\), expected \(2, \d\)"))
    for f, message in wrong:
        with pytest.raises(gantry.Error, match=message):
            gantry.pnp_fista(A, p, penalty=gantry.Denoiser(f, "f", arrays="torch"), iterations=2)
    before = A.backend.counters()["bytes"]
    same = gantry.pnp_fista(A, p, penalty=gantry.Denoiser(lambda z, t: z.mul_(0.9), "f", arrays="torch"), iterations=2)  # in place
    assert np.array_equal(same.x, gantry.pnp_fista(A, p, penalty=gantry.Denoiser(lambda z, t: 0.9 * z, arrays="torch"), iterations=2).x)
    gc.collect()
    assert A.backend.counters()["bytes"] <= before


@pytest.mark.parametrize("arrays", ["numpy", "dlpack", "torch"])
def test_a_denoiser_that_keeps_its_argument(scene, arrays):
    """The kept memory stays valid and is freed with its last reference."""
    A, p = scene
    library(arrays)
    kept = []

    def keeps(z, t):
        kept.append(np.from_dlpack(z) if arrays == "dlpack" else z)
        return kept[0] + 0

    gc.collect()
    before = A.backend.counters()["bytes"]
    with pytest.raises(gantry.ArgumentError, match="keeps: kept its argument after it returned, expected a copy"):
        gantry.pnp_fista(A, p, penalty=gantry.Denoiser(keeps, arrays=arrays), iterations=2)
    gc.collect()
    assert np.isfinite(float(kept[0].sum()))
    kept.clear()
    gc.collect()
    assert A.backend.counters()["bytes"] == before


@pytest.mark.skipif(GPU, reason="NumPy reads no memory of a GPU")
def test_an_argument_has_one_consumer_and_ends_with_the_call(scene):
    A, p = scene
    escaped = []

    def takes_twice(z, t):
        v = numbers(z)
        with pytest.raises(BufferError, match="expected one consumer"):
            z.__dlpack__()
        escaped.append(z)
        return v

    gantry.pnp_fista(A, p, penalty=gantry.Denoiser(takes_twice, arrays="dlpack"), iterations=2)
    with pytest.raises(BufferError, match="while the denoiser runs"):
        escaped[0].__dlpack__()
    # a capsule that nobody consumes ends with the call
    assert gantry.pnp_fista(A, p, penalty=gantry.Denoiser(lambda z, t: z.__dlpack__() and np.zeros(GRID.shape, np.float32),
                                                          arrays="dlpack"), iterations=2).iterations == 2


def test_exceptions_leave_nothing_behind(scene):
    A, p = scene
    before = A.backend.counters()["bytes"]
    arrays = library("torch" if GPU else "dlpack")

    class Gone(Exception):
        pass

    def fails(z, t):
        held = z if GPU else np.from_dlpack(z)
        raise Gone(str(held.shape))

    try:
        gantry.pnp_fista(A, p, penalty=gantry.Denoiser(fails, arrays=arrays), iterations=2)
    except Gone as error:
        alive = weakref.ref(error)
    gc.collect()
    assert alive() is None
    assert A.backend.counters()["bytes"] == before


def test_wrong_arguments():
    with pytest.raises(gantry.ArgumentError, match="arrays: 'tensorflow', expected one of numpy, torch"):
        gantry.Denoiser(abs, arrays="tensorflow")
    for slices in (0, -1, 1.5, "2"):
        with pytest.raises(gantry.ArgumentError, match="slices: .*expected a number of slices"):
            gantry.Denoiser(abs, slices=slices)
