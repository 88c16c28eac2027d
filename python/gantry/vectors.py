"""Scans of any orbit, by the vectors or the projection matrices of their views. Lengths in mm, angles in radians."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._c import ffi, lib
from .arguments import real, reals
from .errors import ArgumentError
from .geometry import Pair, Scan, Sizes, empty, made, sizes, table_of, two


def from_views(source: ArrayLike, detector: ArrayLike, column_axis: ArrayLike, row_axis: ArrayLike, shape: Sizes, pitch: Pair, *,
               kind: str = "flat", center: Pair | None = None, angle: ArrayLike | None = None, arc_center: ArrayLike | None = None,
               source_to_detector: float = 0.0, source_to_axis: float = 0.0, pitch_per_turn: float = 0.0) -> Scan:
    """Makes a scan of any orbit by arrays [views][3] of x, y, z.

    Parameters
    ----------
    source : array_like
        Position of the source in each view, mm.
    detector : array_like
        Position of the detector at the pixel index `center`, mm.
    column_axis, row_axis : array_like
        Unit vectors along which column and row indices grow.
    shape : (int, int)
        Detector rows and columns.
    pitch : float or (float, float)
        Pixel pitch at the detector, mm; one value, or row and column.
    kind : {"flat", "arc", "parallel"}
        Shape of the detector.
    center : (float, float), optional
        Pixel index (row, column) of `detector`; the centre of the detector by default.
    angle : array_like, optional
        Gantry angle of each view, radians.
    arc_center : array_like, optional
        Centre of the arc in each view, mm; `source` by default.
    source_to_detector, source_to_axis, pitch_per_turn : float
        Nominal distances and table feed of the scan, mm; 0: unknown.

    Returns
    -------
    Scan

    Examples
    --------
    >>> t = gantry.circular(8, (4, 6), 2.0, 100, 200).views
    >>> gantry.from_views(t["source"], t["detector"], t["column_axis"], t["row_axis"], (4, 6), 2.0)
    <gantry.Scan flat: 8 views of 4 rows x 6 columns, pitch 2 x 2 mm>
    """
    given = {"source": source, "detector": detector, "column_axis": column_axis, "row_axis": row_axis,
             "arc_center": source if arc_center is None else arc_center}
    vectors = {name: reals(values, name) for name, values in given.items()}
    views = len(vectors["source"]) if vectors["source"].ndim else 0
    for name, values in vectors.items():
        if values.shape != (views, 3):
            raise ArgumentError(f"{name}: shape {values.shape}, expected ({views or 'views'}, 3): x, y, z of each view")
    rows, columns = sizes(two(shape, "shape"), "shape")
    c = empty(kind, (views, rows, columns))
    c.row_pitch, c.column_pitch = two(pitch, "pitch")
    c.row_center, c.column_center = two([(rows - 1) / 2, (columns - 1) / 2] if center is None else center, "center")
    for name, value in (("source_to_detector", source_to_detector), ("source_to_axis", source_to_axis), ("pitch_per_turn", pitch_per_turn)):
        setattr(c, name, real(value, name))
    table = table_of(c)
    for name, values in vectors.items():
        table[name] = values
    table["angle"] = np.nan if angle is None else _view_angles(angle, views)
    return Scan(c, c)


def _view_angles(angle: Any, views: int) -> NDArray[np.float64]:
    theta = reals(angle, "angle")
    if theta.shape not in ((), (views,)):
        raise ArgumentError(f"angle: shape {theta.shape}, expected ({views},): radians of each view")
    return theta


def from_matrices(matrices: ArrayLike, shape: Sizes, source_to_detector: float) -> Scan:
    """Makes a scan with flat detectors by projection matrices, as Scan.matrices() returns them.

    Parameters
    ----------
    matrices : array_like
        3x4 matrices [views][3][4] of any scale and sign: (column w, row w, w) = M (x, y, z, 1), mm.
    shape : (int, int)
        Detector rows and columns.
    source_to_detector : float
        Distance that sets the pixel pitch, mm. A matrix does not contain it.

    Returns
    -------
    Scan

    Examples
    --------
    >>> scan = gantry.circular(8, (4, 6), 2.0, 100, 200)
    >>> gantry.from_matrices(scan.matrices(), (4, 6), source_to_detector=200)
    <gantry.Scan flat: 8 views of 4 rows x 6 columns, pitch 2 x 2 mm>
    """
    m = np.ascontiguousarray(reals(matrices, "matrices"))
    if m.ndim != 3 or m.shape[1:] != (3, 4):
        raise ArgumentError(f"matrices: shape {m.shape}, expected (views, 3, 4)")
    rows, columns = sizes(two(shape, "shape"), "shape")
    c = ffi.cast("double (*)[12]", m.__array_interface__["data"][0])
    distance = real(source_to_detector, "source_to_detector")
    return made(lambda out: lib.gt_scan_from_matrices(c, len(m), rows, columns, distance, out))
