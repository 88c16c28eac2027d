"""Objects of other packages as the readers of geometry files take them. Formulas exist in these readers alone."""

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
    """Arrays and numbers of NumPy as JSON has them."""
    return value if isinstance(value, str) else np.asarray(value).tolist()


def one(what: str, values: Any) -> float:
    """The number that all of them are."""
    found = np.asarray(values, np.float64).reshape(-1)
    if not found.size or not np.allclose(found, found[0], rtol=1e-9, atol=0):
        raise ArgumentError(f"{what}: {'none' if not found.size else f'from {found.min():g} to {found.max():g}'}, expected one for all views")
    return float(found[0])


def described(kind: str, members: dict[str, Any], **options: Any) -> Scan:
    """The scan of an object's members by their documented names, which the reader of that kind of file checks. What is None is left out.

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
