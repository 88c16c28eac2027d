"""Scans by their orbits: circles, helices and parallel beams by angles, vectors or matrices. Lengths in mm, angles in radians."""

from __future__ import annotations

import os
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._c import ffi, lib
from .arguments import kind_of, real, reals
from .errors import ArgumentError, UnsupportedError, check, text
from .geometry import SHAPES, Pair, Scan, Sizes, empty, made, sizes, table_of, two

Unit = Literal["rad", "deg"]
MAX_ANGLE = 8 * np.pi  # radians; larger angles of a circle are probably degrees
MAX_STEP = 0.2  # radians between views of a helix; larger steps are probably degrees


def _count(value: Any, what: str) -> int:
    if np.ndim(value):
        raise ArgumentError(f"{what}: {kind_of(value)} of shape {np.shape(value)}, expected a number of {what}"
                            f"{'; angles= takes an array of angles' if what == 'views' else ''}")
    (count,) = sizes([real(value, what)], what)
    return count


def _degrees(what: str, found: str) -> ArgumentError:
    return ArgumentError(f"{what}: {found}: these look like degrees, expected radians; angle_unit='deg' converts degrees, "
                         "angle_unit='rad' takes the values as radians")


def _factor(unit: str | None) -> float:
    if unit not in (None, "rad", "deg"):
        raise ArgumentError(f"angle_unit {unit!r}: expected 'rad' or 'deg'")
    return np.pi / 180 if unit == "deg" else 1.0


def _one_angle(value: Any, what: str, unit: str | None) -> float:
    angle = real(value, what) * _factor(unit)
    if unit is None and abs(angle) > MAX_ANGLE:
        raise _degrees(what, f"{angle:g} is {abs(angle) / (2 * np.pi):.3g} rotations")
    return angle


def _angles(values: Any, unit: str | None, helix: bool = False) -> NDArray[np.float64]:
    theta = reals(values, "angles") * _factor(unit)
    if theta.ndim != 1 or not theta.size:
        raise ArgumentError(f"angles: shape {theta.shape}, expected one number per view")
    if not np.isfinite(theta).all():
        raise ArgumentError(f"angles: element {int(np.argmin(np.isfinite(theta)))} is not finite, expected finite numbers")
    if unit is None and helix and theta.size > 1 and np.median(np.abs(np.diff(theta))) > MAX_STEP:
        raise _degrees("angles", f"the step is {np.median(np.abs(np.diff(theta))):.3g}, fewer than {2 * np.pi / MAX_STEP:.0f} views per rotation")
    if unit is None and not helix and np.abs(theta).max() > MAX_ANGLE:
        raise _degrees("angles", f"up to {np.abs(theta).max():g}, {np.abs(theta).max() / (2 * np.pi):.3g} rotations")
    return theta


def _offsets(offset: Any, views: int | None) -> tuple[list[float], NDArray[np.float64] | None]:
    """Returns the common offset, and the offsets [views][2] of each view if given."""
    array = reals(offset, "offset")
    if array.ndim < 2:
        return two(offset, "offset"), None
    if views is None or array.shape != (views, 2):
        raise ArgumentError(f"offset: shape {array.shape}, expected one number, two (row, column), or ({views or 'views'}, 2): one pair per view")
    if not np.isfinite(array).all():
        raise ArgumentError("offset: an offset of a view is not finite, expected pixels")
    return [0.0, 0.0], array


def _orbit(detector: str, views: Any, shape: Any, pitch: Any, offset: list[float], numbers: dict[str, float]) -> Scan:
    if detector not in SHAPES:
        raise ArgumentError(f"detector {detector!r}: expected one of {', '.join(SHAPES)}")
    rows, columns = sizes(two(shape, "shape"), "shape")
    row_pitch, column_pitch = two(pitch, "pitch")
    given = {name: real(value, name) for name, value in numbers.items()}
    given["end_view"] = int(given.get("end_view", 0))
    orbit = ffi.new("gt_orbit *", {"shape": SHAPES.index(detector), "views": _count(views, "views"), "rows": rows, "columns": columns,
                                   "row_pitch": row_pitch, "column_pitch": column_pitch, "row_offset": offset[0],
                                   "column_offset": offset[1], **given})
    return made(lambda out: lib.gt_scan_orbit(orbit, out))


