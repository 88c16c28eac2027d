"""Scans and grids: numbers against formulas written out here, and there and back."""

import doctest
import pickle

import numpy as np
import pytest
from conftest import GRID, tiny

import gantry


def project(scan, view, point):
    """Where a point lands, by vectors alone: (row, column) of a flat detector."""
    t = scan.views[view]
    normal = np.cross(t["column_axis"], t["row_axis"])
    ray = point - t["source"]
    hit = t["source"] + ray * (np.dot(t["detector"] - t["source"], normal) / np.dot(ray, normal)) - t["detector"]
    return (np.dot(hit, t["row_axis"]) / scan.row_pitch + scan.row_center, np.dot(hit, t["column_axis"]) / scan.column_pitch + scan.column_center)


def test_a_circle_is_where_the_page_says():
    scan = gantry.circular(8, (5, 7), (2.0, 3.0), 500, 900, offset=(0.5, -1), start_angle=0.3)
    theta = 0.3 + 2 * np.pi * np.arange(8) / 8
    source = np.stack([-500 * np.sin(theta), 500 * np.cos(theta), 0 * theta], 1)
    assert np.allclose(scan.views["source"], source)
    assert np.allclose(scan.views["detector"], source * (500 - 900) / 500)
    assert np.allclose(scan.views["angle"], theta)
    assert (scan.row_center, scan.column_center) == (2.5, 2.0)
    assert (scan.row_pitch, scan.column_pitch, scan.source_to_axis, scan.source_to_detector) == (2, 3, 500, 900)


def test_a_helix_climbs():
    scan = gantry.helical(100, 2, 30.0, (4, 6), 2.0, 500, 1000, z_center=7)
    z = scan.views["source"][:, 2]
    assert scan.is_helical
    assert np.allclose(np.diff(z), 30 * 2 / 100)
    assert np.isclose((z[0] + z[-1]) / 2, 7)


def test_parallel_beams_at_any_angles():
    angles = np.array([1.0, 0.1, 2.5])
    scan = gantry.parallel(angles, (3, 4), 1.5)
    rays = scan.views["detector"] - scan.views["source"]
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    assert np.allclose(rays, np.stack([np.sin(angles), -np.cos(angles), 0 * angles], 1))


def test_views_and_matrices_there_and_back(rng):
    scan = tiny()
    t = scan.views
    same = gantry.from_views(t["source"], t["detector"], t["column_axis"], t["row_axis"], scan.shape[1:], (scan.row_pitch, scan.column_pitch),
                             center=(scan.row_center, scan.column_center), angle=t["angle"], source_to_detector=1000, source_to_axis=500)
    assert same == scan
    m = scan.matrices()
    point = np.array([11.0, -7.0, 5.0])
    for view in (0, 5, 17):
        c, r, w = m[view] @ [*point, 1]
        assert np.allclose((r / w, c / w), project(scan, view, point))
    back = gantry.from_matrices(m * rng.uniform(-2, 2, (len(scan), 1, 1)), scan.shape[1:], 1000)
    for view in (0, 9):
        assert np.allclose(project(back, view, point), project(scan, view, point), atol=1e-6)


def test_the_table_is_the_scan():
    scan = tiny().copy()
    scan.views["source"][3] += [1, 2, 3]
    assert scan != tiny()
    assert np.allclose(scan.views["source"][3] - tiny().views["source"][3], [1, 2, 3])
    table = tiny().copy().views
    assert np.allclose(table["source"], tiny().views["source"])  # the scan itself is only held by its table


@pytest.mark.parametrize("kind", ["flat", "arc", "parallel", "helix"])
def test_pickles(kind):
    scan = tiny(kind)
    assert pickle.loads(pickle.dumps(scan)) == scan
    assert pickle.loads(pickle.dumps(GRID)) == GRID


def test_grids():
    grid = gantry.Grid((3, 4, 5), (1.0, 2.0, 3.0), (10.0, 20.0, 30.0))
    assert str(grid) == "5x4x3@3x2x1+30,20,10"
    assert gantry.Grid.parse(str(grid)) == grid
    assert grid.shape == (3, 4, 5) and grid.pitch == (1, 2, 3) and grid.center == (10, 20, 30)
    assert np.allclose(grid.axis("z"), [9, 10, 11])
    assert np.allclose(grid.axis("x"), 30 + 3 * np.arange(-2, 3))
    assert gantry.Grid(4, 1.5) == gantry.Grid((4, 4, 4), (1.5, 1.5, 1.5))
    assert grid != gantry.Grid((3, 4, 5), 1.0)


def test_a_small_sphere_lands_where_the_formula_says():
    """The centre of mass of each view of a sphere off centre, against the vectors of the view."""
    scan = gantry.circular(7, (41, 61), 1.5, 400, 800, offset=(0.25, 0.75))
    grid = gantry.Grid(3, 2.0, (4.0, -9.0, 12.0))
    y = gantry.Projector(scan, grid, device="cpu:1")(np.ones(grid.shape, np.float32))
    rows, columns = np.mgrid[:41, :61]
    for view in range(7):
        weight = y[view] / y[view].sum()
        assert np.allclose([(rows * weight).sum(), (columns * weight).sum()], project(scan, view, np.array([12.0, -9.0, 4.0])), atol=0.05)


def test_scanners():
    assert "ge-ct750hd" in gantry.scanners()
    scan = gantry.scanner("ge-ct750hd", reduce=8)
    assert scan.detector == "arc" and scan.shape == (123, 8, 111)


def test_the_examples_of_the_docstrings():
    assert doctest.testmod(gantry.geometry).failed == 0
    assert doctest.testmod(gantry.geometry).attempted >= 2
