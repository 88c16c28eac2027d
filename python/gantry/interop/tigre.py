"""Geometries of TIGRE: its objects `geometry`, with the angles of the operators.

Arrays have the same axes as in Gantry: volumes [z][y][x], projections [view][row][column].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..geometry import Grid, Scan
from .described import described, one

MEMBERS = ("mode", "nDetector", "dDetector", "offDetector", "rotDetector", "COR")


def scan(geo: Any, angles: Any = None) -> Scan:
    """Makes the scan of a geometry with angles (radians, [views] or [views][3] as in TIGRE); None: those in the geometry."""
    found = getattr(geo, "angles", None) if angles is None else angles
    if found is None:
        raise ArgumentError("angles: None, expected the angles of TIGRE's operators")
    members = {name: getattr(geo, name, None) for name in MEMBERS}
    for name in ("DSO", "DSD"):
        value = getattr(geo, name, None)
        members[name] = None if value is None else one(name, value)
    return described("tigre", {**members, "angles": np.asarray(found, np.float64)})


def grid(geo: Any) -> Grid:
    """Returns the grid of the volume of a geometry, which is centred at offOrigin."""
    off = np.zeros(3) if getattr(geo, "offOrigin", None) is None else np.asarray(geo.offOrigin, np.float64)
    rows = np.broadcast_to(off, (1, 3)) if off.ndim < 2 else off
    middle = [one("offOrigin", rows[:, a]) for a in range(3)]
    return Grid([int(n) for n in geo.nVoxel], [float(d) for d in geo.dVoxel], middle)
