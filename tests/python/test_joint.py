"""Joint reconstruction of several scans: bit-identical to `gantry recon a.nc b.nc`."""

import numpy as np
import pytest
from conftest import DEVICE, tiny

import gantry

pytestmark = pytest.mark.filterwarnings("ignore::gantry.Remark")
SETTINGS = {"backend": DEVICE, "solver": "fista:iterations=3,prox=yes", "penalty": "joint-tv:strength=0.3"}


@pytest.fixture(scope="module")
def scans(tmp_path_factory):
    folder = tmp_path_factory.mktemp("joint")
    paths = [folder / "low.nc", folder / "high.nc"]
    for path, photons in zip(paths, (300, 1e5)):
        body = gantry.Phantom("shepp-logan", scale=0.35, shift=(0.5, 3, -2)).project(tiny())
        gantry.write(path, gantry.Projections(gantry.add_noise(body, photons, seed=3), tiny()))
    return paths


@pytest.mark.parametrize("grid", ["20x18x6@4x4.5x3.5+1,-2,0.5", None])
def test_together_as_by_the_command(scans, command, tmp_path, grid):
    extra = [] if grid is None else ["--grid", grid]
    command("recon", *scans, "-o", "v.nc", "-q", *extra, *[f"--{key}={value}" for key, value in SETTINGS.items()], cwd=tmp_path)
    expected = [gantry.read_volume(tmp_path / f"v-{i}.nc") for i in (1, 2)]
    loaded = [gantry.read_projections(path) for path in scans]
    for given in (scans, tuple(loaded)):
        found = gantry.reconstruct(given, grid=grid, **SETTINGS)
        assert isinstance(found, list) and [v.grid for v in found] == [v.grid for v in expected]
        assert [v.data.tobytes() for v in found] == [v.data.tobytes() for v in expected]
        assert [v.result.iterations for v in found] == [3, 3]
    alone = gantry.reconstruct(loaded[0], grid=grid, **{**SETTINGS, "penalty": "tv:strength=0.3"})
    assert not np.array_equal(found[0].data, alone.data)


def test_arrays_starts_and_callbacks(scans):
    grid = gantry.Grid((5, 14, 15), 6.0)
    p = [gantry.read_projections(path) for path in scans]
    zero, fdk = np.zeros(grid.shape), [gantry.fdk(one, grid=grid, device=DEVICE) for one in p]
    expected = gantry.reconstruct(p, grid=grid, init=fdk, **SETTINGS)
    steps = []
    found = gantry.reconstruct([one.data for one in p], p[0].scan, grid, init=fdk, callback=lambda s: steps.append(s.phase), **SETTINGS)
    assert [v.data.tobytes() for v in found] == [v.data.tobytes() for v in expected] and steps.count("iteration") == 3
    stopped = gantry.reconstruct(p, grid=grid, callback=lambda s: s.phase == "iteration" and s.iteration == 2, **SETTINGS)
    assert [(v.result.iterations, v.result.stopped, v.result.reason) for v in stopped] == [(2, True, "interrupted")] * 2
    assert stopped[0].result.cost == stopped[1].result.cost and len(stopped[1].result.cost) == 2
    assert gantry.reconstruct(p, grid=grid, init=[zero, fdk[1]], **SETTINGS)[0].data.tobytes() != expected[0].data.tobytes()
    as_lists = gantry.reconstruct(p[0].data.tolist(), p[0].scan, grid, solver="fdk", backend=DEVICE)  # one scan, written as a list
    assert isinstance(as_lists, gantry.Volume)


def test_what_cannot_be_together(scans, tmp_path):
    p = [gantry.read_projections(path) for path in scans]
    for change, words in (({"penalty": None}, "no penalty"), ({"solver": "fdk", "penalty": None}, "analytic method"),
                          ({"init": [None]}, "init: 1, expected one for each of 2 scans")):
        with pytest.raises(gantry.ArgumentError, match=words):
            gantry.reconstruct(p, grid=gantry.Grid((5, 14, 15), 6.0), **{**SETTINGS, **change})
    with pytest.raises(gantry.ArgumentError, match="scan: the projections have their own"):
        gantry.reconstruct(p, [q.scan for q in p], **SETTINGS)
    with pytest.raises(gantry.ArgumentError, match="several scans, expected one"):
        gantry.reconstruct_to(p, tmp_path / "v.nc", **SETTINGS)
    assert gantry.reconstruct(p[:1], grid=gantry.Grid((5, 14, 15), 6.0), **SETTINGS)[0].data.any()
