"""Analytic bodies with exact line integrals, and the noise of photons."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._c import ffi, lib
from .arguments import expect, real
from .backend import Array, host_array, pointer, pool
from .errors import ArgumentError, check, text
from .files import Path
from .geometry import Grid, Scan, three


class Phantom:
    """A body by its name in the library's table (phantoms() lists it) or by a file of shapes.

    water: attenuation of density 1, mm^-1; scale: of all lengths; shift: z, y, x in mm, after scaling; rotate: about z, radians, before.
    """

    def __init__(self, what: Path, *, water: float = 0.02, scale: float = 1.0, shift: tuple[float, float, float] = (0, 0, 0),
                 rotate: float = 0.0) -> None:
        water, scale, rotate = real(water, "water"), real(scale, "scale"), real(rotate, "rotate")
        o = ffi.new("gt_phantom_options *", {"water": water, "scale": scale, "shift": three(shift, "shift"), "rotate": rotate})
        out = ffi.new("gt_phantom **")
        check(lib.gt_phantom_new(os.fsencode(what), o, out))
        self.c = ffi.gc(out[0], lib.gt_phantom_free)
        self._again = (what, water, scale, tuple(shift), rotate)

    @property
    def radius(self) -> float:
        """Of a ball around the origin that holds the whole body, mm."""
        return float(lib.gt_phantom_radius(self.c))

    def project(self, scan: Scan, rays: int = 1) -> Array:
        """Exact line integrals [view][row][column], float32: the mean of rays x rays in each pixel."""
        expect(scan, Scan, "scan", "a gantry.Scan")
        out = np.empty(scan.shape, np.float32)
        check(lib.gt_phantom_project(self.c, scan.c, rays, pool(), lib.gt_py_fraction, ffi.NULL, pointer(out)))
        return out

    def voxelise(self, grid: Grid, points: int = 1) -> Array:
        """Voxels [z][y][x] in mm^-1, float32: the mean of points^3 in each."""
        expect(grid, Grid, "grid", "a gantry.Grid")
        out = np.empty(grid.shape, np.float32)
        check(lib.gt_phantom_voxelise(self.c, grid.c, points, pool(), lib.gt_py_fraction, ffi.NULL, pointer(out)))
        return out

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, self._again


def _again(what: Path, water: float, scale: float, shift: tuple[float, float, float], rotate: float) -> Phantom:
    return Phantom(what, water=water, scale=scale, shift=shift, rotate=rotate)


def phantoms() -> dict[str, str]:
    """The bodies that Phantom() knows by name, each with a line about it."""
    found, i = {}, 0
    while lib.gt_phantom_list[i].name != ffi.NULL:
        found[text(lib.gt_phantom_list[i].name)] = text(lib.gt_phantom_list[i].about)
        i += 1
    return found


def add_noise(data: Any, photons: float, *, electronic: float = 0.0, seed: int = 0) -> Array:
    """New line integrals with the noise of so many photons in an unattenuated pixel, and electronic noise (a standard deviation in
    photons). The same seed gives the same noise."""
    if not photons > 0 or not np.isfinite(photons):
        raise ArgumentError(f"photons: {photons}, expected a positive number")
    out = np.array(host_array(data, np.float32, "data"))
    lib.gt_add_photon_noise(photons, electronic, seed, 0, pool(), pointer(out), out.size)
    return out
