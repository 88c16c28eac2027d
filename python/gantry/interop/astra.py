"""Geometries of the ASTRA Toolbox, as its dictionaries describe them: cone, cone_vec, parallel3d, parallel3d_vec.

A row of its vectors contains source (or ray direction), detector centre, column step and row step.
Its projections are [row][view][column]: np.transpose(p, (1, 0, 2)) converts to [view][row][column] and back, without a copy.
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
from .described import described


def vectors(proj_geom: dict[str, Any]) -> Array:
    """Returns the geometry as rows of 12 numbers, one per view."""
    kind = proj_geom["type"]
    if kind in ("cone_vec", "parallel3d_vec"):
        return np.asarray(proj_geom["Vectors"], np.float64)
    if kind not in ("cone", "parallel3d"):
        raise ArgumentError(f"a geometry of type {kind!r}, expected cone, cone_vec, parallel3d or parallel3d_vec")
    theta = np.asarray(proj_geom["ProjectionAngles"], np.float64)
    zero, away = np.zeros_like(theta), np.stack([np.sin(theta), -np.cos(theta), np.zeros_like(theta)], 1)
    near, far = (proj_geom["DistanceOriginSource"], proj_geom["DistanceOriginDetector"]) if kind == "cone" else (1.0, 0.0)
    along = proj_geom["DetectorSpacingX"] * np.stack([np.cos(theta), np.sin(theta), zero], 1)
    up = np.stack([zero, zero, np.full_like(theta, proj_geom["DetectorSpacingY"])], 1)
    return np.concatenate([near * away, -far * away, along, up], 1)


def scan(proj_geom: dict[str, Any]) -> Scan:
    """Makes the scan of a geometry with lengths in mm. All views need one pixel size, and rows perpendicular to columns."""
    rows = vectors(proj_geom)
    kind = "parallel3d_vec" if proj_geom["type"].startswith("parallel") else "cone_vec"
    return described("astra", {"type": kind, "DetectorRowCount": proj_geom["DetectorRowCount"], "DetectorColCount": proj_geom["DetectorColCount"],
                               "Vectors": rows})


def grid(vol_geom: dict[str, Any]) -> Grid:
    """Makes the grid of a volume geometry; arrays are [z][y][x] in both packages."""
    n = [vol_geom[k] for k in ("GridSliceCount", "GridRowCount", "GridColCount")]
    low, high = ([vol_geom["option"][f"Window{end}{axis}"] for axis in "ZYX"] for end in ("Min", "Max"))
    return Grid(n, [(b - a) / k for a, b, k in zip(low, high, n)], [(a + b) / 2 for a, b in zip(low, high)])


def geometry(s: Scan) -> dict[str, Any]:
    """Converts a flat or parallel scan to a vector geometry of ASTRA."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "geometry.json")
        write_geometry(path, s, format="astra")
        found: dict[str, Any] = json.loads(path.read_text())
    return {**found, "Vectors": np.asarray(found["Vectors"], np.float64)}
