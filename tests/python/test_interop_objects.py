"""Live objects of TIGRE, LEAP, CIL and ODL: projections of three off-centre balls through the converted objects, against line
integrals by each program's documented convention.

ODL and the ASTRA Toolbox are the real packages if they are installed; the others, which pip lacks, are stand-ins with the documented
members.
"""

from types import SimpleNamespace

import numpy as np
import pytest

import gantry
from gantry.interop import cil, leap, odl, tigre

CENTERS = np.array([[9.0, -6.0, 4.0], [-8.0, -5.0, -6.0], [3.0, 11.0, 1.0]])  # x, y, z
RADII, DENSITIES = np.array([7.0, 6.0, 5.0]), np.array([1.0, 1.7, 2.3])
ANGLES = np.array([0.3, 1.1, 1.9, 2.9, 4.0, 5.3])


def turn_z(a):
    c, s = np.cos(a), np.sin(a)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def turn_y(a):
    c, s = np.cos(a), np.sin(a)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def line_integrals(pixel, first, parallel=False, centers=CENTERS):
    """Line integrals of the balls, with density 1 - (r/R)^2, to pixel [..., 3] from a source or along a direction."""
    along = np.broadcast_to(first, pixel.shape) if parallel else pixel - first
    along = along / np.linalg.norm(along, axis=-1, keepdims=True)
    total = np.zeros(pixel.shape[:-1])
    for middle, radius, density in zip(centers, RADII, DENSITIES):
        off = np.cross(pixel - middle, along)
        half = np.sqrt(np.maximum(radius**2 - (off**2).sum(-1), 0))
        total += density * 4 / 3 * half**3 / radius**2
    return total


def balls(grid):
    """Voxels [z][y][x], as means of 3 x 3 x 3 points."""
    total = np.zeros(grid.shape)
    steps = [[(k - 1) / 3 * d for k in range(3)] for d in grid.pitch]
    z, y, x = (grid.axis(a) for a in "zyx")
    for dz, dy, dx in np.stack(np.meshgrid(*steps), -1).reshape(-1, 3):
        for middle, radius, density in zip(CENTERS, RADII, DENSITIES):
            d2 = (z[:, None, None] + dz - middle[2])**2 + (y[:, None] + dy - middle[1])**2 + (x + dx - middle[0])**2
            total += density * np.maximum(1 - d2 / radius**2, 0) / 27
    return total.astype(np.float32)


def agree(scan, grid, expected):
    found = gantry.Projector(scan, grid, "joseph", device="cpu:1")(balls(grid))

    def error(e):
        return np.linalg.norm(found - e) / np.linalg.norm(e)

    assert found.shape == expected.shape
    assert error(expected) < 0.045, error(expected)
    # Detects half a column and any reversal.
    assert error((expected + np.roll(expected, 1, 2)) / 2) > 0.1
    assert min(error(np.flip(expected, a)) for a in range(3) if expected.shape[a] > 1) > 0.2


# TIGRE ------------------------------------------------------------------

def tigre_geometry():
    return SimpleNamespace(mode="cone", DSO=300.0, DSD=480.0, nDetector=np.array([38, 46]), dDetector=np.array([1.6, 1.8]),
                           nVoxel=np.array([30, 40, 44]), dVoxel=np.array([1.1, 1.0, 0.9]), offOrigin=np.array([1.0, -2.0, 1.5]),
                           offDetector=np.array([2.5, -3.5]), rotDetector=np.zeros(3), COR=1.3)


def by_tigre(geo, angles):
    rows, columns = geo.nDetector
    v, u = np.meshgrid((np.arange(rows) - (rows - 1) / 2) * geo.dDetector[0] + geo.offDetector[0],
                       (np.arange(columns) - (columns - 1) / 2) * geo.dDetector[1] + geo.offDetector[1], indexing="ij")
    out = []
    for alpha, beta, psi in angles:
        R = turn_z(alpha) @ turn_y(beta) @ turn_z(psi)
        pixel = np.stack([np.full_like(u, geo.DSO - geo.DSD), u + geo.COR, v], -1) @ R.T
        out.append(line_integrals(pixel, R @ [geo.DSO, geo.COR, 0]))
    return np.array(out)


