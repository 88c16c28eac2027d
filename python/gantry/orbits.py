"""Scans by their orbits: circles, helices and parallel beams, by angles or by a scanner. Lengths in mm, angles in radians."""

from __future__ import annotations

import os
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._c import ffi, lib
from .arguments import kind_of, real, reals
from .errors import ArgumentError, UnsupportedError, text
from .geometry import SHAPES, Pair, Scan, Sizes, made, sizes, two

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
        raise ArgumentError(f"angles: shape {theta.shape}, expected one number per view, as [0.3]")
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
    near, whole = given.get("source_to_axis", 0.0), given.get("source_to_detector", 0.0)
    if 0 < whole < near:
        raise ArgumentError(f"source_to_detector: {whole:g} mm, expected at least source_to_axis, {near:g} mm: are the two exchanged?")
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


def _at_angles(detector: str, theta: NDArray[np.float64], shape: Any, pitch: Any, offset: Any, numbers: dict[str, float],
               z: NDArray[np.float64] | None = None) -> Scan:
    """Makes a scan whose views are at these angles (radians), and at these z (mm)."""
    common, each = _offsets(offset, theta.size)
    orbit = _orbit(detector, theta.size, shape, pitch, common, {**numbers, "turn": 2 * np.pi})
    return _shifted(_turned(orbit, theta, z), each)


def _at_steps(detector: str, views: Any, shape: Any, pitch: Any, offset: Any, numbers: dict[str, Any]) -> Scan:
    """Makes a scan whose views are at equal steps."""
    common, each = _offsets(offset, _count(views, "views"))
    return _shifted(_orbit(detector, views, shape, pitch, common, numbers), each)


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
        Gantry angle of each view, radians or `angle_unit`, in any order, instead of `views`.
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
    numbers = {"source_to_axis": source_to_axis, "source_to_detector": source_to_detector}
    if angles is not None:
        return _at_angles(detector, _angles(angles, angle_unit), shape, pitch, offset, numbers)
    numbers.update(start_angle=_one_angle(start_angle, "start_angle", angle_unit), end_view=end_view,
                   turn=2 * np.pi if turn is None else _one_angle(turn, "turn", angle_unit))
    return _at_steps(detector, views, shape, pitch, offset, numbers)


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
    shape, pitch, source_to_axis, source_to_detector
        Detector and distances (mm), as in circular().
    angles : array_like, optional
        Gantry angle of each view, radians or `angle_unit`, unwrapped: they grow by 2 pi per rotation.
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
        z = real(z_center, "z_center") + real(table_feed, "table_feed") * (theta - (theta[0] + theta[-1]) / 2) / (2 * np.pi)
        return _at_angles(detector, theta, shape, pitch, offset, numbers, z)
    _needed("helical", turns=turns)
    numbers.update(start_angle=_one_angle(start_angle, "start_angle", angle_unit), turn=2 * np.pi * real(turns, "turns"))
    return _at_steps(detector, views, shape, pitch, offset, numbers)


def parallel(angles: ArrayLike, shape: Sizes, pitch: Pair, *, offset: Pair | ArrayLike = 0.0, angle_unit: Unit | None = None) -> Scan:
    """Makes a scan with parallel beams.

    Parameters
    ----------
    angles : array_like
        Gantry angle of each view, radians or `angle_unit`, in any order.
    shape : (int, int)
        Detector rows and columns.
    pitch : float or (float, float)
        Pixel pitch, mm; one value, or row and column.
    offset : float, (float, float) or array_like of shape (views, 2)
        Pixels from the detector centre to the projected axis; (row, column), or one pair per view.
    angle_unit : {"rad", "deg"}, optional
        Unit of the angles, as in circular().

    Returns
    -------
    Scan

    Examples
    --------
    >>> gantry.parallel(np.arange(0, 180, 0.5), (1, 256), 1.0, angle_unit="deg")
    <gantry.Scan parallel: 360 views of 1 rows x 256 columns, pitch 1 x 1 mm>
    """
    return _at_angles("parallel", _angles(angles, angle_unit), shape, pitch, offset, {})


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
