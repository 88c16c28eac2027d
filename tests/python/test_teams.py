"""Several devices: CPU ranks against one rank and against the command."""

import inspect
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


def test_a_team_does_what_one_does(rng):
    """Other methods of a Projector: subsets, precisions, devices, adjoint test."""
    one, team = gantry.Projector(tiny(), GRID, device="cpu:1"), gantry.Projector(tiny(), GRID, device="cpu:1+cpu:1")
    assert isinstance(team, gantry.Projector) and len(team.parts) == 2
    x, y = rng.random(GRID.shape, np.float32), rng.random(one.range_shape, np.float32)
    assert np.array_equal(team.forward(x), one(x)) and np.array_equal(team.adjoint(y), team.T(y)) and np.array_equal(team.H(y), team.T(y))
    for k, part in enumerate(team.subsets(5)):
        assert isinstance(part, gantry.TeamProjector) and np.array_equal(part(x), one(x)[k::5])
    double = team.astype(np.float64)
    assert double.device == team.device and double(x).dtype == np.float64
    assert team.mismatch() < 1e-6 and 0 < max(double.mismatch(seed) for seed in range(3, 8)) < 1e-14
    back = team.to("cpu:1")
    assert type(back) is gantry.Projector and np.array_equal(back.T(y), one.T(y))
    assert isinstance(one.to("cpu:1x3"), gantry.TeamProjector)


@pytest.mark.filterwarnings("ignore::gantry.Remark")
@pytest.mark.parametrize("kind, settings", [
    ("flat", {"solver": "fdk:filter=hann"}), ("arc", {"solver": "fdk", "split": "slices"}), ("parallel", {"solver": "fbp"}), ("helix", {"solver": "wfbp"}),
    ("flat", {"solver": "os-sart:iterations=2,subsets=4", "split": "views"}),
    ("flat", {"solver": "pcg:iterations=3", "penalty": "qggmrf:strength=20", "split": "slices"}),
    ("helix", {"solver": "fista:iterations=2", "penalty": "tv:strength=1e-3", "precision": "double"}),
    ("flat", {"preset": "iterative", "split": "views"})], ids=lambda v: v if isinstance(v, str) else next(iter(v.values())))
def test_the_command_and_python_agree_by_teams(kind, settings, command, tmp_path):
    scan = tiny(kind)
    p = gantry.Projections(gantry.add_noise(gantry.Phantom("shepp-logan", scale=0.3, shift=(1, 2, -1)).project(scan), 1e5, seed=4), scan)
    gantry.write(tmp_path / "p.nc", p)
    settings = {"backend": "cpu:1x3", **settings}
    command("recon", "p.nc", "-o", "v.nc", "--quiet", "--unit", "mm-1", "--grid", GRID, *[f"--{k}={v}" for k, v in settings.items()], cwd=tmp_path)
    expected = gantry.read_volume(tmp_path / "v.nc").data
    found = gantry.reconstruct(p, grid=GRID, **settings)
    assert found.result.backend == "cpu:1x3" and found.data.any()
    assert found.data.tobytes() == expected.tobytes()
    name, _, given = settings.get("solver", "").partition(":")
    if name in gantry.names("analytic"):
        out = np.empty(GRID.shape, np.float32)
        given = dict(item.split("=") for item in given.split(",") if item)
        assert gantry.analytic(name, p, grid=GRID, device="cpu:1x3", out=out, **given) is out
        one = gantry.analytic(name, p, grid=GRID, device="cpu:1", **given)
        assert np.allclose(out, one, rtol=0, atol=1e-5 * np.abs(one).max())
        if "split" not in settings:
            assert out.tobytes() == expected.tobytes()


DEVICES = {"Analytic", "MotionDerivative", "Projector", "TeamProjector", "analytic", "backend", "calibrate", "calibrate_jitter", "denoise", "prepare", "reconstruct",
           *map(lambda name: name.replace("-", "_"), gantry.names("analytic"))}


