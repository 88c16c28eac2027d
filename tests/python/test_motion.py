"""Moved scans and derivatives by the motions of the views, in NumPy and as gradients of PyTorch."""

import os

import numpy as np
import pytest

import gantry

DEVICE = os.environ.get("GT_BACKEND", "cpu:2")
ON = DEVICE if DEVICE.startswith("cuda") else "cpu"
GRID = gantry.Grid((5, 7, 6), (3.1, 3.3, 3.7), (0.5, 1, -1))
SCANS = {"flat": lambda: gantry.circular(4, (4, 6), 7.0, 500, 1000, offset=(0.2, 0.3)),
         "arc": lambda: gantry.circular(4, (4, 6), 7.0, 500, 1000, detector="arc", offset=(0.2, 0.3)),
         "parallel": lambda: gantry.parallel([0.2, 0.7, 1.1, 2.9], (4, 6), 4.0)}
ANGLES = [gantry.MOTIONS.index(name) for name in ("tilt", "slant", "roll")]


def motion_of(rng, scan, scale=0.3):
    motion = scale * rng.normal(size=(len(scan), 9))
    motion[:, ANGLES] *= 0.02
    return motion


@pytest.mark.parametrize("model", ["joseph", "dd", "sf-tr"])
@pytest.mark.parametrize("kind", list(SCANS))
def test_against_central_differences(kind, model, rng):
    scan, x = SCANS[kind](), rng.random(GRID.shape)
    at, step = motion_of(rng, scan), motion_of(rng, scan, 1.0)

    def project(motion):
        return gantry.Projector(gantry.moved(scan, motion), GRID, model, device=DEVICE, dtype=np.float64)(x)

    D = gantry.MotionDerivative(scan, GRID, x, at, model, device=DEVICE, dtype=np.float64)
    expected = (project(at + 1e-5 * step) - project(at - 1e-5 * step)) / 2e-5
    assert np.linalg.norm(D(step) - expected) < 1e-4 * np.linalg.norm(expected)
    y = rng.normal(size=D.range_shape)
    assert np.vdot(D(step), y) == pytest.approx(np.vdot(step, D.T(y)), rel=1e-11)
    assert D.T.T(step).tolist() == D(step).tolist()


def test_wrong_arguments(rng):
    scan, x = SCANS["flat"](), rng.random(GRID.shape, np.float32)
    with pytest.raises(gantry.ArgumentError, match=r"motion: shape \(3, 9\), expected \(4, 9\)"):
        gantry.moved(scan, np.zeros((3, 9)))
    bad = np.zeros((4, 9))
    bad[2, 4] = np.nan
    with pytest.raises(gantry.ArgumentError, match="motion: slant of view 2 is nan, expected a finite value"):
        gantry.moved(scan, bad)
    bad[2, 2], bad[2, 4] = -1000, 0
    with pytest.raises(gantry.FormatError, match=r"detector of view 2 is at its source"):
        gantry.MotionDerivative(scan, GRID, x, bad, device=DEVICE)
    bad[2], bad[0, 6:] = 0, -scan.views["source"][0]
    with pytest.raises(gantry.ArgumentError, match=r"holds the source of view 0"):
        gantry.MotionDerivative(scan, GRID, x, bad, device=DEVICE)
    with pytest.raises(gantry.UnsupportedError, match="projector siddon: has no derivative by the geometry"):
        gantry.MotionDerivative(scan, GRID, x, model="siddon", device=DEVICE)
    with pytest.raises(gantry.ArgumentError, match=r"volume: shape \(2, 7, 6\), expected \(5, 7, 6\)"):
        gantry.MotionDerivative(scan, GRID, x[:2], device=DEVICE)
    x[1, 2, 3] = np.inf
    with pytest.raises(gantry.ArgumentError, match=r"volume: element \[1, 2, 3\] is inf"):
        gantry.MotionDerivative(scan, GRID, x, device=DEVICE)


