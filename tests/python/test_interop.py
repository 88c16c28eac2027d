"""Geometries of other packages: three off-centre spheres project to the positions given by the other package's vectors."""

import numpy as np
import pytest
from conftest import tiny

import gantry
from gantry.interop import astra

BODIES = np.array([[21.0, -13.0, 7.0], [-17.0, -9.0, -11.0], [4.0, 25.0, 3.0]])
ANGLES = np.linspace(0.3, 5.9, 9)


def cone(rng):
    n = len(ANGLES)
    tilt = rng.normal(0, 0.05, (n, 3))
    v = np.zeros((n, 12))
    for i, a in enumerate(ANGLES):
        along, up = np.array([np.cos(a), np.sin(a), 0]) + tilt[i], np.array([0.02, -0.03, 1.0])
        along /= np.linalg.norm(along)
        up -= along * (up @ along)
        v[i] = [*(400 * np.array([np.sin(a), -np.cos(a), 0.02])), *(-300 * np.array([np.sin(a), -np.cos(a), 0.05])), *(1.5 * along),
                *(2.5 * up / np.linalg.norm(up))]
    return {"type": "cone_vec", "DetectorRowCount": 61, "DetectorColCount": 121, "Vectors": v}


GEOMETRIES = {
    "cone_vec": cone,
    "cone": lambda rng: {"type": "cone", "DetectorSpacingX": 1.5, "DetectorSpacingY": 2.5, "DetectorRowCount": 61, "DetectorColCount": 121,
                         "ProjectionAngles": ANGLES, "DistanceOriginSource": 400.0, "DistanceOriginDetector": 300.0},
    "parallel3d": lambda rng: {"type": "parallel3d", "DetectorSpacingX": 1.0, "DetectorSpacingY": 1.2, "DetectorRowCount": 41,
                               "DetectorColCount": 91, "ProjectionAngles": ANGLES},
}


def lands(geometry, view, point):
    """(row, column) by the other definition: the ray through the point meets centre + a u + b v."""
    first, middle, u, v = astra.vectors(geometry)[view].reshape(4, 3)
    ray = first if geometry["type"].startswith("parallel") else point - first
    a, b, _ = np.linalg.solve(np.stack([u, v, -ray], 1), point - middle)
    return b + (geometry["DetectorRowCount"] - 1) / 2, a + (geometry["DetectorColCount"] - 1) / 2


@pytest.mark.parametrize("kind", list(GEOMETRIES))
def test_spheres_land_where_astra_says(kind, rng):
    geometry = GEOMETRIES[kind](rng)
    scan = astra.scan(geometry)
    rows, columns = np.mgrid[: scan.shape[1], : scan.shape[2]]
    for point in BODIES:
        x, y, z = point
        A = gantry.Projector(scan, gantry.Grid(3, 1.0, (z, y, x)), "sf-tr", device="cpu:1")
        p = A(np.ones((3, 3, 3), np.float32))
        for view in range(len(ANGLES)):
            weight = p[view] / p[view].sum()
            assert np.allclose([(rows * weight).sum(), (columns * weight).sum()], lands(geometry, view, point), atol=0.05), (view, point)


def test_parallel_beams_have_the_same_angles(rng):
    scan = astra.scan(GEOMETRIES["parallel3d"](rng))
    assert scan.difference(gantry.parallel(ANGLES, (41, 91), (1.2, 1.0))) == "" != scan.difference(gantry.parallel(-ANGLES, (41, 91), (1.2, 1.0)))


PLANE = {
    "parallel": {"type": "parallel", "DetectorWidth": 1.3, "DetectorCount": 121, "ProjectionAngles": ANGLES},
    "fanflat": {"type": "fanflat", "DetectorWidth": 1.5, "DetectorCount": 141, "ProjectionAngles": ANGLES, "DistanceOriginSource": 150.0,
                "DistanceOriginDetector": 90.0},
}
IMAGE = {"GridRowCount": 60, "GridColCount": 64, "option": {"WindowMinX": -28.0, "WindowMaxX": 36.0, "WindowMinY": -38.0, "WindowMaxY": 22.0}}


def plane_vectors(geometry):
    """Source or ray direction, detector centre and column step of each view, x and y each, by ASTRA's definition."""
    s, c = np.sin(ANGLES), np.cos(ANGLES)
    near, far = geometry.get("DistanceOriginSource", 1.0), geometry.get("DistanceOriginDetector", 0.0)
    return np.stack([near * s, -near * c, -far * s, far * c, geometry["DetectorWidth"] * c, geometry["DetectorWidth"] * s], 1)


@pytest.mark.parametrize("vec", [False, True])
@pytest.mark.parametrize("kind", list(PLANE))
def test_images_and_sinograms(kind, vec):
    """The first row of an image is at the largest y."""
    geometry, found = PLANE[kind], plane_vectors(PLANE[kind])
    given = {"type": kind + "_vec", "DetectorCount": geometry["DetectorCount"], "Vectors": found} if vec else geometry
    A = gantry.Projector(astra.scan(given), astra.grid(IMAGE), "siddon", device="cpu:1")
    image = np.zeros(A.domain_shape, np.float32)
    image[0, 11, 47] = 1
    point = np.array([-28.0 + 47.5, 22.0 - 11.5])
    sinogram, columns = A(image)[:, 0], np.arange(geometry["DetectorCount"])
    for view, v in enumerate(found):
        ray = v[:2] if kind == "parallel" else point - v[:2]
        a, _ = np.linalg.solve(np.stack([v[4:], -ray], 1), point - v[2:4])
        assert np.isclose((columns * sinogram[view]).sum() / sinogram[view].sum(), a + (len(columns) - 1) / 2, atol=0.8), view
    image[0, 5:55, 10:60] = 1  # the rays stay within the slice: their lengths are those in the plane
    assert np.isclose(A(image).max(), np.hypot(50, 50), rtol=0.1)


