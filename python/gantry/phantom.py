"""Analytic phantoms with exact line integrals, and photon noise."""

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
    """An analytic object with exact line integrals.

    Parameters
    ----------
    what : str or path
        A name of phantoms(), or a file of shapes.
    water : float
        Attenuation of density 1, mm^-1.
    scale : float
        Factor of all lengths.
    shift : (float, float, float)
        Shift z, y, x after scaling, mm.
    rotate : float
        Rotation about z before shifting, radians.

    Examples
    --------
    >>> head = gantry.Phantom("shepp-logan", scale=0.5)
    >>> head.voxelise(gantry.Grid((4, 32, 32), 4.0)).shape
    (4, 32, 32)
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
        """Radius of a sphere around the origin that contains the object, mm."""
        return float(lib.gt_phantom_radius(self.c))

    def project(self, scan: Scan, rays: int = 1) -> Array:
        """Returns exact line integrals [view][row][column].

        Parameters
        ----------
        scan : Scan
            The geometry.
        rays : int
            Each pixel is the mean of rays x rays.

        Examples
        --------
        >>> gantry.Phantom("shepp-logan").project(gantry.circular(12, (4, 16), 9.0, 500, 1000), rays=2).shape
        (12, 4, 16)
        """
        expect(scan, Scan, "scan", "a gantry.Scan")
        out = np.empty(scan.shape, np.float32)
        check(lib.gt_phantom_project(self.c, scan.c, rays, pool(), lib.gt_py_fraction, ffi.NULL, pointer(out)))
        return out

    def voxelise(self, grid: Grid, points: int = 1) -> Array:
        """Returns voxels [z][y][x], mm^-1.

        Parameters
        ----------
        grid : Grid
            The voxels.
        points : int
            Each voxel is the mean of points^3.

        Examples
        --------
        >>> v = gantry.Phantom("shepp-logan").voxelise(gantry.Grid((1, 8, 8), 20.0))
        >>> v.dtype, v[0, 0, 0]
        (dtype('float32'), np.float32(0.0))
        """
        expect(grid, Grid, "grid", "a gantry.Grid")
        out = np.empty(grid.shape, np.float32)
        check(lib.gt_phantom_voxelise(self.c, grid.c, points, pool(), lib.gt_py_fraction, ffi.NULL, pointer(out)))
        return out

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, self._again


def _again(what: Path, water: float, scale: float, shift: tuple[float, float, float], rotate: float) -> Phantom:
    return Phantom(what, water=water, scale=scale, shift=shift, rotate=rotate)


def phantoms() -> dict[str, str]:
    """Returns the names of Phantom(), each with a description.

    Examples
    --------
    >>> "forbild-head" in gantry.phantoms()
    True
    """
    found, i = {}, 0
    while lib.gt_phantom_list[i].name != ffi.NULL:
        found[text(lib.gt_phantom_list[i].name)] = text(lib.gt_phantom_list[i].about)
        i += 1
    return found


def add_noise(data: Any, photons: float, *, electronic: float = 0.0, seed: int = 0) -> Array:
    """Returns line integrals with the noise of photons.

    Parameters
    ----------
    data : array_like
        Line integrals.
    photons : float
        Photons in an unattenuated pixel.
    electronic : float
        Standard deviation of the electronic noise, photons.
    seed : int
        The same seed makes the same noise.

    Examples
    --------
    >>> noisy = gantry.add_noise(np.ones((2, 3, 4)), photons=1e5, seed=1)
    >>> bool(0 < np.abs(noisy - 1).max() < 0.1)
    True
    """
    photons, electronic = real(photons, "photons"), real(electronic, "electronic")
    if not photons > 0 or not np.isfinite(photons):
        raise ArgumentError(f"photons: {photons}, expected a positive number")
    out = np.array(host_array(data, np.float32, "data"))
    lib.gt_add_photon_noise(photons, electronic, seed, 0, pool(), pointer(out), out.size)
    return out
