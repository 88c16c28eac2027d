"""A projector as a physics of deepinv."""

import numpy as np
import pytest
from conftest import DEVICE, GRID, tiny

import gantry

torch = pytest.importorskip("torch", reason="PyTorch is not installed here", exc_type=ImportError)
deepinv = pytest.importorskip("deepinv", reason="deepinv is not installed here", exc_type=ImportError)


def test_physics():
    from gantry.interop.deepinv import Physics

    on = DEVICE if DEVICE.startswith("cuda") else "cpu"
    A = gantry.Projector(tiny(), GRID, device=DEVICE)
    physics = Physics(A, direct=True, filtering={"filter": "hann"})
    x = torch.rand(2, 1, *GRID.shape, device=on)
    y = physics(x)
    assert y.device == x.device and torch.equal(y, A(x)) and torch.equal(physics.A_adjoint(y), A.T(y))
    assert abs(physics.adjointness_test(x)) < 1e-3 * float((y**2).sum())
    v = physics.A_dagger(y)
    assert np.array_equal(v.cpu().numpy()[1, 0], gantry.analytic(None, y.cpu().numpy()[1, 0], A.scan, GRID, device=DEVICE, filter="hann"))
    y.requires_grad_()
    physics.A_dagger(y).sum().backward()
    assert y.grad.abs().sum() > 0
    with pytest.raises(gantry.ArgumentError, match="expected a gantry.Projector"):
        Physics(A.T)
