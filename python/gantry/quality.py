"""Image quality of volumes, as `gantry measure` reports it: regions, lines, MTF, NPS, FSC. Points are (x, y, z) in mm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ._c import ffi, lib
from .arguments import expect, real, reals
from .backend import Array, pointer
from .data import Volume
from .errors import ArgumentError, check

Point = Sequence[float]


class Region(NamedTuple):
    """Voxels of a region: number, mean, standard deviation, minimum, maximum, and the standard error of the mean."""

    voxels: int
    mean: float
    sd: float
    min: float
    max: float
    error: float


class MTF(NamedTuple):
    """Centre and radius of the edge, levels inside and outside, noise, frequencies of MTF 0.5 and 0.1 (nan: beyond the Nyquist
    frequency of half a voxel), full width of the line spread in mm, and the curve: frequency in 1/mm, value."""

    center: tuple[float, float]
    radius: float
    inside: float
    outside: float
    noise: float
    f50: float
    f10: float
    width: float
    frequency: Array
    value: Array


class NPS(NamedTuple):
    """Variance of the squares' voxels, sum of the NPS, frequency of its peak, mean frequency, squares, and the radial mean."""

    variance: float
    sum: float
    peak: float
    mean: float
    squares: int
    frequency: Array
    value: Array


class FSC(NamedTuple):
    """Fourier shell correlation and half-bit limit by frequency in 1/mm. Resolutions in mm: first crossing of the half-bit limit
    and of 1/7 (nan: none)."""

    resolution: float
    resolution_143: float
    frequency: Array
    value: Array
    half_bit: Array


def _values(v: Volume, unit: str) -> Array:
    expect(v, Volume, "v", "a gantry.Volume")
    if unit not in ("mm-1", "HU"):
        raise ArgumentError(f"unit {unit!r}: expected 'mm-1' or 'HU'")
    return v.hu if unit == "HU" else v.data


def _point(values: Any, what: str) -> list[float]:
    array = reals(values, what)
    if array.shape != (3,):
        raise ArgumentError(f"{what}: {values!r}, expected x, y, z in mm")
    return [float(v) for v in array]


def _roi(center: Point, radius: float, height: float) -> Any:
    return ffi.new("gt_roi *", {"center": _point(center, "center"), "radius": real(radius, "radius"), "height": real(height, "height")})


def _numbers(c: Any, n: int) -> Array:
    return np.array([c[i] for i in range(n)])


def _curve(c: Any) -> tuple[Array, Array]:
    both = _numbers(c.frequency, c.n), _numbers(c.value, c.n)
    lib.gt_curve_free(ffi.addressof(c))
    return both


def _other(v: Volume, other: Volume, unit: str) -> Array:
    expect(v, Volume, "v", "a gantry.Volume")
    expect(other, Volume, "other", "a gantry.Volume")
    if v.grid != other.grid:
        raise ArgumentError(f"volumes on {v.grid} and {other.grid}: expected one grid")
    return _values(other, unit)


def roi(v: Volume, center: Point, radius: float, height: float = 0.0, *, unit: str = "mm-1") -> Region:
    """Measures voxels whose centres are in a cylinder along z.

    Parameters
    ----------
    v : Volume
        The volume.
    center : (float, float, float)
        x, y, z, mm.
    radius, height : float
        Size of the cylinder, mm; height 0: the nearest slice.
    unit : {"mm-1", "HU"}
        Unit of the results.

    Returns
    -------
    Region

    Examples
    --------
    >>> v = gantry.Volume(np.full((3, 8, 8), 0.02), gantry.Grid((3, 8, 8), 1.0))
    >>> r = gantry.roi(v, (0, 0, 0), radius=2)
    >>> r.voxels, round(r.mean, 4)
    (12, 0.02)
    """
    f, data = ffi.new("gt_roi_figures *"), _values(v, unit)
    check(lib.gt_roi_measure(v.grid.c, pointer(data), _roi(center, radius, height), f))
    return Region(int(f.count), f.mean, f.sd, f.min, f.max, f.error)