def _turned(scan: Scan, theta: NDArray[np.float64], z: NDArray[np.float64] | None = None) -> Scan:
    """Places the views of an orbit at these angles, and at these z (mm)."""
    table, zero, one = scan.views, np.zeros_like(theta), np.ones_like(theta)
    outward = np.stack([-np.sin(theta), np.cos(theta), zero], 1)
    up = np.stack([zero, zero, zero if z is None else z], 1)
    near, far = float(table["source"][0, 1]), -float(table["detector"][0, 1])  # the orbit starts at angle 0
    table["source"] = near * outward + up
    table["arc_center"] = table["source"]
    table["detector"] = -far * outward + up
    table["column_axis"] = np.stack([np.cos(theta), np.sin(theta), zero], 1)
    table["row_axis"] = np.stack([zero, zero, one], 1)
    table["angle"] = theta
    return scan


def _shifted(scan: Scan, offsets: NDArray[np.float64] | None) -> Scan:
    """Shifts the detector of each view, so that the central ray meets it at the offset (row, column) from its centre."""
    if offsets is None:
        return scan.check()
    if scan.detector == "arc" and np.any(offsets[:, 1]):
        raise UnsupportedError("offset: columns per view of an arc detector, expected 0 in each; one column offset for all views is supported")
    table = scan.views
    shift = offsets[:, :1] * scan.row_pitch * table["row_axis"] + offsets[:, 1:] * scan.column_pitch * table["column_axis"]
    table["detector"] -= shift
    if scan.detector == "parallel":  # detector - source is the ray direction
        table["source"] -= shift
    return scan.check()


def _needed(function: str, **given: Any) -> None:
    missing = [name for name, value in given.items() if value is None]
    if missing:
        raise TypeError(f"{function}() misses {', '.join(missing)}")


def _views_or_angles(function: str, views: Any, angles: Any, **others: Any) -> None:
    if (views is None) == (angles is None):
        raise TypeError(f"{function}() takes a number of views or angles=, expected one of the two")
    clash = [name for name, value in others.items() if angles is not None and value]
    if clash:
        raise ArgumentError(f"{', '.join(clash)}: given with angles=, which state each view's angle: expected none")


@overload
def circular(views: int, shape: Sizes, pitch: Pair, source_to_axis: float, source_to_detector: float, *, detector: str = "flat",
             offset: Pair | ArrayLike = 0.0, start_angle: float = 0.0, turn: float | None = None, end_view: bool = False,
             angle_unit: Unit | None = None) -> Scan: ...
@overload
def circular(*, angles: ArrayLike, shape: Sizes, pitch: Pair, source_to_axis: float, source_to_detector: float, detector: str = "flat",
             offset: Pair | ArrayLike = 0.0, angle_unit: Unit | None = None) -> Scan: ...
