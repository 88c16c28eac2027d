"""Converts objects of other packages to the input of the geometry file readers, which contain all formulas."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

import numpy as np

from ..errors import ArgumentError, Error
from ..geometry import Scan
from ..geometry_files import read_geometry


def plain(value: Any) -> Any:
    """Converts arrays and numbers of NumPy to JSON types."""
    return value if isinstance(value, str) else np.asarray(value).tolist()


def one(what: str, values: Any) -> float:
    """Returns the common value of all elements."""
    found = np.asarray(values, np.float64).reshape(-1)
    if not found.size or not np.allclose(found, found[0], rtol=1e-9, atol=0):
        raise ArgumentError(f"{what}: {'none' if not found.size else f'from {found.min():g} to {found.max():g}'}, expected one for all views")
    return float(found[0])


def described(kind: str, members: dict[str, Any], **options: Any) -> Scan:
    """Makes a scan from documented members of an object, checked by the file reader of this format. Omits members that are None.

    options: those of read_geometry()."""
    given = {name: plain(value) for name, value in members.items() if value is not None}
    if kind == "leap":
        flat = {k: v if isinstance(v, str) else ", ".join(repr(x) for x in np.asarray(v).reshape(-1).tolist()) for k, v in given.items()}
        words = "".join(f"{name} = {value}\n" for name, value in flat.items())
    else:
        words = json.dumps(given)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "geometry")
        with open(path, "w", encoding="ascii") as file:
            file.write(words)
        try:
            return read_geometry(path, format=kind, **options)
        except Error as error:
            error.args = (str(error).replace(path, f"geometry of {kind}"),)
            raise


def row_height(width: float, source_to_axis: float, source_to_detector: float) -> float:
    """Returns the height of the only row of a two-dimensional scan, mm: half as high as a column at the axis is wide, so that a slice of
    cubic voxels contains the rays.
    """
    return 0.5 * width * source_to_axis / source_to_detector
