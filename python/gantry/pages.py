"""Pages for browsers, as `gantry view -o page.html` writes them."""

from __future__ import annotations

import os
from typing import Any

from ._c import ffi, lib
from .data import Projections, Volume
from .errors import ArgumentError, check
from .files import Path

UNITS = {"mm-1": "GT_PER_MM", "HU": "GT_HU", "auto": "GT_UNIT_AUTO"}


def page(path: Path, *what: Projections | Volume | tuple[str, Projections | Volume], title: str | None = None,
         window: tuple[float, float] | None = None, unit: str = "auto", megabytes: float = 36.0) -> None:
    """Writes one HTML file that shows volumes and projections beside each other with linked cursors; it needs no network.

    what: each alone or as (name, volume). window: (low, high) at first, in the unit of each. unit: of volumes, "mm-1", "HU" or "auto".
    megabytes: of the file, about and at most: the values become as few bits as that needs.
    """
    if unit not in UNITS:
        raise ArgumentError(f"unit {unit!r}: expected one of {', '.join(UNITS)}")
    keep: list[Any] = [ffi.new("char[]", os.fsencode(title))] if title is not None else []
    items = ffi.new("gt_page_item[]", max(len(what), 1))
    for item, given in zip(items, what):
        name, data = given if isinstance(given, tuple) else (type(given).__name__.lower(), given)
        if not isinstance(data, (Volume, Projections)):
            raise ArgumentError(f"{name}: a {type(data).__name__}, expected a gantry.Volume or gantry.Projections")
        keep.append(ffi.new("char[]", os.fsencode(name)))
        item.name, item.unit = keep[-1], getattr(lib, UNITS[unit])
        if isinstance(data, Volume):
            item.volume = data.c
        else:
            item.projections = data.c
    part = ffi.new("gt_page_part *", {"kind": lib.GT_PAGE_VIEWER, "item": items, "items": len(what)})
    low, high = window or (0.0, 0.0)
    whole = ffi.new("gt_page *", {"size": ffi.sizeof("gt_page"), "title": keep[0] if title is not None else ffi.NULL, "part": part, "parts": 1,
                                  "bytes": 1e6 * megabytes, "low": low, "high": high})
    check(lib.gt_page_write(os.fsencode(path), whole))