def circular(views: Any = None, shape: Any = None, pitch: Any = None, source_to_axis: Any = None, source_to_detector: Any = None, *,
             angles: Any = None, detector: str = "flat", offset: Any = 0.0, start_angle: float = 0.0, turn: float | None = None,
             end_view: bool = False, angle_unit: Unit | None = None) -> Scan:
    """Makes a scan on a circle around the z axis, with a cone beam.

    Parameters
    ----------
    views : int
        Number of views at equal steps. `angles` replaces it.
    shape : (int, int)
        Detector rows and columns.
    pitch : float or (float, float)
        Pixel pitch at the detector, mm; one value, or row and column.
    source_to_axis, source_to_detector : float
        Distances from the source, mm.
    angles : array_like, optional
        Gantry angle of each view, in any order, instead of `views`.
    detector : {"flat", "arc", "parallel"}
        Shape of the detector. An arc is centred on the source.
    offset : float, (float, float) or array_like of shape (views, 2)
        Pixels from the detector centre to the central ray; (row, column), or one pair per view.
    start_angle, turn : float
        Angle of the first view and range of all views; `turn` is a full rotation by default.
    end_view : bool
        Whether the last view is at start_angle + turn.
    angle_unit : {"rad", "deg"}, optional
        Unit of the angles. Without it they are radians, and angles of more than 4 rotations are refused.

    Returns
    -------
    Scan

    Examples
    --------
    >>> gantry.circular(360, (64, 256), 1.0, source_to_axis=500, source_to_detector=1000)
    <gantry.Scan flat: 360 views of 64 rows x 256 columns, pitch 1 x 1 mm>
    >>> scan = gantry.circular(angles=[0, 30, 70], angle_unit="deg", shape=(8, 16), pitch=2.0, source_to_axis=500, source_to_detector=1000)
    >>> scan.views["angle"].round(3).tolist()
    [0.0, 0.524, 1.222]
    """
    _needed("circular", shape=shape, pitch=pitch, source_to_axis=source_to_axis, source_to_detector=source_to_detector)
    _views_or_angles("circular", views, angles, start_angle=start_angle, turn=turn, end_view=end_view)
    numbers = {"source_to_axis": source_to_axis, "source_to_detector": source_to_detector, "turn": 2 * np.pi}
    if angles is not None:
        theta = _angles(angles, angle_unit)
        common, each = _offsets(offset, theta.size)
        return _shifted(_turned(_orbit(detector, theta.size, shape, pitch, common, numbers), theta), each)
    common, each = _offsets(offset, _count(views, "views"))
    numbers.update(start_angle=_one_angle(start_angle, "start_angle", angle_unit), end_view=end_view)
    if turn is not None:
        numbers["turn"] = _one_angle(turn, "turn", angle_unit)
    return _shifted(_orbit(detector, views, shape, pitch, common, numbers), each)


@overload
def helical(views: int, turns: float, table_feed: float, shape: Sizes, pitch: Pair, source_to_axis: float, source_to_detector: float, *,
            detector: str = "arc", offset: Pair | ArrayLike = 0.0, start_angle: float = 0.0, z_center: float = 0.0,
            angle_unit: Unit | None = None) -> Scan: ...
@overload
def helical(*, angles: ArrayLike, table_feed: float, shape: Sizes, pitch: Pair, source_to_axis: float, source_to_detector: float,
            detector: str = "arc", offset: Pair | ArrayLike = 0.0, z_center: float = 0.0, angle_unit: Unit | None = None) -> Scan: ...
