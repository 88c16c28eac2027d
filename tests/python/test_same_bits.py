"""reconstruct() is bit-identical to `gantry recon` for every solver, penalty, analytic method and preset."""

import numpy as np
import pytest
from conftest import DEVICE, tiny

import gantry

FEW = {"backend": DEVICE, "grid": "20x18x6@4x4.5x3.5+1,-2,0.5"}
SOLVERS = {name: {"solver": f"{name}:iterations=2"} for name in gantry.names("solver")}
SOLVERS["asd-pocs"] = {"solver": "asd-pocs:iterations=2", "penalty": "tv:strength=1"}
COMPUTES = ("os-sart", "sirt", "sart", "cgls", "pcg", "fista", "os-sqs", "lsqr", "pdhg", "asd-pocs", "fdk", "fbp", "wfbp")
CASES = [pytest.param("flat", s, id=s["solver"]) for s in SOLVERS.values()]
CASES += [pytest.param("flat", {"solver": f"{'pdhg' if name == 'tv' else 'pcg'}:iterations=2", "penalty": f"{name}:strength=20"}, id=name)
          for name in gantry.names("regularizer")]
CASES += [pytest.param(kind, {"solver": name}, id=name) for kind, name in (("flat", "fdk"), ("parallel", "fbp"), ("helix", "wfbp"))]
CASES += [pytest.param("flat", {"preset": name}, id="preset-" + name) for name in ("none", "fast", "iterative")]
CASES += [pytest.param("flat", {"solver": "cgls", "penalty": "huber:strength=3"}, id="refused")]
CASES += [pytest.param("arc", {"solver": "pcg:iterations=2", "precision": "double", "weights": "noise", "init": "zero", "padding": True,
                               "projector": "sf-tr", "penalty": "huber:noise=60HU"}, id="many-settings")]


@pytest.fixture(scope="module")
def scans(tmp_path_factory):
    """A file of noisy projections for each kind of scan."""
    folder = tmp_path_factory.mktemp("scans")
    body = gantry.Phantom("shepp-logan", scale=0.35, shift=(0.5, 3, -2), rotate=0.3)
    for kind in ("flat", "arc", "parallel", "helix"):
        scan = tiny(kind)
        data = gantry.add_noise(body.project(scan), 1e5, seed=3)
        gantry.write(folder / f"{kind}.nc", gantry.Projections(data, scan))
    return folder


def words(value):
    return ("yes" if value else "no") if isinstance(value, bool) else value


@pytest.mark.filterwarnings("ignore::gantry.Remark")
@pytest.mark.parametrize("kind, settings", CASES)
def test_the_command_and_python_agree(scans, command, tmp_path, kind, settings):
    settings = {**FEW, **settings}
    projections = gantry.read_projections(scans / f"{kind}.nc")
    refused = command("recon", scans / f"{kind}.nc", "-o", "volume.nc", "--quiet", "--unit", "mm-1",
                      *[f"--{key}={words(value)}" for key, value in settings.items()], cwd=tmp_path, may_refuse=True)
    if refused:  # some methods need more than these settings
        assert settings["solver"].partition(":")[0] not in COMPUTES or "penalty" in settings
        with pytest.raises(gantry.Error) as error:
            gantry.reconstruct(projections, **settings)
        assert str(error.value) in refused
        return
    expected = gantry.read_volume(tmp_path / "volume.nc")
    found = gantry.reconstruct(projections, **settings)
    assert found.grid == expected.grid
    assert found.data.tobytes() == expected.data.tobytes()
    assert found.data.any()
    again = gantry.reconstruct(np.array(projections.data), projections.scan, **settings) if kind == "flat" else found
    assert again.data.tobytes() == expected.data.tobytes()


def test_every_method_penalty_and_preset_is_there():
    texts = " ".join(str(case.values[1]) for case in CASES)
    for kind in ("solver", "analytic", "regularizer"):
        for name in gantry.names(kind):
            assert name in texts


@pytest.mark.filterwarnings("ignore::gantry.Remark")
def test_another_setting_gives_other_bits(scans):
    p = gantry.read_projections(scans / "flat.nc")
    a, b = (gantry.reconstruct(p, solver=f"fdk:filter={f}", **FEW).data for f in ("hann", "ram-lak"))
    assert not np.array_equal(a, b)


@pytest.mark.filterwarnings("ignore::gantry.Remark")
def test_solvers_on_arrays_agree_with_the_command(scans, command, tmp_path):
    """gantry.pcg() with a Projector and the settings of the command."""
    p, grid = gantry.read_projections(scans / "flat.nc"), gantry.Grid.parse(FEW["grid"])
    command("recon", scans / "flat.nc", "-o", "v.nc", "-q", "--grid", FEW["grid"], "--backend", DEVICE, "--padding", "no", "--outside", "no", "--init", "fdk",
            "--solver", "os-sqs:iterations=3,subsets=4", "--penalty", "qggmrf:strength=100,c=10HU", cwd=tmp_path)
    A = gantry.Projector(p.scan, grid, device=DEVICE)
    r = gantry.os_sqs(A, p, x0=gantry.fdk(p, grid=grid, device=DEVICE), penalty=gantry.qggmrf(strength=100, c="10HU"), iterations=3, subsets=4)
    assert r.x.tobytes() == gantry.read_volume(tmp_path / "v.nc").data.tobytes()


def test_denoising_agrees_with_the_command(scans, command, tmp_path, rng):
    v = gantry.Volume(0.02 + 1e-3 * rng.normal(size=(5, 12, 11)).astype(np.float32), gantry.Grid((5, 12, 11), (2.0, 1.5, 1.4)), water=0.019)
    w = gantry.Volume(v.data[::-1].copy(), v.grid, water=0.019)
    gantry.write(tmp_path / "v.nc", v)
    gantry.write(tmp_path / "w.nc", w)
    before = v.data.copy()
    for penalty, given in (("tv:strength=2e-4", {}), ("nlm:h=20HU", {}), ("huber:strength=100", {"iterations": 20, "nonneg": True, "precision": "double"})):
        options = [word for k, value in given.items() for word in ([f"--{k}"] if value is True else [f"--{k}={value}"])]
        command("denoise", "v.nc", "-o", "d.nc", "--penalty", penalty, "--backend", DEVICE, *options, "--unit", "mm-1", cwd=tmp_path)
        found = gantry.denoise(v, penalty, device=DEVICE, **given)
        assert found.data.tobytes() == gantry.read_volume(tmp_path / "d.nc").data.tobytes() != before.tobytes()
        assert np.array_equal(v.data, before) and found.water == v.water and found.data.std() < before.std()
    command("denoise", "v.nc", "w.nc", "-o", "d.nc", "--penalty", "joint-tv:strength=4e-4", "--backend", DEVICE, "--unit", "mm-1", cwd=tmp_path)
    for k, found in enumerate(gantry.denoise([v, w], gantry.Penalty("joint-tv", strength=4e-4), device=DEVICE)):
        assert found.data.tobytes() == gantry.read_volume(tmp_path / f"d-{k + 1}.nc").data.tobytes()
    p = gantry.read_projections(scans / "flat.nc")
    command("denoise", scans / "flat.nc", "-o", "q.nc", "--penalty", "tv:strength=0.02,z=0", "--backend", DEVICE, cwd=tmp_path)
    assert gantry.denoise(p, "tv:strength=0.02,z=0", device=DEVICE).data.tobytes() == gantry.read_projections(tmp_path / "q.nc").data.tobytes()
