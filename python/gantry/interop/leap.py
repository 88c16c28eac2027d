"""Geometries of LEAP (LivermorE AI Projector): its objects leapctype.tomographicModels, by their get_ functions.

Projections have the same axes, and so do volumes in LEAP's default order ZYX; np.transpose(v, (2, 1, 0)) converts the
order XYZ.
"""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError
from ..geometry import Grid, Scan
from .described import described

SHARED = ("numAngles", "numRows", "numCols", "pixelHeight", "pixelWidth", "centerRow", "centerCol")
VECTORS = ("sourcePositions", "moduleCenters", "rowVectors", "colVectors")


def scan(model: Any) -> Scan:
    """Makes the scan of a model's CT geometry: cone, parallel or modular beam, flat or curved; a fan beam of one row."""
    members = {name: getattr(model, f"get_{name}")() for name in SHARED}
    kind = str(model.get_geometry()).lower()
    if kind == "modular":
        return described("leap", {"geometry": kind, **members, **{name: getattr(model, f"get_{name}")() for name in VECTORS}})
    if hasattr(model, "get_pitchAngle") and model.get_pitchAngle() != 0:
        raise ArgumentError(f"pitchAngle: {model.get_pitchAngle():g}, expected 0: LEAP's convert_to_modularbeam() makes vectors of it")
    members["phis"] = model.get_angles()
    for name in ("sod", "sdd", "tau", "helicalPitch") if kind != "parallel" else ():
        members[name] = getattr(model, f"get_{name}")()
    for name in ("detectorType", "tiltAngle"):
        if hasattr(model, f"get_{name}"):
            members[name] = getattr(model, f"get_{name}")()
    found = described("leap", {"geometry": kind, **members})
    if members.get("helicalPitch") and hasattr(model, "get_z_source_offset"):
        table = found.views
        shift = model.get_z_source_offset() - table["source"][0, 2]
        for name in ("source", "detector", "arc_center"):
            table[name][:, 2] += shift
    return found.check()


def grid(model: Any) -> Grid:
    """Makes the grid of a model's CT volume."""
    n = [int(getattr(model, f"get_num{axis}")()) for axis in "ZYX"]
    height, width = float(model.get_voxelHeight()), float(model.get_voxelWidth())
    middle = float(model.get_z0()) + (n[0] - 1) / 2 * height
    return Grid(n, [height, width, width], [middle, float(model.get_offsetY()), float(model.get_offsetX())])
