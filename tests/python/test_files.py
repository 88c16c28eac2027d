"""Files written and read, whole and by views."""

import pickle

import numpy as np
import pytest
from conftest import DEVICE, GRID, tiny

import gantry

pytestmark = pytest.mark.filterwarnings("ignore::gantry.Remark")


@pytest.fixture
def projections(rng):
    scan = tiny()
    data = rng.random(scan.shape, np.float32)
    return gantry.Projections(data, scan, weights=rng.random(scan.shape, np.float32), photons=1e4 * (1 + rng.random(scan.shape, np.float32)),
                              water=0.021, position="FFP")


def test_memory_is_shared_and_kept(rng):
    data = rng.random(tiny().shape, np.float32)
    p = gantry.Projections(data, tiny())
    assert p.data is data
    volume = gantry.reconstruct(p, grid=GRID, backend=DEVICE)
    voxels = volume.data
    expected = voxels.copy()
    del volume, p, data
    assert np.array_equal(voxels, expected)


def test_projections(tmp_path, projections):
    gantry.write(tmp_path / "scan.nc", projections)
    back = gantry.read(tmp_path / "scan.nc")
    assert isinstance(back, gantry.Projections)
    assert np.array_equal(back.data, projections.data) and np.array_equal(back.photons, projections.photons)
    assert back.scan == projections.scan and back.water == 0.021 and back.position == "FFP"
    assert gantry.read_projections(tmp_path / "scan.nc", without_statistics=True).photons is None
    assert not gantry.read_projections(tmp_path / "scan.nc", geometry_only=True).has_data
    data = back.data
    del back
    assert np.array_equal(data, projections.data)


def test_projections_by_views(tmp_path, projections):
    gantry.write(tmp_path / "scan.nc", projections)
    views = gantry.open(tmp_path / "scan.nc")
    assert views.shape == projections.data.shape
    for piece in (slice(3, 9), 5, -1, slice(None, None, 7), slice(20, 2, -4), slice(9, 3), slice(None)):
        assert np.array_equal(views[piece], projections.data[piece])
    with pytest.raises(IndexError):
        views[99]


@pytest.mark.parametrize("name, tolerance", [("v.nc", 0), ("v.mha", 0), ("v.nii", 1e-7), ("v.nii.gz", 1e-7), ("series/", 2e-5)])
def test_volumes(tmp_path, rng, name, tolerance):
    grid = gantry.Grid((5, 6, 7), (1.5, 1.25, 1.25), (3.0, -2.0, 4.0))
    v = gantry.Volume(0.02 * rng.random(grid.shape, np.float32), grid, water=0.02)
    path = f"{tmp_path}/{name}"
    try:
        gantry.write(path, v)
    except gantry.UnsupportedError as error:
        pytest.skip(str(error))
    back = gantry.read(path, center=False)
    assert isinstance(back, gantry.Volume) and back.grid == grid
    assert np.abs(back.data - v.data).max() <= tolerance


def test_units(tmp_path, rng):
    v = gantry.Volume(0.02 * rng.random(GRID.shape, np.float32), GRID, water=0.019)
    assert np.allclose(v.hu, 1000 * (v.data - 0.019) / 0.019, atol=1e-3)
    gantry.write(tmp_path / "v.mha", v, unit="HU")
    assert np.allclose(gantry.read(tmp_path / "v.mha", unit="HU", water=0.019).data, v.data, atol=1e-6)


def test_pickles(projections, rng):
    back = pickle.loads(pickle.dumps(projections))
    assert np.array_equal(back.data, projections.data) and np.array_equal(back.weights, projections.weights) and back.position == "FFP"
    v = gantry.Volume(rng.random(GRID.shape, np.float32), GRID, position="HFP")
    again = pickle.loads(pickle.dumps(v))
    assert np.array_equal(again.data, v.data) and again.grid == v.grid and again.position == "HFP"


def test_a_run_from_file_to_file(tmp_path, projections):
    gantry.write(tmp_path / "scan.nc", projections)
    how = gantry.reconstruct_to(tmp_path / "scan.nc", tmp_path / "v.nc", solver="fdk", grid=GRID, backend=DEVICE)
    assert how.iterations == 0 and "fdk" in how.parameters
    v = gantry.reconstruct(tmp_path / "scan.nc", solver="fdk", grid=GRID, backend=DEVICE)
    assert np.array_equal(gantry.read(tmp_path / "v.nc").data, v.data)


def test_a_setting_that_has_no_keyword_of_its_own(tmp_path, projections):
    gantry.write(tmp_path / "like.nc", gantry.Volume(np.zeros(GRID.shape), GRID))
    v = gantry.reconstruct(projections, solver="fdk", like=tmp_path / "like.nc", backend=DEVICE)
    assert v.grid == GRID and np.array_equal(v.data, gantry.reconstruct(projections, solver="fdk", grid=GRID, backend=DEVICE).data)


def test_the_formats_of_the_library():
    assert {"netcdf", "metaimage", "nifti"} <= set(gantry.formats())