def helical(views: Any = None, turns: Any = None, table_feed: Any = None, shape: Any = None, pitch: Any = None, source_to_axis: Any = None,
            source_to_detector: Any = None, *, angles: Any = None, detector: str = "arc", offset: Any = 0.0, start_angle: float = 0.0,
            z_center: float = 0.0, angle_unit: Unit | None = None) -> Scan:
    """Makes a scan on a helix around the z axis, with a cone beam.

    Parameters
    ----------
    views : int
        Number of views of all rotations. `angles` replaces `views` and `turns`.
    turns : float
        Number of rotations.
    table_feed : float
        Path along z per rotation, mm; negative: downwards.
    shape : (int, int)
        Detector rows and columns.
    pitch : float or (float, float)
        Pixel pitch at the detector, mm; one value, or row and column.
    source_to_axis, source_to_detector : float
        Distances from the source, mm.
    angles : array_like, optional
        Gantry angle of each view, unwrapped: they grow by 2 pi per rotation.
    detector : {"arc", "flat"}
        Shape of the detector.
    offset : float, (float, float) or array_like of shape (views, 2)
        Pixels from the detector centre to the central ray; (row, column), or one pair per view.
    start_angle : float
        Angle of the first view.
    z_center : float
        Mean z of the first and the last view, mm.
    angle_unit : {"rad", "deg"}, optional
        Unit of the angles. Without it they are radians, and `angles` with fewer than 31 views per rotation are refused.

    Returns
    -------
    Scan

    Examples
    --------
    >>> gantry.helical(2000, turns=4, table_feed=24, shape=(32, 512), pitch=1.0, source_to_axis=570, source_to_detector=1040)
    <gantry.Scan arc: 2000 views of 32 rows x 512 columns, pitch 1 x 1 mm>
    """
    _needed("helical", table_feed=table_feed, shape=shape, pitch=pitch, source_to_axis=source_to_axis, source_to_detector=source_to_detector)
    _views_or_angles("helical", views, angles, turns=turns, start_angle=start_angle)
    numbers = {"source_to_axis": source_to_axis, "source_to_detector": source_to_detector, "pitch_per_turn": table_feed, "z_center": z_center}
    if angles is not None:
        theta = _angles(angles, angle_unit, helix=True)
        common, each = _offsets(offset, theta.size)
        z = real(z_center, "z_center") + real(table_feed, "table_feed") * (theta - (theta[0] + theta[-1]) / 2) / (2 * np.pi)
        return _shifted(_turned(_orbit(detector, theta.size, shape, pitch, common, {**numbers, "turn": 2 * np.pi}), theta, z), each)
    _needed("helical", turns=turns)
    common, each = _offsets(offset, _count(views, "views"))
    numbers.update(start_angle=_one_angle(start_angle, "start_angle", angle_unit), turn=2 * np.pi * real(turns, "turns"))
    return _shifted(_orbit(detector, views, shape, pitch, common, numbers), each)


def parallel(angles: ArrayLike, shape: Sizes, pitch: Pair, *, offset: Pair | ArrayLike = 0.0, angle_unit: Unit | None = None) -> Scan:
    """Makes a scan with parallel beams.

    Parameters
    ----------
    angles : array_like
        Gantry angle of each view, in any order.
    shape : (int, int)
        Detector rows and columns.
    pitch : float or (float, float)
        Pixel pitch, mm; one value, or row and column.
    offset : float, (float, float) or array_like of shape (views, 2)
        Pixels from the detector centre to the projected axis; (row, column), or one pair per view.
    angle_unit : {"rad", "deg"}, optional
        Unit of the angles. Without it they are radians, and angles of more than 4 rotations are refused.

    Returns
    -------
    Scan

    Examples
    --------
    >>> gantry.parallel(np.arange(0, 180, 0.5), (1, 256), 1.0, angle_unit="deg")
    <gantry.Scan parallel: 360 views of 1 rows x 256 columns, pitch 1 x 1 mm>
    """
    theta = _angles(angles, angle_unit)
    common, each = _offsets(offset, theta.size)
    return _shifted(_turned(_orbit("parallel", theta.size, shape, pitch, common, {"turn": 2 * np.pi}), theta), each)


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


def scanners() -> dict[str, str]:
    """Returns the names of scanner(), each with a description.

    Examples
    --------
    >>> "ge-ct750hd" in gantry.scanners()
    True
    """
    found, i = {}, 0
    while lib.gt_scanners[i].name != ffi.NULL:
        found[text(lib.gt_scanners[i].name)] = text(lib.gt_scanners[i].about)
        i += 1
    return found


def scanner(name: str, reduce: int = 1) -> Scan:
    """Makes the scan of a scanner by its name.

    Parameters
    ----------
    name : str
        One of scanners().
    reduce : int
        Factor by which views, rows and columns are fewer and pixels larger.

    Returns
    -------
    Scan

    Examples
    --------
    >>> gantry.scanner("ge-ct750hd", reduce=8).shape
    (123, 8, 111)
    """
    found = lib.gt_scanner_find(os.fsencode(name)) if isinstance(name, str) else ffi.NULL
    if found == ffi.NULL:
        raise ArgumentError(f"scanner {name!r}: expected one of {', '.join(scanners())}")
    orbit = ffi.new("gt_orbit *", found.orbit)
    lib.gt_orbit_reduce(orbit, _count(reduce, "reduce"))
    return made(lambda out: lib.gt_scan_orbit(orbit, out))
