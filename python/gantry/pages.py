"""Pages for browsers, as `gantry view -o page.html` writes them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from ._c import ffi, lib
from .data import Projections, Volume
from .errors import ArgumentError, check, keep, settle, text
from .files import Path

UNITS = {"mm-1": "GT_PER_MM", "HU": "GT_HU", "auto": "GT_UNIT_AUTO"}


def page(path: Path, *what: Projections | Volume | tuple[str, Projections | Volume], title: str | None = None,
         window: tuple[float, float] | None = None, unit: str = "auto", megabytes: float = 36.0) -> None:
    """Writes one HTML file that shows volumes and projections beside each other with linked cursors; it needs no network.

    what: each alone or as (name, volume). window: (low, high) at first, in the unit of each. unit: of volumes, "mm-1", "HU" or "auto".
    megabytes: of the file, about and at most: the values become as few bits as that needs.
    """
    whole, _keep = _page(what, title, window, unit, megabytes)
    check(lib.gt_page_write(os.fsencode(path), whole))


def serve(*what: Projections | Volume | tuple[str, Projections | Volume], title: str | None = None, window: tuple[float, float] | None = None,
          unit: str = "auto", port: int = 0, ready: Callable[[str], object] = print) -> None:
    """Serves such a page to this machine alone, with exact values and slices as they are looked at, until Ctrl-C.

    ready: told the address to open, which holds a secret; it is printed otherwise. What ready raises ends it. port 0: any that is free.
    """
    whole, _keep = _page(what, title, window, unit, 36.0)
    handle = ffi.new_handle(ready)
    how = ffi.new("gt_page_server *", {"size": ffi.sizeof("gt_page_server"), "port": port, "ready": lib.gt_py_address, "stop": lib.gt_py_interrupted,
                                       "self": handle})
    try:
        check(lib.gt_page_serve(whole, how))
        settle()
    except KeyboardInterrupt:
        pass


@ffi.def_extern(onerror=keep)  # type: ignore[untyped-decorator]
def gt_py_address(self: object, address: object) -> None:
    ffi.from_handle(self)(text(address))


def _page(what: Sequence[Projections | Volume | tuple[str, Projections | Volume]], title: str | None, window: tuple[float, float] | None, unit: str,
          megabytes: float) -> tuple[Any, list[Any]]:
    """The page as C has it, and what must live as long."""
    if unit not in UNITS:
        raise ArgumentError(f"unit {unit!r}: expected one of {', '.join(UNITS)}")
    held: list[Any] = [ffi.new("char[]", os.fsencode(title))] if title is not None else []
    items = ffi.new("gt_page_item[]", max(len(what), 1))
    for item, given in zip(items, what):
        name, data = given if isinstance(given, tuple) else (type(given).__name__.lower(), given)
        if not isinstance(data, (Volume, Projections)):
            raise ArgumentError(f"{name}: a {type(data).__name__}, expected a gantry.Volume or gantry.Projections")
        held.append(ffi.new("char[]", os.fsencode(name)))
        item.name, item.unit = held[-1], getattr(lib, UNITS[unit])
        if isinstance(data, Volume):
            item.volume = data.c
        else:
            item.projections = data.c
    part = ffi.new("gt_page_part *", {"kind": lib.GT_PAGE_VIEWER, "item": items, "items": len(what)})
    low, high = window or (0.0, 0.0)
    whole = ffi.new("gt_page *", {"size": ffi.sizeof("gt_page"), "title": held[0] if title is not None else ffi.NULL, "part": part, "parts": 1,
                                  "bytes": 1e6 * megabytes, "low": low, "high": high})
    return whole, [*held, items, part]
