"""Motions of the views: moved scans, and the derivative of projections by the motions."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import foreign
from ._c import ffi, lib
from .arguments import expect, reals
from .backend import Array, Backend, Lent, backend, c_type, check_shape, finite, host_array
from .data import values_of
from .errors import ArgumentError, check, text
from .geometry import Grid, Scan, made
from .projector import PROJECTIONS, Operator, Transpose, checked

MOTIONS = tuple(text(lib.gt_motion_names[i]) for i in range(int(lib.GT_MOTIONS)))
"""Parameters of a view: shifts and distance of the detector and positions of the source in mm, rotations in radians."""
AXES = "[view][parameter]"


def _table(motion: Any, scan: Scan) -> Array:
    table = np.ascontiguousarray(reals(motion, "motion"))
    check_shape("motion", table.shape, (len(scan), len(MOTIONS)), AXES)
    return table


def moved(scan: Scan, motion: Any) -> Scan:
    """Returns a copy of a scan with moved views.

    Parameters
    ----------
    scan : Scan
        The geometry.
    motion : array of shape (views, 9)
        Columns as in gantry.MOTIONS: "shift_u", "shift_v", "distance" of the detector along its axes and away from the source,
        "tilt", "slant", "roll" of the detector about its point `detector`, and "source_x", "source_y", "source_z".

    Examples
    --------
    >>> scan = gantry.circular(4, 8, 1.0, 100, 200)
    >>> motion = np.zeros((4, 9))
    >>> motion[:, gantry.MOTIONS.index("source_z")] = 0.5
    >>> gantry.moved(scan, motion).views["source"][:, 2].tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    expect(scan, Scan, "scan", "a gantry.Scan, as gantry.circular() makes it")
    table = _table(motion, scan)
    return made(lambda out: lib.gt_scan_move(scan.c, ffi.from_buffer("double[]", table), out))


class _Motions:
    """The space of motions, with the shape that operators need."""

    def __init__(self, scan: Scan) -> None:
        self.shape = len(scan), len(MOTIONS)


class MotionDerivative(Operator):
    """The derivative of the projections of a volume by the motions of the views, as an operator with an exact transpose.

    It maps motions (views, 9) to projections [view][row][column]. Both directions cost about one projection.

    Parameters
    ----------
    scan : Scan
        Geometry before the motion.
    grid : Grid
        Voxels.
    volume : array
        The projected volume [z][y][x] of the type `dtype`, in host memory or a CUDA tensor on the device. It is used in place where possible.
    motion : array, optional
        Motions (views, 9) at which to differentiate (default: 0).
    model : str
        A projector with a derivative: "joseph", "dd" or "sf-tr".
    device, dtype
        As for Projector.

    Examples
    --------
    >>> scan, grid = gantry.circular(12, (4, 16), 4.0, 300, 600), gantry.Grid((4, 12, 12), 2.5)
    >>> x = np.random.default_rng(1).random(grid.shape)
    >>> D = gantry.MotionDerivative(scan, grid, x, device="cpu", dtype=np.float64)
    >>> D.T(np.ones(D.range_shape)).shape
    (12, 9)
    """

    axes = AXES, PROJECTIONS

    def __init__(self, scan: Scan, grid: Grid | None, volume: Any, motion: Any = None, model: str = "joseph", *,
                 device: str | Backend | None = None, dtype: DTypeLike = np.float32) -> None:
        self.scan, self.grid = checked(scan, grid)
        expect(model, str, "model", "the name of a projector, as 'joseph'")
        self.model, be, kind = model, backend(device), np.dtype(dtype)
        table = None if motion is None else _table(motion, scan)
        self._volume, array = _lend(be, values_of(volume, self.grid, "volume", "the operator"), kind, self.grid.shape)
        out = ffi.new("gt_linop **")
        check(lib.gt_projector_derivative(os.fsencode(model), self.grid.c, scan.c, ffi.NULL if table is None else ffi.from_buffer("double[]", table),
                                          array, out))
        derivative = ffi.gc(out[0], lib.gt_linop_free)
        check(lib.gt_backend_status(be.c))
        super().__init__(derivative, be, kind, (_Motions(scan), scan), False)  # type: ignore[arg-type]
        self._backward = Transpose(self)

    @property
    def T(self) -> Operator:
        """The transpose: from projections to motions."""
        return self._backward

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a MotionDerivative cannot be pickled: it refers to its volume")


def _lend(be: Backend, volume: Any, kind: np.dtype[Any], shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Returns the owner of a library array of the volume, and this array."""
    on_gpu = foreign.is_foreign(volume) and foreign._place(volume)[0] == foreign.CUDA
    if not on_gpu:
        array = finite(host_array(volume, kind, "volume"), be, "volume")
        check_shape("volume", array.shape, shape, "[z][y][x]")
        lent = Lent(be, array)
        return lent, lent.c
    number = foreign._place(volume)[1]
    if be.name != f"cuda:{number}":
        raise ArgumentError(f"volume: is on cuda:{number}, expected {be.name}")
    if foreign._name(volume) != "torch":
        raise ArgumentError(f"volume: an array of {foreign._name(volume)} on a GPU, expected a tensor of PyTorch, or host memory")
    check_shape("volume", tuple(volume.shape), shape, "[z][y][x]")
    wanted = getattr(foreign._library(volume), kind.name)
    volume = volume.detach().to(wanted).contiguous()
    out = ffi.new("gt_array **")
    count = int(np.prod(shape))
    check(lib.gt_array_wrap(be.c, c_type(kind), count, ffi.cast("void *", foreign._address(volume)), out))
    array = ffi.gc(out[0], lib.gt_array_free)
    return (volume, array), array
