"""Calls that once silently gave wrong results: reused memory, other geometries, degrees, masks, lost gradients."""

import numpy as np
import pytest
from conftest import DEVICE, GRID, tiny

import gantry

CUBE = 12


def cube(model=None, dtype=np.float32):
    """An operator with domain and range of equal shape."""
    return gantry.Projector(gantry.circular(CUBE, (CUBE, CUBE), 4.0, 200, 400), gantry.Grid(CUBE, 2.0), model, device=DEVICE, dtype=dtype)


def refused(words):
    return pytest.raises(gantry.ArgumentError, match=words)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("model", ["dd", "sf-tr", "joseph", "siddon"])
def test_a_result_over_its_input(model, dtype, rng):
    A = cube(model, dtype)
    x = rng.random(A.domain_shape).astype(dtype)
    y, before = A(x), x.copy()
    for op in (A, A.T):
        with refused("out: shares memory with x"):
            op(x, out=x)
        assert np.array_equal(x, before)
    both = np.zeros((CUBE + 1, CUBE, CUBE), dtype)
    with refused("out: shares memory with x"):
        A(both[:-1], out=both[1:])
    assert np.array_equal(A(x, out=both[1:]), y)


def test_results_of_methods_over_their_input(rng):
    A = cube()
    b = A(rng.random(A.domain_shape, np.float32))
    with refused("out: shares memory with b"):
        gantry.cgls(A, b, iterations=1, out=b)
    w = np.ones_like(b)
    with refused("out: shares memory with weights"):
        gantry.pcg(A, b, weights=w, iterations=1, out=w)
    with refused("out: shares memory with data"):
        gantry.fdk(b, A.scan, A.grid, device=DEVICE, out=b)
    x0 = rng.random(A.domain_shape, np.float32)
    expected = gantry.cgls(A, b, x0=x0, iterations=2).x
    assert np.array_equal(gantry.cgls(A, b, x0=x0, iterations=2, out=x0).x, expected)


def test_data_of_another_geometry(rng):
    A = cube()
    other = gantry.circular(CUBE, (CUBE, CUBE), 9.0, 100, 800, start_angle=1.0)
    x, y = rng.random(A.domain_shape, np.float32), rng.random(A.range_shape, np.float32)
    for call in (lambda p: gantry.cgls(A, p, iterations=1), lambda p: A.T(p), lambda p: A.T @ p, lambda p: gantry.pcg(A, y, weights=p, iterations=1),
                 lambda p: gantry.Analytic(A.scan, A.grid)(p), lambda p: gantry.Projector(A.scan, A.grid, device="cpu:1x2").T(p)):
        with refused("projections of another scan than .*: column_pitch 9 mm and 4 mm"):
            call(gantry.Projections(y, other))
        call(gantry.Projections(y, A.scan.copy()))
    for call in (lambda v: A(v), lambda v: A @ v, lambda v: gantry.cgls(A, y, x0=v, iterations=1),
                 lambda v: gantry.Projector(A.scan, A.grid, device="cpu:1x2")(v),
                 lambda v: gantry.reconstruct(y, A.scan, A.grid, solver="cgls:iterations=1", init=v)):
        with refused(r"a volume on the grid 12x12x12@5x5x5, expected 12x12x12@2x2x2"):
            call(gantry.Volume(x, gantry.Grid(CUBE, 5.0)))
        call(gantry.Volume(x, gantry.Grid(CUBE, 2.0)))
    with refused("x: a gantry.Projections, expected a volume"):
        A(gantry.Projections(y, A.scan))
    with refused("grid"):
        gantry.Volume(x, A.grid) - gantry.Volume(x, gantry.Grid(CUBE, 5.0))


@pytest.mark.parametrize("kind", ["flat", "arc", "parallel", "helix"])
def test_differences_of_scans(kind):
    scan = tiny(kind)
    for name in ("source", "detector", "column_axis"):
        for step, found in ((1e-9, False), (1e-2, True)):
            other = scan.copy()
            other.views[name][5] += [step, -2 * step, 3 * step]
            assert bool(scan.difference(other)) is found, (name, step)
            assert not found or " of view 5 (" in scan.difference(other)
    shifted = gantry.correct_geometry(scan, column_offset=0.9)
    assert scan.difference(shifted) and not shifted.difference(shifted.copy())
    assert "shape" in scan.difference(scan.subset(0, 2))