def test_tigre():
    geo = tigre_geometry()
    flat = np.stack([ANGLES, 0 * ANGLES, 0 * ANGLES], 1)
    agree(tigre.scan(geo, ANGLES), tigre.grid(geo), by_tigre(geo, flat))
    euler = np.stack([ANGLES, 0.2 * np.sin(ANGLES), 0.1 * np.cos(ANGLES)], 1)
    agree(tigre.scan(geo, euler), tigre.grid(geo), by_tigre(geo, euler))
    # as after TIGRE's check_geo(): values repeated for each view
    n = len(ANGLES)
    checked = SimpleNamespace(**{**vars(geo), "DSO": np.full(n, 300.0), "DSD": np.full(n, 480.0), "COR": np.full(n, 1.3), "angles": flat,
                                 **{k: np.tile(getattr(geo, k), (n, 1)) for k in ("offDetector", "rotDetector", "offOrigin")}})
    assert tigre.scan(checked) == tigre.scan(geo, ANGLES) and tigre.grid(checked) == tigre.grid(geo)
    with pytest.raises(gantry.ArgumentError, match="DSO: from 300 to 301, expected one"):
        tigre.scan(SimpleNamespace(**{**vars(geo), "DSO": np.linspace(300, 301, n)}), ANGLES)
    with pytest.raises(gantry.FormatError, match="geometry of tigre: DSO is 300 and DSD 200"):
        tigre.scan(SimpleNamespace(**{**vars(geo), "DSD": 200.0}), ANGLES)
    with pytest.raises(gantry.ArgumentError, match="angles: None"):
        tigre.scan(SimpleNamespace(**{**vars(geo), "angles": None}))


# LEAP -------------------------------------------------------------------

class Leap:
    """leapctype.tomographicModels, reduced to its get_ functions."""

    def __init__(self, **values):
        volume = {"numX": 44, "numY": 40, "numZ": 30, "voxelWidth": 1.0, "voxelHeight": 1.1, "offsetX": 1.5, "offsetY": -2.0, "z0": -14.0}
        detector = {"numAngles": len(ANGLES), "numRows": 38, "numCols": 46, "pixelHeight": 1.6, "pixelWidth": 1.8, "centerRow": 17.1,
                    "centerCol": 24.3}
        angles = np.float32(np.degrees(ANGLES))
        self.values = {**volume, **detector, "angles": angles, "sod": 300.0, "sdd": 480.0, "tau": 1.7, "helicalPitch": 0.0,
                       "detectorType": "FLAT", **values}

    def __getattr__(self, name):
        if name.startswith("get_") and name[4:] in self.values:
            return lambda: self.values[name[4:]]
        raise AttributeError(name)


def by_leap(m, z=0.0):
    g, out = m.values, []
    t, s = ((np.arange(g["numCols"]) - g["centerCol"]) * g["pixelWidth"], (np.arange(g["numRows"]) - g["centerRow"]) * g["pixelHeight"])
    s, t = np.meshgrid(s, t, indexing="ij")
    for i, phi in enumerate(np.radians(g["angles"].astype(float)) - np.pi / 2):
        theta, across = np.array([np.cos(phi), np.sin(phi), 0]), np.array([-np.sin(phi), np.cos(phi), 0])
        up = np.array([0, 0, np.broadcast_to(z, len(ANGLES))[i]])
        if g["geometry"] == "PARALLEL":
            out.append(line_integrals(t[..., None] * across + s[..., None] * [0, 0, 1], -theta, parallel=True))
            continue
        source = g["sod"] * theta - g["tau"] * across + up
        pixel = source - g["sdd"] * theta + t[..., None] * across + s[..., None] * [0, 0, 1]
        out.append(line_integrals(pixel, source))
    return np.array(out)