def contrast_to_noise(a: Region, b: Region) -> float:
    """Returns |mean - mean| / sqrt((sd^2 + sd^2) / 2) of two regions.

    Examples
    --------
    >>> a, b = (gantry.Region(9, mean, 2.0, mean, mean, 0.1) for mean in (10.0, 4.0))
    >>> gantry.contrast_to_noise(a, b)
    3.0
    """
    parts = [ffi.new("gt_roi_figures *", {"count": r.voxels, "mean": r.mean, "sd": r.sd}) for r in (a, b)]
    return float(lib.gt_contrast_to_noise(*parts))


def profile(v: Volume, start: Point, end: Point, points: int = 200, *, unit: str = "mm-1") -> tuple[Array, Array]:
    """Returns distances from start (mm) and interpolated values along a line.

    Parameters
    ----------
    v : Volume
        The volume.
    start, end : (float, float, float)
        x, y, z, mm.
    points : int
        Number of equal steps.
    unit : {"mm-1", "HU"}
        Unit of the values.

    Examples
    --------
    >>> v = gantry.Volume(np.full((3, 8, 8), 0.5), gantry.Grid((3, 8, 8), 1.0))
    >>> distance, value = gantry.profile(v, (-2, 0, 0), (2, 0, 0), points=5)
    >>> distance.tolist(), value.tolist()
    ([0.0, 1.0, 2.0, 3.0, 4.0], [0.5, 0.5, 0.5, 0.5, 0.5])
    """
    data, value = _values(v, unit), np.empty(max(points, 0))
    ends = [ffi.new("double[3]", _point(p, what)) for p, what in ((start, "start"), (end, "end"))]
    check(lib.gt_line_profile(v.grid.c, pointer(data), *ends, points, pointer(value, "double *")))
    return np.linspace(0, float(np.linalg.norm(np.subtract(end, start))), points), value


def mtf(v: Volume, center: Sequence[float], radius: float, *, slices: slice = slice(None), unit: str = "mm-1") -> MTF:
    """Measures the MTF from the edge of a disc or cylinder of approximate center (x, y) and radius, mm, in these slices."""
    expect(v, Volume, "v", "a gantry.Volume")
    chosen = range(v.grid.shape[0])[slices]
    if chosen.step != 1:
        raise ArgumentError(f"slices: {slices}, expected a step of 1")
    disc = ffi.new("gt_disc *", {"center": list(center), "radius": radius, "first": chosen.start, "slices": len(chosen)})
    m, data = ffi.new("gt_mtf *"), _values(v, unit)
    check(lib.gt_mtf_of_disc(v.grid.c, pointer(data), disc, m))
    x, y = m.center
    return MTF((x, y), m.radius, m.inside, m.outside, m.noise, m.f50, m.f10, m.width, *_curve(m.mtf))


def nps(v: Volume, center: Point, radius: float, height: float = 0.0, *, other: Volume | None = None, side: int = 64,
        unit: str = "mm-1") -> NPS:
    """Measures the noise power spectrum in a region by squares of side x side voxels, or of the difference to another volume."""
    s, data = ffi.new("gt_nps *"), _values(v, unit)
    second = None if other is None else _other(v, other, unit)
    check(lib.gt_nps_measure(v.grid.c, pointer(data), pointer(second), _roi(center, radius, height), side, s))
    return NPS(s.variance, s.sum, s.peak, s.mean, int(s.squares), *_curve(s.radial))


def fsc(a: Volume, b: Volume) -> FSC:
    """Returns the Fourier shell correlation of two volumes on one grid, as of even and odd views.

    Examples
    --------
    >>> noise = np.random.default_rng(1).normal(size=(16, 16, 16))
    >>> v = gantry.Volume(noise, gantry.Grid(16, 1.0))
    >>> bool(np.allclose(gantry.fsc(v, v).value, 1))
    True
    """
    f, second = ffi.new("gt_fsc *"), _other(a, b, "mm-1")
    check(lib.gt_fsc_measure(a.grid.c, pointer(a.data), pointer(second), f))
    n = f.fsc.n
    found = FSC(f.resolution, f.resolution_143, _numbers(f.fsc.frequency, n), _numbers(f.fsc.value, n), _numbers(f.half_bit, n))
    lib.gt_fsc_free(f)
    return found
