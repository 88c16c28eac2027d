"""Several devices at one volume: members on the CPU against one."""

import pickle

import numpy as np
import pytest
from conftest import GRID, tiny

import gantry
from gantry.team import members


@pytest.mark.parametrize("kind", ["flat", "helix"])
def test_projector_of_a_team(kind, rng):
    scan = tiny(kind)
    one, team = (gantry.Projector(scan, GRID, "sf-tr", device=d, dtype=np.float64) for d in ("cpu:1", "cpu:1x3"))
    assert isinstance(team, gantry.TeamProjector) and "cpu:1x3" in repr(team) and "cpu:1x3" in repr(team.T)
    x, y = rng.random((2, *GRID.shape)), rng.random((2, *scan.shape))
    assert np.array_equal(team(x), one(x))
    assert np.allclose(team.T(y), one.T(y), rtol=1e-13, atol=0) and np.array_equal(team.T(y), team.T(y))
    assert np.isclose(np.vdot(team(x), y), np.vdot(x, team.T(y)), rtol=1e-13)
    out = np.empty(scan.shape)
    assert team(x[0], out=out) is out and np.array_equal(team @ x[0].ravel(), out.ravel()) and team.T.T is team
    again = pickle.loads(pickle.dumps(team))
    assert np.array_equal(again(x[0]), out) and np.array_equal(pickle.loads(pickle.dumps(team.T))(out), team.T(out))
    with pytest.raises(gantry.ArgumentError, match=r"x: shape .*\[z\]\[y\]\[x\]"):
        team(y)


def test_names_of_teams():
    assert members("cpu:2x3") == ["cpu:2"] * 3 and members("cuda:0-2,5") == [f"cuda:{k}" for k in (0, 1, 2, 5)]
    for wrong in ("cpu:0x2", "cpu:x2", "cuda:0-", "cuda:a-b"):
        with pytest.raises(gantry.ArgumentError, match="expected cpu:THREADSxMEMBERS"):
            gantry.Projector(tiny(), GRID, device=wrong)
    with pytest.raises(gantry.ArgumentError, match="named twice"):
        members("cuda:0-2,1")
    with pytest.raises(gantry.ArgumentError, match="25 members for 24 views"):
        gantry.Projector(tiny(), GRID, device="cpu:1x25")
    with pytest.raises(gantry.ArgumentError, match="reconstruct.backend='cpu:1x2'. runs solvers on several"):
        gantry.cgls(gantry.Projector(tiny(), GRID, device="cpu:1x2"), np.ones(tiny().shape))
    with pytest.raises(gantry.ArgumentError, match="views 3 to 3"):
        tiny().run(3, 3)


@pytest.mark.filterwarnings("ignore::gantry.Remark")
def test_reconstruction_by_a_team():
    scan = tiny()
    p = gantry.Projections(gantry.Phantom("shepp-logan", scale=0.3).project(scan), scan)
    settings = {"grid": GRID, "solver": "os-sart:iterations=2,subsets=4", "precision": "double"}
    one = gantry.reconstruct(p, backend="cpu:1", **settings)
    for split in ("views", "slices"):
        team = gantry.reconstruct(p, backend="cpu:1x2", split=split, **settings)
        assert team.result.backend == "cpu:1x2" and np.allclose(team.data, one.data, rtol=0, atol=1e-8)
    with pytest.raises(gantry.Error, match="cannot run on several devices together"):
        gantry.reconstruct(p, backend="cpu:1x2", solver="hybrid-lsqr", grid=GRID)