def test_leap():
    for kind in ("CONE", "PARALLEL"):
        m = Leap(geometry=kind, **({"pixelWidth": 1.1, "pixelHeight": 1.0} if kind == "PARALLEL" else {}))
        agree(leap.scan(m), leap.grid(m), by_leap(m))
    # a helix, with LEAP's first source at get_z_source_offset()
    h = 1.5
    m = Leap(geometry="CONE", helicalPitch=h, z_source_offset=-5.0)
    rise = -5.0 + h * np.radians(m.values["angles"] - m.values["angles"][0])
    agree(leap.scan(m), leap.grid(m), by_leap(m, rise))
    # the same circle as modular beams with LEAP's float vectors
    circle = Leap(geometry="CONE")
    table = leap.scan(circle).views
    vectors = {"sourcePositions": table["source"], "moduleCenters": table["detector"], "rowVectors": table["row_axis"],
               "colVectors": table["column_axis"]}
    m = Leap(geometry="MODULAR", **{k: v.astype(np.float32) for k, v in vectors.items()})
    agree(leap.scan(m), leap.grid(m), by_leap(circle))
    assert leap.scan(Leap(geometry="FAN", numRows=1, centerRow=0.0)).shape == (6, 1, 46)
    with pytest.raises(gantry.UnsupportedError, match="a fan beam of 38 rows with centerRow=17.1: its rays stay in their slices"):
        leap.scan(Leap(geometry="FAN"))
    with pytest.raises(gantry.ArgumentError, match="pitchAngle: 2, expected 0"):
        leap.scan(Leap(geometry="CONE", pitchAngle=2.0))
    with pytest.raises(gantry.Error, match="geometry is 'unknown', expected cone"):
        leap.scan(Leap(geometry="UNKNOWN"))


# CIL --------------------------------------------------------------------

def acquisition(origin="bottom-left", parallel=False, unit="degree", **system):
    part = SimpleNamespace
    parts = {"detector": part(position=np.array([2.0, 180.0, -1.0]), direction_x=np.array([0.98, 0.0, 0.199]),
                              direction_y=np.array([-0.199, 0.0, 0.98])),
             "rotation_axis": part(position=np.array([1.0, 0.5, 0.0]), direction=np.array([0.0, 0.0, 1.0]))}
    parts["ray" if parallel else "source"] = part(direction=np.array([0.1, 1.0, 0.05])) if parallel else part(position=np.array([-1.0, -300.0, 2.0]))
    angles = part(angle_data=np.degrees(ANGLES) if unit == "degree" else ANGLES, initial_angle=20.0 if unit == "degree" else 0.3, angle_unit=unit)
    pitch = (1.1, 1.0) if parallel else (1.8, 1.6)
    return part(config=part(system=part(**{**parts, **system}), angles=angles, panel=part(num_pixels=(46, 38), pixel_size=pitch, origin=origin)))


def by_cil(ag):
    """Source and panel are fixed; the object rotates about the axis."""
    system, panel, angles = ag.config.system, ag.config.panel, ag.config.angles
    factor = np.pi / 180 if angles.angle_unit == "degree" else 1
    column, row = (np.arange(n) - (n - 1) / 2 for n in panel.num_pixels)
    vertical, horizontal = panel.origin.split("-")
    column, row = column[::1 if horizontal == "left" else -1], row[::1 if vertical == "bottom" else -1]
    b, a = np.meshgrid(row * panel.pixel_size[1], column * panel.pixel_size[0], indexing="ij")
    unit = [v / np.linalg.norm(v) for v in (system.detector.direction_x, system.detector.direction_y)]
    pixel = system.detector.position + a[..., None] * unit[0] + b[..., None] * unit[1]
    parallel = hasattr(system, "ray")
    out = []
    for angle in (angles.angle_data + angles.initial_angle) * factor:
        turned = CENTERS @ turn_z(angle).T + system.rotation_axis.position
        out.append(line_integrals(pixel, system.ray.direction if parallel else system.source.position, parallel, turned))
    return np.array(out)


IMAGE = SimpleNamespace(voxel_num_x=44, voxel_num_y=40, voxel_num_z=30, voxel_size_x=0.9, voxel_size_y=1.0, voxel_size_z=1.1,
                        center_x=1.5, center_y=-2.0, center_z=1.0)


@pytest.mark.parametrize("ag", [acquisition(), acquisition("top-right"), acquisition("bottom-right", unit="radian"),
                                acquisition("top-left", parallel=True)],
                         ids=["cone", "top-right", "radian", "parallel"])
def test_cil(ag):
    agree(cil.scan(ag), cil.grid(IMAGE), by_cil(ag))