@pytest.mark.parametrize("kind", list(SCANS))
def test_gradients_of_pytorch(kind, rng):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed here")
    from gantry.torch import MovingProjector

    scan = SCANS[kind]()
    project = MovingProjector(scan, GRID, dtype="float64", device=DEVICE)
    x = torch.tensor(rng.random(GRID.shape), device=ON, requires_grad=True)
    motion = torch.tensor(motion_of(rng, scan), requires_grad=True)
    assert torch.autograd.gradcheck(project, (x, motion), eps=1e-6, atol=1e-6, rtol=1e-4)
    with pytest.raises(gantry.ArgumentError, match="x: torch.float32 of shape"):
        project(x.float(), motion)
    with pytest.raises(gantry.ArgumentError, match=r"motion: shape \(4, 8\)"):
        project(x, motion[:, :8])


@pytest.mark.parametrize("model", ["joseph", "dd", "sf-tr"])
def test_second_derivatives_of_pytorch(model, rng):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed here")
    from gantry.torch import MovingProjector

    scan, grid = gantry.circular(3, (3, 4), 7.0, 500, 1000, offset=(0.2, 0.3)), gantry.Grid((3, 4, 3), 4.1, (0.5, 1, -1))
    project = MovingProjector(scan, grid, model, dtype="float64", device=DEVICE)
    x, g = (torch.tensor(rng.random(shape), device=ON, requires_grad=True) for shape in (grid.shape, scan.shape))
    motion = torch.tensor(motion_of(rng, scan), requires_grad=True)
    near = {"eps": 1e-6, "atol": 1e-6, "rtol": 1e-4}

    def gradient(by, g, motion):
        return torch.autograd.grad(project(x, motion), by(x, motion), g, create_graph=True)[0]

    assert torch.autograd.gradgradcheck(lambda x: project(x, motion.detach()), (x,), **near)
    assert torch.autograd.gradcheck(lambda g, motion: gradient(lambda x, _: x, g, motion), (g, motion), **near)
    assert torch.autograd.gradcheck(lambda g: gradient(lambda _, motion: motion, g, motion), (g,), **near)
    by_motion = gradient(lambda _, motion: motion, g, motion).square().sum()
    for leaf, name in ((x, "volume"), (motion, "motion")):
        with pytest.raises(gantry.UnsupportedError, match=f"by the motion has no derivative by the {name}"):
            torch.autograd.grad(by_motion, leaf, retain_graph=True)
    with pytest.raises(gantry.UnsupportedError, match="by the motion has no derivative by the"):
        torch.autograd.gradgradcheck(project, (x, motion), **near)


def test_a_shift_is_found_by_descent(rng):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed here")
    from gantry.torch import MovingProjector

    scan = gantry.circular(8, (8, 12), 6.0, 500, 1000)
    grid = gantry.Grid((8, 12, 12), 3.0)
    z, y, x = np.meshgrid(*(np.linspace(-1, 1, n) for n in grid.shape), indexing="ij")
    volume = torch.tensor(0.02 * np.exp(-((x - 0.1) ** 2 + 2 * (y + 0.2) ** 2 + 3 * z ** 2) / 0.2), device=ON)
    project = MovingProjector(scan, grid, dtype="float64", device=DEVICE)
    truth = torch.zeros(8, 9, dtype=torch.float64)
    truth[:, 0], truth[:, 1] = torch.tensor(rng.normal(size=8)), torch.tensor(rng.normal(size=8))
    measured = project(volume, truth)
    motion = torch.zeros_like(truth, requires_grad=True)
    optimiser = torch.optim.LBFGS([motion], max_iter=60, line_search_fn="strong_wolfe")
    chosen = torch.zeros_like(truth)
    chosen[:, :2] = 1

    def closure():
        optimiser.zero_grad()
        loss = (project(volume, motion * chosen) - measured).square().sum() * 1e4
        loss.backward()
        return loss

    optimiser.step(closure)
    assert float((motion.detach() - truth)[:, :2].abs().max()) < 0.02
