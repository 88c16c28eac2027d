"""Geometries of the ASTRA Toolbox, as its dictionaries describe them: cone, parallel3d, fanflat, parallel and their vectors (_vec).

A row of its vectors contains source (or ray direction), detector centre, column step and row step.
Its projections are [row][view][column]: np.transpose(p, (1, 0, 2)) converts to [view][row][column] and back, without a copy.
In two dimensions x[None] and sinogram[:, None] add the missing axis. Image rows of ASTRA then run from the largest y to the
smallest, so scans and grids are mirrored in y, and arrays keep their order.
"""

from __future__ import annotations

import json
import pathlib
import tempfile
from typing import Any

import numpy as np

from ..backend import Array
from ..errors import ArgumentError
from ..geometry import Grid, Scan
from ..geometry_files import write_geometry
from .described import described, row_height


SPACE, PLANE = ("cone", "parallel3d"), ("fanflat", "parallel")


def vectors(proj_geom: dict[str, Any]) -> Array:
    """Returns the geometry as rows of 12 numbers, one per view; in two dimensions with one detector row in the plane z = 0."""
    kind = proj_geom["type"]
    if kind not in (*SPACE, *PLANE, *(name + "_vec" for name in SPACE + PLANE)):
        raise ArgumentError(f"proj_geom: type {kind!r}, expected one of {', '.join(SPACE + PLANE)}, or one of these with _vec")
    flat = kind.startswith(PLANE) and not kind.startswith(SPACE)
    if kind.endswith("_vec"):
        rows = np.asarray(proj_geom["Vectors"], np.float64)
        return _in_space(kind, rows) if flat else rows
    theta = np.asarray(proj_geom["ProjectionAngles"], np.float64)
    steps = [proj_geom["DetectorWidth"]] if flat else [proj_geom["DetectorSpacingX"], proj_geom["DetectorSpacingY"]]
    near, far = (1.0, 0.0) if kind.startswith("parallel") else (proj_geom["DistanceOriginSource"], proj_geom["DistanceOriginDetector"])
    away, along = np.stack([np.sin(theta), -np.cos(theta)], 1), np.stack([np.cos(theta), np.sin(theta)], 1)
    plane = np.concatenate([near * away, -far * away, steps[0] * along], 1)
    if flat:
        return _in_space(kind, plane)
    rows = np.zeros((theta.size, 12))
    rows[:, [0, 1, 3, 4, 6, 7]], rows[:, 11] = plane, steps[1]
    return rows


def _in_space(kind: str, plane: Array) -> Array:
    """Converts vectors of the plane, x and y each, to space, mirrored in y."""
    rows = np.zeros((len(plane), 12))
    rows[:, [0, 1, 3, 4, 6, 7]] = plane * [1, -1, 1, -1, 1, -1]
    width, source, along = float(np.linalg.norm(plane[0, 4:])), plane[:, :2], plane[:, 2:4] - plane[:, :2]
    length = np.linalg.norm(along, axis=1)
    near = -np.sum(source * along, axis=1) / length
    rows[:, 11] = width if kind.startswith("parallel") else row_height(width, float(near.mean()), float(length.mean()))
    return rows


def scan(proj_geom: dict[str, Any]) -> Scan:
    """Makes the scan of a geometry with lengths in mm. All views need one pixel size, and rows perpendicular to columns.

    Parameters
    ----------
    proj_geom : dict
        A geometry of astra.create_proj_geom().

    Returns
    -------
    Scan

    Examples
    --------
    >>> gantry.interop.astra.scan({"type": "cone", "DetectorSpacingX": 2.0, "DetectorSpacingY": 2.0, "DetectorRowCount": 8, "DetectorColCount": 16,
    ...                            "ProjectionAngles": np.arange(5.0), "DistanceOriginSource": 300.0, "DistanceOriginDetector": 200.0})
    <gantry.Scan flat: 5 views of 8 rows x 16 columns, pitch 2 x 2 mm>
    """
    rows = vectors(proj_geom)
    kind = "parallel3d_vec" if proj_geom["type"].startswith("parallel") else "cone_vec"
    columns = proj_geom["DetectorColCount"] if "DetectorColCount" in proj_geom else proj_geom["DetectorCount"]
    return described("astra", {"type": kind, "DetectorRowCount": proj_geom.get("DetectorRowCount", 1), "DetectorColCount": columns, "Vectors": rows})


def grid(vol_geom: dict[str, Any]) -> Grid:
    """Makes the grid of a volume geometry; arrays are [z][y][x] in both packages. An image becomes one slice of cubic voxels.

    Parameters
    ----------
    vol_geom : dict
        A geometry of astra.create_vol_geom().

    Returns
    -------
    Grid
    """
    n = [vol_geom[k] for k in ("GridRowCount", "GridColCount")]
    low, high = ([vol_geom["option"][f"Window{end}{axis}"] for axis in "YX"] for end in ("Min", "Max"))
    if "GridSliceCount" not in vol_geom:
        thickness = (high[1] - low[1]) / n[1]
        return Grid([1, *n], [thickness, (high[0] - low[0]) / n[0], thickness], [0.0, -(low[0] + high[0]) / 2, (low[1] + high[1]) / 2])
    n.insert(0, vol_geom["GridSliceCount"])
    low.insert(0, vol_geom["option"]["WindowMinZ"])
    high.insert(0, vol_geom["option"]["WindowMaxZ"])
    return Grid(n, [(b - a) / k for a, b, k in zip(low, high, n)], [(a + b) / 2 for a, b in zip(low, high)])


def geometry(s: Scan) -> dict[str, Any]:
    """Converts a flat or parallel scan to a vector geometry of ASTRA."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "geometry.json")
        write_geometry(path, s, format="astra")
        found: dict[str, Any] = json.loads(path.read_text())
    return {**found, "Vectors": np.asarray(found["Vectors"], np.float64)}