def test_cil_units_and_planes():
    scan, large = cil.scan(acquisition()), cil.scan(acquisition(), length_unit=0.5)
    assert np.isclose(large.column_pitch, 0.5 * scan.column_pitch) and cil.grid(IMAGE, 2.0).pitch == (2.2, 2.0, 1.8)
    part = SimpleNamespace
    plane = acquisition(source=part(position=[0.0, -300.0]), detector=part(position=[2.0, 180.0], direction_x=[1.0, 0.0]),
                        rotation_axis=part(position=[1.0, 0.0]))
    plane.config.panel.num_pixels = (46, 1)
    scan = cil.scan(plane)
    assert scan.shape == (len(ANGLES), 1, 46) and np.allclose(scan.views["source"][:, 2], 0) and np.isclose(scan.source_to_axis, 300, atol=0.1)
    assert np.isclose(scan.row_pitch, 0.5 * 1.8 * 300 / 480, rtol=1e-3)  # at the axis half of a column
    with pytest.raises(gantry.ArgumentError, match=r"without source.position or ray.direction"):
        cil.scan(part(config=part(system=part(), panel=None, angles=None)))


# ODL --------------------------------------------------------------------

class OdlCone:
    """A ConeBeamGeometry of the documented defaults: at angle 0 the source is at (0, -src_radius, 0), the detector's axes are x and z."""

    ndim, angles = 3, ANGLES
    det_partition = SimpleNamespace(shape=(46, 38), cell_sides=np.array([1.8, 1.6]), is_uniform=True)
    det_params = SimpleNamespace(mid_pt=np.array([2.0, -1.5]))
    detector = SimpleNamespace(axes=np.array([[1.0, 0, 0], [0, 0, 1]]))

    def src_position(self, angles):
        return np.array([turn_z(a) @ [0, -300, 0] for a in angles])

    def det_axes(self, angles):
        return np.array([self.detector.axes @ turn_z(a).T for a in angles])

    def det_point_position(self, angles, point):
        return np.array([turn_z(a) @ ([0, 180, 0] + point @ self.detector.axes) for a in angles])


def by_odl():
    column, row = ((np.arange(n) - (n - 1) / 2) * d + m for n, d, m in zip((46, 38), (1.8, 1.6), (2.0, -1.5)))
    s, t = np.meshgrid(row, column, indexing="ij")
    pixel = np.stack([t, np.full_like(t, 180), s], -1)
    return np.array([line_integrals(pixel @ turn_z(a).T, turn_z(a) @ [0, -300, 0]) for a in ANGLES])


def odl_space():
    low, high, n = np.array([-20.0, -22.0, -15.0]), np.array([22.0, 20.0, 17.0]), (42, 42, 32)
    return low, high, n


def test_odl():
    low, high, n = odl_space()
    part = SimpleNamespace(shape=n, cell_sides=(high - low) / n, mid_pt=(low + high) / 2)
    agree(odl.scan(OdlCone()), odl.grid(SimpleNamespace(partition=part)), by_odl())
    curved = OdlCone()
    curved.detector = SimpleNamespace(axes=1, radius=3)
    with pytest.raises(gantry.ArgumentError, match="expected a flat detector"):
        odl.scan(curved)


def test_odl_itself():
    package = pytest.importorskip("odl", reason="ODL is not installed here", exc_type=ImportError)
    tomo = pytest.importorskip("odl.applications.tomo", reason="an ODL without odl.applications", exc_type=ImportError)
    low, high, n = odl_space()
    space = package.uniform_discr(low, high, n)
    angles = package.nonuniform_partition(ANGLES)
    side = np.array([46 * 1.8, 38 * 1.6]) / 2
    panel = package.uniform_partition([2.0, -1.5] - side, [2.0, -1.5] + side, (46, 38))
    agree(odl.scan(tomo.ConeBeamGeometry(angles, panel, src_radius=300, det_radius=180)), odl.grid(space), by_odl())
    scan = odl.scan(tomo.Parallel3dAxisGeometry(angles, package.uniform_partition([-25, -20], [25, 20], (50, 41))))
    v, u = np.meshgrid(np.linspace(-20, 20, 41, endpoint=False) + 20 / 41, np.arange(50) - 24.5, indexing="ij")
    pixel = np.stack([u, 0 * u, v], -1)
    agree(scan, odl.grid(space), np.array([line_integrals(pixel @ turn_z(a).T, turn_z(a) @ [0, 1, 0], True) for a in ANGLES]))
    fan = odl.scan(tomo.FanBeamGeometry(angles, package.uniform_partition(-30, 34, 32), src_radius=300, det_radius=180))
    assert fan.shape == (6, 1, 32) and np.allclose(np.linalg.norm(fan.views["source"], axis=1), 300)
