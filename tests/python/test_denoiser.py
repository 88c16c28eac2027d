"""A Python function as a proximal step of the library's solvers."""

import numpy as np
import pytest
from conftest import DEVICE, GRID, tiny

import gantry


@pytest.fixture(scope="module", params=[np.float32, np.float64])
def scene(request):
    A = gantry.Projector(tiny(), GRID, device=DEVICE, dtype=request.param)
    return A, gantry.add_noise(gantry.Phantom("shepp-logan", scale=0.35).project(tiny()), 1e4, seed=3)


def shrink(z, t):
    """The proximal step of |x|^2/2, with a known minimum."""
    return z / (1 + t)


def test_pnp_reaches_the_minimum_of_a_known_penalty(scene):
    A, p = scene
    r = gantry.pnp_fista(A, p, penalty=gantry.Denoiser(shrink), bounds=(-np.inf, None), iterations=600)
    x = r.x.astype(np.float64)
    gradient = A.T(A(r.x) - p.astype(A.dtype)).astype(np.float64) + x
    assert np.abs(gradient).max() < 1e-4 * np.abs(A.T(p.astype(A.dtype))).max()
    assert np.abs(x).max() > 1e-4


def test_what_is_given_and_taken(scene):
    A, p = scene
    seen = []

    def look(z, t):
        assert z.shape == GRID.shape and z.dtype == A.dtype and t > 0
        with pytest.raises(ValueError, match="read-only"):
            z[0] = 1
        seen.append(t)
        return z.astype(np.float64).tolist()

    gantry.pnp_fista(A, p, penalty=gantry.Denoiser(look), iterations=3)
    assert len(seen) == 3
    assert repr(gantry.Denoiser(look)) == "Denoiser(look)"


def test_refusals(scene):
    A, p = scene

    def fails(z, t):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        gantry.pnp_fista(A, p, penalty=gantry.Denoiser(fails), iterations=3)
    with pytest.raises(gantry.ArgumentError, match=r"result of half: shape \(3, 20, 23\), expected \(7, 20, 23\)"):
        gantry.pnp_fista(A, p, penalty=gantry.Denoiser(lambda z, t: z[:3], "half"), iterations=3)
    with pytest.raises(gantry.Error, match="holes"):
        gantry.pnp_fista(A, p, penalty=gantry.Denoiser(lambda z, t: z * np.nan, "holes"), iterations=3)
    with pytest.raises(gantry.ArgumentError, match="expected a callable"):
        gantry.Denoiser(3)
    with pytest.raises(gantry.ArgumentError, match="does not accept functions"):
        gantry.reconstruct(p, A.scan, GRID, solver="pnp-fista", penalty=gantry.Denoiser(shrink).spec)
    assert gantry.pnp_fista(A, p, penalty=gantry.Denoiser(shrink), iterations=2).iterations == 2
