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
    """Writes one HTML file that shows volumes and projections next to each other with linked cursors; it needs no network.

    what: volumes and projections, each alone or as (name, data). window: initial (low, high), in the unit of the data.
    unit: of volumes, "mm-1", "HU" or "auto". megabytes: approximate maximum size of the file; values are quantised to fit.
    """
    whole, _keep = _page(what, title, window, unit, megabytes)
    check(lib.gt_page_write(os.fsencode(path), whole))


def serve(*what: Projections | Volume | tuple[str, Projections | Volume], title: str | None = None, window: tuple[float, float] | None = None,
          unit: str = "auto", port: int = 0, ready: Callable[[str], object] = print) -> None:
    """Serves such a page to browsers of this machine, with exact values, until Ctrl-C.

    ready: callback with the address, which contains a secret token (default: print it); its exception ends the server. port 0: any free port.
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
    """Returns the C struct of the page, and the objects that must outlive it."""
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