@pytest.mark.parametrize("kind", list(PLANE))
def test_the_toolbox_projects_images_the_same(kind, rng):
    toolbox = pytest.importorskip("astra", reason="the ASTRA Toolbox is not installed here", exc_type=ImportError)
    volume = toolbox.create_vol_geom(60, 64, -28.0, 36.0, -38.0, 22.0)
    assert astra.grid(volume) == astra.grid(IMAGE)
    image = rng.random((60, 64), np.float32)
    for geometry in (PLANE[kind], toolbox.geom_2vec(PLANE[kind])):
        projector = toolbox.create_projector("line_fanflat" if kind == "fanflat" else "line", geometry, volume)
        kept, theirs = toolbox.create_sino(image, projector)
        toolbox.data2d.delete(kept)
        ours = gantry.Projector(astra.scan(geometry), astra.grid(volume), "siddon", device="cpu:1")(image[None])[:, 0]
        assert np.linalg.norm(theirs - ours) < 1e-4 * np.linalg.norm(ours)


@pytest.mark.parametrize("kind", ["flat", "parallel"])
def test_there_and_back(kind):
    scan = tiny(kind)
    back = astra.scan(astra.geometry(scan))
    x = np.random.default_rng(3).random((7, 20, 23)).astype(np.float32)
    grid = gantry.Grid((7, 20, 23), 2.0, (0.5, 1, -1))
    a, b = (gantry.Projector(s, grid, device="cpu:1")(x) for s in (scan, back))
    assert np.allclose(a, b, atol=1e-3 * a.max())
    assert np.allclose(np.diff(back.views["angle"]), np.diff(scan.views["angle"]))
    full = gantry.Phantom("shepp-logan", scale=0.3).project(back)
    assert gantry.analytic(None, full, back, grid, device="cpu:1").mean() > 0.001  # angles and distances serve analytic methods


def test_what_is_refused(rng):
    with pytest.raises(gantry.ArgumentError, match="proj_geom: type 'sparse_matrix', expected one of cone, parallel3d, fanflat, parallel"):
        astra.scan({"type": "sparse_matrix"})
    geometry = cone(rng)
    geometry["Vectors"][4, 6:9] *= 1.1
    with pytest.raises(gantry.UnsupportedError, match="view 4: column pitch 1.65 mm: expected 1.5 mm"):
        astra.scan(geometry)
    with pytest.raises(gantry.Error, match="arc"):
        astra.geometry(tiny("arc"))


def test_live_objects():
    """The package itself: its vectors of a circular scan, and the grid of an off-centre volume."""
    toolbox = pytest.importorskip("astra", reason="the ASTRA Toolbox is not installed here", exc_type=ImportError)
    for kind in ("cone", "parallel3d"):
        more = (400.0, 300.0) if kind == "cone" else ()
        geometry = toolbox.create_proj_geom(kind, 1.5, 2.5, 61, 121, ANGLES, *more)
        expected = toolbox.geom_2vec(geometry)["Vectors"]
        assert np.allclose(astra.vectors(geometry)[:, 3:], expected[:, 3:])
        scale = 1 if kind == "cone" else np.linalg.norm(expected[0, :3])
        assert np.allclose(astra.vectors(geometry)[:, :3] * scale, expected[:, :3])
    volume = toolbox.create_vol_geom(20, 30, 10, -45.0, 15.0, -10.0, 30.0, 5.0, 35.0)
    assert astra.grid(volume) == gantry.Grid((10, 20, 30), (3.0, 2.0, 2.0), (20.0, 10.0, -15.0))


@pytest.mark.parametrize("kind", list(GEOMETRIES))
def test_the_toolbox_projects_the_same(kind, rng):
    """Its own projector, which samples like joseph but with textures: three balls in an off-centre, asymmetric volume."""
    toolbox = pytest.importorskip("astra", reason="the ASTRA Toolbox is not installed here", exc_type=ImportError)
    if not toolbox.use_cuda():
        pytest.skip("the ASTRA Toolbox projects three dimensions on a GPU alone, and finds none")
    geometry = GEOMETRIES[kind](rng)
    volume = toolbox.create_vol_geom(31, 27, 23, -24.0, 30.0, -35.0, 27.0, -20.0, 26.0)
    grid = astra.grid(volume)
    z, y, x = (grid.axis(a) for a in "zyx")
    balls = np.zeros(grid.shape, np.float32)
    for middle, radius in zip(np.array([[14, -12, 6], [-9, -11, -8], [3, 15, 2]]), (9.0, 7.0, 8.0)):
        d2 = (z[:, None, None] - middle[2])**2 + (y[:, None] - middle[1])**2 + (x - middle[0])**2
        balls += np.maximum(1 - d2 / radius**2, 0).astype(np.float32)
    kept, theirs = toolbox.create_sino3d_gpu(balls, geometry, volume)
    toolbox.data3d.delete(kept)
    ours = gantry.Projector(astra.scan(geometry), grid, "joseph", device="cpu:1")(balls)
    error = np.linalg.norm(np.transpose(theirs, (1, 0, 2)) - ours) / np.linalg.norm(ours)
    assert error < 5e-3, error
    assert np.linalg.norm(theirs[::-1].transpose(1, 0, 2) - ours) > 0.2 * np.linalg.norm(ours)