def test_who_takes_one_device_says_so():
    """Every function with a device or backend accepts several, or refuses them by name."""

    def takes(what):
        try:
            return {"device", "backend"} & set(inspect.signature(what).parameters)
        except (TypeError, ValueError):
            return False

    assert {name for name in gantry.__all__ if callable(getattr(gantry, name)) and takes(getattr(gantry, name))} | {"backend"} == DEVICES
    team, p = "cpu:1x2", gantry.Projections(np.ones(tiny().shape, np.float32), tiny())
    for call in (lambda: gantry.Backend(team), lambda: gantry.backend(team), lambda: gantry.Analytic(tiny(), GRID, device=team),
                 lambda: gantry.calibrate(p, backend=team), lambda: gantry.calibrate_jitter(p, backend=team),
                 lambda: gantry.prepare(p, bin=2, backend=team), lambda: gantry.denoise(p, "tv:strength=1", device=team)):
        with pytest.raises(gantry.ArgumentError, match="backend 'cpu:1x2': several devices, expected one, such as cpu:2 or cuda:0"):
            call()
    with pytest.raises(gantry.ArgumentError, match=r"dtype float64: expected float32 of several devices \(cpu:1x2\), or one device"):
        gantry.fdk(p, grid=GRID, device=team, dtype=np.float64)
    p.data[2, 3, 4] = np.nan
    with pytest.raises(gantry.ArgumentError, match=r"data: element \[2, 3, 4\] is nan"):
        gantry.fdk(p, grid=GRID, device=team)


def test_scans_together_by_a_team():
    """Two volumes with common edges: several devices give the result of one."""
    low, high = [gantry.Projections(gantry.Phantom("shepp-logan", scale=0.3, water=w).project(tiny()), tiny()) for w in (0.02, 0.028)]
    settings = {"grid": GRID, "solver": "fista:iterations=3", "penalty": "joint-tv:strength=1e-3", "precision": "double"}
    one, several = [gantry.reconstruct([low, high], backend=b, **settings) for b in ("cpu:1", "cpu:1x3")]
    for a, b in zip(one, several):
        assert a.data.any() and np.allclose(a.data, b.data, rtol=0, atol=1e-6 * np.abs(a.data).max())
    assert not np.allclose(several[0].data, several[1].data)


def test_names_of_teams():
    assert members("cpu:2x3") == ["cpu:2"] * 3 and members("cuda:0-2,5") == [f"cuda:{k}" for k in (0, 1, 2, 5)]
    for wrong in ("cpu:0x2", "cpu:x2", "cuda:0-", "cuda:a-b"):
        with pytest.raises(gantry.ArgumentError, match="expected cpu:THREADSxRANKS"):
            gantry.Projector(tiny(), GRID, device=wrong)
    assert members("cpu:1+cpu:2") == ["cpu:1", "cpu:2"] and members("cpu:2+cpu:1x2") == ["cpu:2", "cpu:1", "cpu:1"]
    with pytest.raises(gantry.ArgumentError, match="devices of one kind with [+] between"):
        gantry.Projector(tiny(), GRID, device="cpu:1+cuda:0")
    with pytest.raises(gantry.ArgumentError, match="device 'mpi:cpu:2': several processes"):
        gantry.Projector(tiny(), GRID, device="mpi:cpu:2")
    with pytest.raises(gantry.ArgumentError, match="expected each device once"):
        members("cuda:0-2,1")
    with pytest.raises(gantry.ArgumentError, match="25 devices for 24 views"):
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
    settings["solver"] = "hybrid-lsqr:iterations=4"
    one, team = (gantry.reconstruct(p, backend=b, **settings) for b in ("cpu:1", "cpu:1x2"))
    assert team.result.backend == "cpu:1x2" and np.allclose(team.data, one.data, rtol=0, atol=1e-6 * np.abs(one.data).max())
