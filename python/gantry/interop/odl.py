"""Geometries of the Operator Discretization Library: ConeBeamGeometry, FanBeamGeometry and its parallel ones, with flat detectors.

ODL's volumes are [x][y][z], its projections [view][column][row]: np.transpose(v, (2, 1, 0)) and np.transpose(p, (0, 2, 1))
convert in both directions, without a copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backend import Array
from ..errors import ArgumentError
from ..geometry import Grid, Scan
from . import astra
from .described import row_height


def _in_space(points: Any) -> Array:
    """Adds z = 0 to points of the plane."""
    p = np.asarray(points, np.float64)
    return p if p.shape[-1] == 3 else np.concatenate([p, np.zeros((*p.shape[:-1], 1))], -1)


def scan(geometry: Any) -> Scan:
    """Makes the scan of a geometry with lengths in mm; in two dimensions a scan of one row in the plane z = 0."""
    part, flat = geometry.det_partition, geometry.ndim == 2
    if not hasattr(geometry.detector, "axis" if flat else "axes") or hasattr(geometry.detector, "radius"):
        raise ArgumentError(f"a {type(geometry.detector).__name__}, expected a flat detector")
    if not part.is_uniform:
        raise ArgumentError("det_partition: pixels of several sizes, expected one size")
    angles, middle = geometry.angles, geometry.det_params.mid_pt
    middle = middle[0] if flat else middle
    parallel = not hasattr(geometry, "src_position")
    first = -np.asarray(geometry.det_to_src(angles, middle)) if parallel else geometry.src_position(angles)
    upright = np.tile([0.0, 0.0, 1.0], (np.size(angles), 1))
    axes = np.stack([_in_space(geometry.det_axis(angles)), upright], 1) if flat else geometry.det_axes(angles)
    steps = [part.cell_sides[0], part.cell_sides[0] if flat else part.cell_sides[1]]
    if flat and not parallel:
        steps[1] = row_height(steps[0], geometry.src_radius, geometry.src_radius + geometry.det_radius)
    panel = geometry.det_point_position(angles, middle)
    vectors = np.concatenate([_in_space(first), _in_space(panel), steps[0] * axes[:, 0], steps[1] * axes[:, 1]], 1)
    return astra.scan({"type": "parallel3d_vec" if parallel else "cone_vec", "DetectorRowCount": 1 if flat else part.shape[1],
                       "DetectorColCount": part.shape[0], "Vectors": vectors})


def grid(space: Any) -> Grid:
    """Makes the grid of a discretized space; in two dimensions one slice in the plane z = 0, as thick as the voxel width."""
    part = space.partition
    n, pitch, middle = ([*values] for values in (part.shape, part.cell_sides, part.mid_pt))
    if len(n) == 2:
        n, pitch, middle = [*n, 1], [*pitch, pitch[0]], [*middle, 0.0]
    return Grid([int(k) for k in n[::-1]], [float(d) for d in pitch[::-1]], [float(m) for m in middle[::-1]])
