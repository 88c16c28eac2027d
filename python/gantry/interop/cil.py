"""Geometries of the Core Imaging Library: AcquisitionGeometry and ImageGeometry.

CIL's default order of dimensions agrees with Gantry: [angle][vertical][horizontal] and
[vertical][horizontal_y][horizontal_x]. CIL states no unit of length: length_unit gives it in mm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..geometry import Grid, Scan
from .described import described, row_height

PARTS = {"source_position": "source.position", "ray_direction": "ray.direction", "detector_position": "detector.position",
         "detector_direction_x": "detector.direction_x", "detector_direction_y": "detector.direction_y",
         "rotation_axis_position": "rotation_axis.position", "rotation_axis_direction": "rotation_axis.direction"}


def _part(system: Any, path: str) -> Any:
    part, member = path.split(".")
    found = getattr(getattr(system, part, None), member, None)
    # Two-dimensional systems are in the plane z = 0.
    return None if found is None else np.append(np.asarray(found, np.float64).reshape(-1), [0.0])[:3]


def scan(ag: Any, length_unit: float = 1.0) -> Scan:
    """Makes the scan of an AcquisitionGeometry: parallel or cone beam, in two or three dimensions."""
    system, panel, angles = ag.config.system, ag.config.panel, ag.config.angles
    members = {name: _part(system, path) for name, path in PARTS.items()}
    if members["source_position"] is None and members["ray_direction"] is None:
        raise ArgumentError(f"a {type(system).__name__} without source.position or ray.direction: expected Parallel3D, Cone3D or those in 2D")
    width, height = panel.pixel_size
    if np.size(system.detector.position) == 2 and members["source_position"] is not None:
        source, detector = members["source_position"], members["detector_position"]
        length = float(np.linalg.norm(detector - source))
        near = float((members["rotation_axis_position"] - source) @ (detector - source)) / length
        height = row_height(width, near, length)
    unit = str(getattr(angles.angle_unit, "value", angles.angle_unit)).lower()
    return described("cil", {**members, "num_pixels": panel.num_pixels, "pixel_size": (width, height), "origin": panel.origin,
                             "angles": angles.angle_data, "initial_angle": angles.initial_angle, "angle_unit": unit},
                     length_unit=length_unit)


def grid(ig: Any, length_unit: float = 1.0) -> Grid:
    """Makes the grid of an ImageGeometry."""
    def three(name: str) -> list[float]:
        return [getattr(ig, name + axis) for axis in "zyx"]

    flat = not ig.voxel_num_z
    sizes = [1 if flat else ig.voxel_num_z, ig.voxel_num_y, ig.voxel_num_x]
    pitch = [ig.voxel_size_x if flat else ig.voxel_size_z, ig.voxel_size_y, ig.voxel_size_x]
    return Grid([int(n) for n in sizes], [float(d) * length_unit for d in pitch], [float(c) * length_unit for c in three("center_")])
