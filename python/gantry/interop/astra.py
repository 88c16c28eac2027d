"""Geometries of the ASTRA Toolbox, as its dictionaries describe them: cone, cone_vec, parallel3d, parallel3d_vec.

Rows of its vectors are source (or the direction of the rays), middle of the detector, step from column to column, step from row to
row. Its projections are [row][view][column]: np.transpose(p, (1, 0, 2)) is [view][row][column], without a copy, and back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backend import Array
from ..errors import ArgumentError
from ..geometry import Grid, Scan, from_views


def vectors(proj_geom: dict[str, Any]) -> Array:
    """The geometry as rows of 12 numbers, one per view."""
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
    """The scan of a geometry, whose lengths are taken as mm. All views need pixels of one size, with rows at right angles to columns."""
    rows = vectors(proj_geom)
    first, middle, along, up = (rows[:, k : k + 3] for k in (0, 3, 6, 9))
    pitch = np.linalg.norm(up, axis=1), np.linalg.norm(along, axis=1)
    for name, found in zip(("rows", "columns"), pitch):
        if not np.allclose(found, found[0], rtol=1e-6, atol=0):
            raise ArgumentError(f"pitch of {name} from {found.min():g} to {found.max():g}: expected one for all views")
    shape = proj_geom["DetectorRowCount"], proj_geom["DetectorColCount"]
    parallel = proj_geom["type"].startswith("parallel")
    source = middle - 1000 * first / np.linalg.norm(first, axis=1, keepdims=True) if parallel else first
    angle = np.unwrap(np.arctan2(-source[:, 0] + parallel * middle[:, 0], source[:, 1] - parallel * middle[:, 1]))
    normal = np.cross(along, up)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    distances = {} if parallel else {"source_to_detector": float(np.abs(((middle - source) * normal).sum(1)).mean()),
                                     "source_to_axis": float(np.hypot(source[:, 0], source[:, 1]).mean())}
    return from_views(source, middle, along / pitch[1][:, None], up / pitch[0][:, None], shape, (pitch[0][0], pitch[1][0]),
                      kind="parallel" if parallel else "flat", angle=angle, **distances)


def grid(vol_geom: dict[str, Any]) -> Grid:
    """The grid of a volume's geometry, whose arrays are [z][y][x] there too."""
    n = [vol_geom[k] for k in ("GridSliceCount", "GridRowCount", "GridColCount")]
    low, high = ([vol_geom["option"][f"Window{end}{axis}"] for axis in "ZYX"] for end in ("Min", "Max"))
    return Grid(n, [(b - a) / k for a, b, k in zip(low, high, n)], [(a + b) / 2 for a, b in zip(low, high)])


def geometry(s: Scan) -> dict[str, Any]:
    """A flat or parallel scan as a geometry of ASTRA with vectors."""
    if s.detector == "arc":
        raise ArgumentError("an arc detector, expected a flat or a parallel one")
    t, (_, rows, columns) = s.views, s.shape
    middle = t["detector"] + ((columns - 1) / 2 - s.column_center) * s.column_pitch * t["column_axis"]
    middle += ((rows - 1) / 2 - s.row_center) * s.row_pitch * t["row_axis"]
    first = t["detector"] - t["source"] if s.detector == "parallel" else t["source"]
    parts = np.concatenate([first, middle, s.column_pitch * t["column_axis"], s.row_pitch * t["row_axis"]], 1)
    kind = "parallel3d_vec" if s.detector == "parallel" else "cone_vec"
    return {"type": kind, "DetectorRowCount": rows, "DetectorColCount": columns, "Vectors": parts}
