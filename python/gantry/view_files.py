"""Projections in files, read view by view."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from ._c import ffi, lib
from .backend import Array, pointer
from .errors import check
from .files import Path, ReadOptions, options_for, read_projections
from .geometry import Scan

if TYPE_CHECKING:
    from .arguments import Unpack


class Views:
    """Projections in a file (NetCDF, images, MetaImage of a known scan) that are read on access: v[10:20], v[5], v[::7]."""

    def __init__(self, path: Path, scan: Scan | None = None, **options: Unpack[ReadOptions]) -> None:
        only: ReadOptions = {**options, "geometry_only": True}
        self.scan = read_projections(path, **only).scan if scan is None else scan
        self._options = options_for(path, dict(options))
        out = ffi.new("gt_view_reader **")
        check(lib.gt_view_reader_open(os.fsencode(path), self._options, self.scan.c, out))
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


def open(path: Path, scan: Scan | None = None, **options: Unpack[ReadOptions]) -> Views:
    """Opens a file whose projections are read on access: v[10:20], v[5], v[::7]. Options are those of read_options().

    Examples
    --------
    >>> scan = gantry.circular(6, (2, 4), 1.0, 50, 100)
    >>> gantry.write("views.nc", gantry.Projections(np.ones(scan.shape), scan))
    >>> gantry.open("views.nc")[2:5].shape
    (3, 2, 4)
    """
    return Views(path, scan, **options)
