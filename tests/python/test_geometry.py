"""Scans and grids: values against formulas, and conversions in both directions."""

import pickle

import numpy as np
import pytest
from conftest import GRID, tiny

import gantry


def project(scan, view, point):
    """Projects a point by vectors alone: (row, column) of a flat detector."""
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
    """The centre of mass of an off-centre sphere in each view, against the vectors of the view."""
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


@pytest.mark.parametrize("detector", ["flat", "arc", "parallel"])
def test_circles_by_angles(detector):
    """Equal to a number of views if the angles are the same; else a rotation per view."""
    common = {"shape": (5, 7), "pitch": (2.0, 3.0), "source_to_axis": 500, "source_to_detector": 900, "detector": detector, "offset": (0.5, -1)}
    theta = 0.3 + 2 * np.pi * np.arange(8) / 8
    by_views = gantry.circular(8, **common, start_angle=0.3)
    assert not by_views.difference(gantry.circular(angles=theta, **common))
    mixed = theta[[3, 0, 6, 1]]
    assert not by_views.difference(gantry.circular(angles=mixed[[1, 3]].tolist() + theta[2:].tolist(), **common))
    scan = gantry.circular(angles=np.rad2deg(mixed), angle_unit="deg", **common)
    assert np.allclose(scan.views["angle"], mixed) and np.allclose(scan.views["source"], by_views.views["source"][[3, 0, 6, 1]])
    assert (scan.source_to_axis, scan.source_to_detector) == (by_views.source_to_axis, by_views.source_to_detector)


@pytest.mark.parametrize("feed", [30.0, -12.5])
def test_helices_by_angles(feed):
    common = {"table_feed": feed, "shape": (4, 6), "pitch": 2.0, "source_to_axis": 500, "source_to_detector": 1000, "z_center": 7}
    theta = 0.4 + 4 * np.pi * np.arange(100) / 100
    by_turns = gantry.helical(100, 2, start_angle=0.4, **common)
    by_angles = gantry.helical(angles=theta, **common)
    assert not by_turns.difference(by_angles) and by_angles.is_helical and by_angles.pitch_per_turn == by_turns.pitch_per_turn


@pytest.mark.parametrize("make", [lambda **k: gantry.circular(6, (9, 31), (2.5, 4.0), 500, 1000, **k),
                                  lambda **k: gantry.circular(angles=np.arange(6.0), shape=(9, 31), pitch=(2.5, 4.0), source_to_axis=500,
                                                              source_to_detector=1000, **k),
                                  lambda **k: gantry.parallel(np.arange(6.0), (9, 31), (2.5, 4.0), **k),
                                  lambda **k: gantry.helical(60, 1, 12.0, (9, 31), (2.5, 4.0), 500, 1000, detector="flat", **k)])
def test_offsets_of_each_view(make, rng):
    """Each view has the values of a scan in which all views have its offset."""
    views = len(make())
    offsets = rng.uniform(-2, 2, (views, 2))
    x = rng.random(GRID.shape, np.float32)
    y = gantry.Projector(make(offset=offsets), GRID, device="cpu:2")(x)
    for view in (0, 2, views - 1):
        alone = gantry.Projector(make(offset=offsets[view]).run(view, view + 1), GRID, device="cpu:2")(x)[0]
        assert np.allclose(y[view], alone, rtol=1e-4, atol=1e-3 * alone.max())
    assert not make(offset=np.tile([0.3, -0.7], (views, 1))).difference(make(offset=(0.3, -0.7)))


def test_rows_of_each_view_of_an_arc():
    offsets = np.stack([np.linspace(-1, 1, 24), np.zeros(24)], 1)
    scan = gantry.circular(24, (9, 31), (2.5, 4.0), 500, 1000, detector="arc", offset=offsets)
    assert np.allclose(scan.views["detector"][:, 2], -2.5 * offsets[:, 0])
    with pytest.raises(gantry.UnsupportedError, match="columns per view of an arc detector"):
        gantry.circular(24, (9, 31), (2.5, 4.0), 500, 1000, detector="arc", offset=offsets + 1)


def test_wrong_arguments_of_orbits():
    known = {"shape": (4, 6), "pitch": 2.0, "source_to_axis": 500, "source_to_detector": 1000}
    for call, kind, words in ((lambda: gantry.circular(np.arange(3.0), **known), ValueError, r"views: a numpy.ndarray of shape \(3,\).*angles= takes"),
                              (lambda: gantry.circular(angles=np.arange(3.0), views=3, **known), TypeError, "expected one of the two"),
                              (lambda: gantry.circular(**known), TypeError, "expected one of the two"),
                              (lambda: gantry.circular(3, (4, 6), 2.0), TypeError, "misses source_to_axis, source_to_detector"),
                              (lambda: gantry.circular(angles=np.arange(3.0), turn=2.0, **known), ValueError, "turn: given with angles="),
                              (lambda: gantry.circular(angles=[0, np.nan], **known), ValueError, "angles: element 1 is not finite"),
                              (lambda: gantry.circular(angles=0.3, **known), ValueError, "expected one number per view"),
                              (lambda: gantry.circular(3, offset=np.zeros((4, 2)), **known), ValueError, r"offset: shape \(4, 2\), .*\(3, 2\)"),
                              (lambda: gantry.circular(3, (4, 6), 2.0, "500", 1000), ValueError, "source_to_axis: '500', expected a number"),
                              (lambda: gantry.circular(3, (4.5, 6), 2.0, 500, 1000), ValueError, "shape: 4.5, 6, expected whole numbers"),
                              (lambda: gantry.circular(3.5, **known), ValueError, "views: 3.5, expected whole"),
                              (lambda: gantry.helical(9, table_feed=3.0, **known), TypeError, "misses turns"),
                              (lambda: gantry.parallel(["a", "b"], 4, 1.0), ValueError, "angles: a list of dtype .*, expected real numbers"),
                              (lambda: gantry.Grid((4, None, 4), 1), ValueError, "shape: a tuple of dtype object"),
                              (lambda: gantry.scanner(3), ValueError, "scanner 3: expected one of")):
        with pytest.raises(kind, match=words):
            call()
