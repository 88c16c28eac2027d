"""Volumes and projections in xarray and napari: values, positions, units."""

import importlib.metadata

import numpy as np
import pytest
from conftest import GRID, tiny

import gantry
from gantry.napari import layers, reader


@pytest.fixture
def volume(rng):
    return gantry.Volume(rng.random(GRID.shape, np.float32), GRID, water=0.021, position="FFS")


def test_a_volume_in_xarray(volume):
    pytest.importorskip("xarray")
    found = volume.to_xarray()
    assert np.shares_memory(found.values, volume.data)
    assert found.dims == ("z", "y", "x") and found.attrs == {"units": "mm-1", "water": pytest.approx(0.021), "position": "FFS"}
    # the centre of the first voxel is half a grid minus half a voxel from the centre; y is the second axis
    assert float(found.y[0]) == pytest.approx(-1.2 - 0.5 * 19 * 2.1) and float(found.x[22]) == pytest.approx(2.1 + 0.5 * 22 * 2.3)
    near = found.sel(z=0.8, y=-1.2 + 1.05, x=2.1, method="nearest")
    assert float(near) in volume.data[3, 9:12, 11]


def test_projections_in_xarray(rng):
    pytest.importorskip("xarray")
    p = gantry.Projections(rng.random(tiny().shape, np.float32), tiny())
    found = p.to_xarray()
    assert found.dims == ("view", "row", "column") and np.shares_memory(found.values, p.data)
    assert np.allclose(found.angle, tiny().views["angle"])


def test_napari_finds_and_reads_them(volume, rng, tmp_path):
    assert any(e.value == "gantry:napari.yaml" for e in importlib.metadata.entry_points(group="napari.manifest"))
    gantry.write(tmp_path / "v.nc", volume)
    gantry.write(tmp_path / "p.nc", gantry.Projections(rng.random(tiny().shape, np.float32), tiny()))
    assert reader(str(tmp_path / "v.nc")) is layers and reader("v.doc") is None
    (data, shown, kind), (views, as_shown, _) = layers([str(tmp_path / "v.nc"), str(tmp_path / "p.nc")])
    assert kind == "image" and np.array_equal(data, volume.data) and shown["scale"] == pytest.approx((1.9, 2.1, 2.3))
    # napari's position of voxel (6, 0, 22)
    place = np.array(shown["translate"]) + np.array(shown["scale"]) * (6, 0, 22)
    assert place == pytest.approx((0.8 + 3 * 1.9, -1.2 - 9.5 * 2.1, 2.1 + 11 * 2.3))
    assert views.shape == tiny().shape and "scale" not in as_shown
