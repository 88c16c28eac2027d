"""Files and folders: projections and volumes of every format that the library knows."""

from __future__ import annotations

import logging
import os
import warnings
from typing import Any

import numpy as np

from ._c import ffi, lib
from .backend import Array, pointer
from .data import UNITS, Projections, Volume
from .errors import ArgumentError, check, keep, settle, text, thread
from .geometry import Scan

log = logging.getLogger("gantry")
Path = str | os.PathLike[str]


class Remark(UserWarning):
    """What the library found in data or geometry that the user should know."""


@ffi.def_extern(onerror=keep)  # type: ignore[untyped-decorator]
def gt_py_message(_: object, m: Any) -> None:
    """A message of the library: warnings are Python's, the rest is logged."""
    if m.severity == lib.GT_WARNING:
        warnings.warn(text(m.text), Remark, stacklevel=3)
    else:
        log.info("%s", text(m.text))


@ffi.def_extern(error=1, onerror=keep)  # type: ignore[untyped-decorator]
def gt_py_fraction(_: object, done: float) -> int:
    """Called while a folder is read or a phantom is drawn: lets Python see Ctrl-C."""
    return int(thread.raised is not None)


def _name(path: Path) -> bytes:
    return os.fsencode(path)


def _options(defaults: Any, kind: str) -> Any:
    options = ffi.new(kind, defaults)
    options.progress = lib.gt_py_fraction
    options.notes.say = lib.gt_py_message
    return options


def _unit(unit: str) -> int:
    if unit not in UNITS:
        raise ArgumentError(f"unit {unit!r}: expected one of {', '.join(UNITS)}")
    return int(getattr(lib, ("GT_PER_MM", "GT_HU", "GT_UNIT_AUTO")[UNITS.index(unit)]))


def read_options(*, geometry_only: bool = False, without_statistics: bool = False, axis: float | None = None, pixel: float | None = None,
                 water: float | None = None, unit: str = "auto", center: bool = False) -> Any:
    """What a reader is told.

    geometry_only: the scan without its data. without_statistics: neither weights nor photons. axis: column of the rotation axis and
    pixel: pitch in mm, of HDF5 Data Exchange. water, mm^-1, and unit: of volumes whose file names none. center: the middle of the
    volume is put at (0, 0, 0).
    """
    o = _options(lib.gt_read_defaults, "gt_read_options *")
    o.geometry_only, o.may_lack_data, o.without_statistics = int(geometry_only), int(geometry_only), int(without_statistics)
    o.axis = np.nan if axis is None else axis
    o.pixel = np.nan if pixel is None else pixel
    o.water, o.unit, o.center = 0 if water is None else water, _unit(unit), int(center)
    return o


def read(path: Path, **options: Any) -> Projections | Volume:
    """What is in a file or a folder, by its contents: read_options() has the options."""
    found, kind = ffi.new("const gt_format **"), ffi.new("int *")
    check(lib.gt_file_kind(_name(path), found, kind))
    return read_projections(path, **options) if kind[0] else read_volume(path, **options)


def read_projections(path: Path, **options: Any) -> Projections:
    """Projections: read_options() has the options."""
    out = ffi.new("gt_projections **")
    check(lib.gt_read_projections(_name(path), read_options(**options), out))
    p = Projections.from_c(out[0])
    settle()
    return p


def read_volume(path: Path, **options: Any) -> Volume:
    """A volume, in mm^-1: read_options() has the options."""
    out = ffi.new("gt_volume **")
    check(lib.gt_read_volume(_name(path), read_options(**options), out))
    v = Volume.from_c(out[0])
    settle()
    return v


def write(path: Path, what: Projections | Volume, *, unit: str = "auto", water: float | None = None, deflate: int | None = None,
          format: str | None = None) -> None:
    """Writes to a temporary name, then renames: a failed run leaves no half file. The format goes by the path's extension, or `format`
    names it; a path that ends with a slash is a new folder. unit, water (mm^-1): of volumes. deflate: 0 to 9."""
    o = _options(lib.gt_write_defaults, "gt_write_options *")
    o.unit, o.water = _unit(unit), 0 if water is None else water
    o.deflate = lib.gt_write_defaults.deflate if deflate is None else deflate
    name = ffi.NULL if format is None else ffi.new("char[]", os.fsencode(format))
    o.format = name
    if isinstance(what, Projections):
        check(lib.gt_write_projections(_name(path), o, what.c))
    elif isinstance(what, Volume):
        check(lib.gt_write_volume(_name(path), o, what.c))
    else:
        raise ArgumentError(f"a {type(what).__name__}: expected gantry.Projections or gantry.Volume, which know their scan or grid")
    settle()


class Views:
    """Projections in a file, read by views when they are asked for: v[10:20], v[5], v[::7]. NetCDF, and MetaImage of a known scan."""

    def __init__(self, path: Path, scan: Scan | None = None) -> None:
        self.scan = read_projections(path, geometry_only=True).scan if scan is None else scan
        out = ffi.new("gt_view_reader **")
        check(lib.gt_view_reader_open(_name(path), ffi.NULL, self.scan.c, out))
        self.c = ffi.gc(out[0], lib.gt_view_reader_close)
        self.shape = self.scan.shape
        self.dtype = np.dtype(np.float32)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, views: int | slice) -> Array:
        if not isinstance(views, slice):
            index = range(len(self))[views]
            return np.asarray(self._read(index, 1)[0])
        wanted = range(len(self))[views]
        if wanted.step == 1:
            return self._read(wanted.start, len(wanted))
        parts = [self._read(view, 1) for view in wanted]
        return np.concatenate(parts) if parts else self._read(0, 0)

    def _read(self, first: int, n: int) -> Array:
        out = np.empty((n, *self.shape[1:]), np.float32)
        if n:
            check(lib.gt_view_reader_read(self.c, first, n, 0, self.shape[1], pointer(out)))
        return out


def open(path: Path, scan: Scan | None = None) -> Views:
    """Projections of a file that are read when they are asked for."""
    return Views(path, scan)


def formats() -> dict[str, str]:
    """The formats of files, each with a line about it."""
    found, i = {}, 0
    while lib.gt_formats[i] != ffi.NULL:
        found[text(lib.gt_formats[i].name)] = text(lib.gt_formats[i].about)
        i += 1
    return found