def test_degrees():
    theta = np.arange(0, 180, 3.0)
    scan = gantry.parallel(np.deg2rad(theta), (1, 64), 1.0)
    for call in (lambda **k: gantry.parallel(theta, (1, 64), 1.0, **k),
                 lambda **k: gantry.circular(angles=theta, shape=(1, 64), pitch=1.0, source_to_axis=200, source_to_detector=400, **k),
                 lambda **k: gantry.circular(60, (1, 64), 1.0, 200, 400, turn=360, **k),
                 lambda **k: gantry.circular(60, (1, 64), 1.0, 200, 400, start_angle=-90, turn=6, **k),
                 lambda **k: gantry.helical(angles=np.arange(0, 720, 0.5), table_feed=10, shape=(4, 64), pitch=1.0, source_to_axis=200,
                                            source_to_detector=400, **k)):
        with refused("look like degrees, expected radians; angle_unit='deg' converts"):
            call()
        call(angle_unit="rad")
        assert np.abs(np.diff(call(angle_unit="deg").views["angle"])).max() < 0.11
    assert gantry.parallel(theta, (1, 64), 1.0, angle_unit="deg") == scan
    gantry.circular(60, 4, 1.0, 200, 400, start_angle=-np.pi, turn=-6 * np.pi)  # three rotations
    with refused("angle_unit 'grad'"):
        gantry.parallel(theta, (1, 64), 1.0, angle_unit="grad")


def test_masked_arrays(rng):
    A = cube()
    y = A(rng.random(A.domain_shape, np.float32))
    bad = y.copy()
    bad[2:5, 3, 4] = 1e6
    weights = np.where(bad > 1e5, 0, 1).astype(np.float32)
    masked = np.ma.masked_greater(bad, 1e5)
    found, expected = gantry.pcg(A, masked, iterations=4), gantry.pcg(A, np.where(weights, y, 0), weights=weights, iterations=4)
    assert np.array_equal(found.x, expected.x) and not np.allclose(found.x, gantry.pcg(A, bad, iterations=4).x)
    half = gantry.pcg(A, masked, weights=0.5 * np.ones_like(y), iterations=4)
    assert np.allclose(half.x, expected.x, rtol=1e-3, atol=1e-3 * expected.x.max())
    for call in (lambda: A.T(masked), lambda: gantry.fdk(masked, A.scan, A.grid), lambda: gantry.Projections(masked, A.scan),
                 lambda: gantry.reconstruct(masked, A.scan, A.grid, solver="fdk"), lambda: gantry.pcg(A, y, x0=masked, iterations=1),
                 lambda: gantry.parallel(np.ma.masked_greater(np.arange(4.0), 2), 4, 1.0)):
        with refused("masked, expected none"):
            call()
    assert np.array_equal(A.T(np.ma.array(y)), A.T(y))  # no element is masked


class Recorded(float):
    """A scalar tensor with gradients, converted by float()."""

    requires_grad = True


def test_gradients_of_a_geometry():
    t = tiny().views
    source = np.array(t["source"]).view(type("Tensor", (np.ndarray,), {"requires_grad": True}))
    for call in (lambda: gantry.circular(6, (5, 4), 4.0, Recorded(200), 400), lambda: gantry.circular(6, (5, 4), Recorded(4), 200, 400),
                 lambda: gantry.parallel([Recorded(0.1), Recorded(0.2)], 4, 1.0), lambda: gantry.Grid(4, (Recorded(1), 2, 3)),
                 lambda: gantry.from_views(source, t["detector"], t["column_axis"], t["row_axis"], (9, 31), 4.0),
                 lambda: gantry.correct_geometry(tiny(), roll=Recorded(0.1)), lambda: gantry.Phantom("shepp-logan", scale=Recorded(2))):
        with refused("a tensor that records gradients, which would be lost here"):
            call()
    with refused("x: a tensor that records gradients"):
        gantry.Projector(tiny(), GRID, device=DEVICE)(Recorded2(np.ones(GRID.shape, np.float32)))


class Recorded2:
    """A host tensor with gradients."""

    requires_grad = True

    def __init__(self, values):
        self.values = values

    def __dlpack_device__(self):
        return 1, 0


def test_modules_of_other_packages_are_reachable():
    import subprocess
    import sys

    code = "import gantry; assert callable(gantry.interop.astra.scan) and callable(gantry.interop.tigre.grid) and 'leap' in dir(gantry.interop)"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="expected one of astra, cil"):
        gantry.interop.nonsense
