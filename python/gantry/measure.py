"""Differences of two volumes, and the check of a scan by conjugate rays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._c import ffi, lib
from .arguments import expect
from .backend import Array, check_shape, host_array, pointer, pool
from .data import Projections, Volume
from .errors import ArgumentError, check as check_status
from .geometry import Grid

FAULTS = ("columns", "turn", "rows", "center")  # possible faults of a scan; "center": the column of the central ray


class Comparison(NamedTuple):
    """Differences a - b in mm^-1: root mean square, mean, maximum; rmse over that of b; PSNR in dB; mean SSIM of slices.

    nan if the region is empty. ssim is nan if no window of 11 x 11 voxels fits.
    """

    voxels: int
    rmse: float
    mean: float
    max: float
    relative: float
    psnr: float
    ssim: float


def compare(a: Any, b: Any, grid: Grid | None = None, *, central: float = 1.0, radius: float = float("inf")) -> Comparison:
    """Compares a volume with a reference.

    Parameters
    ----------
    a, b : Volume or array_like
        The volume and the reference [z][y][x], mm^-1.
    grid : Grid, optional
        The grid of two arrays.
    central : float
        Central fraction of the slices.
    radius : float
        Largest distance of voxels from the z axis, mm.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> grid = gantry.Grid((2, 16, 16), 1.0)
    >>> c = gantry.compare(np.full(grid.shape, 0.03), np.full(grid.shape, 0.02), grid)
    >>> round(c.rmse, 4), c.voxels
    (0.01, 512)
    """
    expect(grid, (Grid, type(None)), "grid", "a gantry.Grid")
    for volume in (a, b):
        if isinstance(volume, Volume):
            if grid is not None and grid != volume.grid:
                raise ArgumentError(f"volumes on {grid} and {volume.grid}: expected one grid")
            grid = volume.grid
    if grid is None:
        raise ArgumentError("grid: None, expected the Grid of these arrays")
    if not 0 < central <= 1:
        raise ArgumentError(f"central: {central}, expected a number above 0, at most 1")
    arrays = [host_array(v, np.float32, "volume") for v in (a, b)]
    for array in arrays:
        check_shape("volume", array.shape, grid.shape, "[z][y][x]")
    inside = np.empty(grid.shape[1:], np.uint8)
    pair, region, distance = ffi.new("gt_image_pair *"), ffi.new("gt_image_region *"), ffi.new("gt_image_distance *")
    lib.gt_image_pair_of_volumes(grid.c, pointer(arrays[0]), pointer(arrays[1]), pair)
    lib.gt_image_region_central(grid.shape[0], central, region)
    lib.gt_image_region_circle(grid.c, radius, pointer(inside, "unsigned char *"))
    region.inside = pointer(inside, "unsigned char *")
    lib.gt_image_error(pair, region, distance)
    ssim = ffi.new("double *", float("nan"))
    if distance.count and distance.range > 0:
        check_status(lib.gt_ssim(pair, region, distance.range, pool(), ssim))
    d = distance
    return Comparison(int(d.count), d.rmse, d.mean, d.max, d.relative, d.psnr, float(ssim[0]))


class Check(NamedTuple):
    """Results of conjugate rays, which are measured from both ends.

    `faults` names reversed axes, out of "columns", "turn", "rows" and "center"; `instead` would explain the data equally; `hidden` is
    undetectable in this scan. `explained` is False if the rays disagree and no such correction helps. rms, expected: measured difference, and
    the difference that noise and interpolation cause. `center`: fitted column of the central ray after these corrections; `error`: its standard
    error.
    """

    consistent: bool
    faults: tuple[str, ...]
    instead: tuple[str, ...]
    hidden: tuple[str, ...]
    explained: bool
    pairs: int
    rms: float
    expected: float
    center: float
    error: float


def _named(bits: int) -> tuple[str, ...]:
    known = (lib.GT_CONJUGATE_COLUMNS, lib.GT_CONJUGATE_DIRECTION, lib.GT_CONJUGATE_ROWS, lib.GT_CONJUGATE_CENTER)
    return tuple(name for name, bit in zip(FAULTS, known) if bits & bit)


def check(p: Projections) -> Check:
    """Checks columns, rows, rotation direction and centre by conjugate rays, as `gantry info --check` does.

    Parameters
    ----------
    p : Projections
        Line integrals.

    Returns
    -------
    Check

    Examples
    --------
    >>> scan = gantry.circular(120, (4, 64), 3.0, 300, 600)
    >>> gantry.check(gantry.Projections(gantry.Phantom("shepp-logan", scale=0.3).project(scan), scan)).consistent
    True
    """
    expect(p, Projections, "p", "gantry.Projections")
    data: Array = p.data
    r = ffi.new("gt_conjugate_report *")
    check_status(lib.gt_conjugate_check(p.scan.c, pointer(data), pool(), r))
    best = r.item[r.best]
    return Check(bool(not r.faults and r.explained), _named(r.faults), _named(r.instead), _named(r.hidden), bool(r.explained), int(r.pairs),
                 best.rms, best.expected, r.center, r.error)
