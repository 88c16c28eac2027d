"""Geometry files of other programs and of scanner vendors, as `gantry geometry` reads, writes and corrects them."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._c import ffi, lib
from .arguments import expect, real
from .errors import ArgumentError, check, settle, text
from .files import Path, sign
from .geometry import Scan


def geometry_formats() -> dict[str, str]:
    """Returns the geometry formats, each with a description.

    Examples
    --------
    >>> "astra" in gantry.geometry_formats()
    True
    """
    found, i = {}, 0
    while lib.gt_geometry_kinds[i].name != ffi.NULL:
        found[text(lib.gt_geometry_kinds[i].name)] = text(lib.gt_geometry_kinds[i].about)
        i += 1
    return found


def read_geometry(path: Path, *, format: str | None = None, views: int = 0, rows: int = 0, columns: int = 0,
                  column_pitch: float | None = None, row_pitch: float | None = None, origin: tuple[float, float] | None = None,
                  length_unit: float | None = None, parallel: bool = False, direction: str = "auto", axis_side: str = "auto") -> Scan:
    """Reads the scan of a geometry file of another program or of a scanner vendor. The source of each value is logged.

    Parameters
    ----------
    path : path
        The file.
    format : str, optional
        A name of geometry_formats(); found by the contents by default.
    views, rows, columns : int
        Numbers that the file does not state.
    column_pitch, row_pitch : float, optional
        Pixel pitch that the file does not state, mm.
    origin : (float, float), optional
        Position (u, v) of the first pixel in RTK, mm.
    length_unit : float, optional
        Length unit of ASTRA and CIL files, mm.
    parallel : bool
        Vectors without a type are parallel beams.
    direction, axis_side : {"auto", "as-file", "reversed"}
        Rotation direction and side of the axis of files that leave them open; "auto" refuses such files.

    Returns
    -------
    Scan

    Examples
    --------
    >>> gantry.write_geometry("scan.leap", gantry.circular(6, (2, 4), 1.0, 50, 100))
    >>> gantry.read_geometry("scan.leap").shape
    (6, 2, 4)
    """
    o = ffi.new("gt_geometry_options *", lib.gt_geometry_defaults)
    name = ffi.NULL if format is None else ffi.new("char[]", os.fsencode(format))
    o.format, o.views, o.rows, o.columns, o.parallel = name, views, rows, columns, int(parallel)
    o.column_pitch = np.nan if column_pitch is None else column_pitch
    o.row_pitch = np.nan if row_pitch is None else row_pitch
    o.unit = np.nan if length_unit is None else length_unit
    o.direction, o.offset = sign("direction", direction), sign("axis_side", axis_side)
    if origin is not None:
        o.origin = list(origin)
    o.notes.say = lib.gt_py_message
    out = ffi.new("gt_geometry **")
    check(lib.gt_geometry_read(os.fsencode(path), o, out))
    g = ffi.gc(out[0], lib.gt_geometry_free)
    settle()
    unsaid = lib.gt_geometry_open(g)
    if unsaid:
        words = [f"{key}='as-file' or 'reversed'" for bit, key in ((lib.GT_GEOMETRY_DIRECTION, "direction"),
                                                                   (lib.GT_GEOMETRY_OFFSET, "axis_side")) if unsaid & bit]
        raise ArgumentError(f"{os.fsdecode(path)}: does not determine a sign: expected {' and '.join(words)}")
    return Scan(lib.gt_geometry_scan(g), owner=g).copy()


def write_geometry(path: Path, scan: Scan, *, format: str | None = None) -> None:
    """Writes a scan for another program; notes for its user are logged.

    Parameters
    ----------
    path : path
        RTK (.xml), ASTRA Toolbox (.npy, .json, .csv) or LEAP (.leap), by the extension.
    scan : Scan
        The geometry.
    format : str, optional
        A name of geometry_formats() in place of the extension.

    Examples
    --------
    >>> gantry.write_geometry("geometry.xml", gantry.circular(6, (2, 4), 1.0, 50, 100))
    """
    expect(scan, Scan, "scan", "a gantry.Scan")
    notes = ffi.new("gt_listener *")
    notes.say = lib.gt_py_message
    check(lib.gt_geometry_write(os.fsencode(path), ffi.NULL if format is None else os.fsencode(format), scan.c, notes))
    settle()


def correct_geometry(scan: Scan, *, column_offset: float | None = None, row_offset: float | None = None, roll: float = 0.0,
                     column_pitch: float | None = None, row_pitch: float | None = None, source_to_axis: float | None = None,
                     source_to_detector: float | None = None, start: float | None = None, range: float | None = None,
                     reverse_direction: bool = False, reverse_columns: bool = False, reverse_rows: bool = False) -> Scan:
    """Returns a scan with corrections, as `gantry geometry` makes them. Arguments that are None stay.

    Parameters
    ----------
    scan : Scan
        The scan, which stays unchanged.
    column_offset, row_offset : float, optional
        Pixels from the detector centre to the central ray.
    roll : float
        Rotation of the detector from columns towards rows, radians.
    column_pitch, row_pitch, source_to_axis, source_to_detector : float, optional
        Lengths, mm.
    start, range : float, optional
        Gantry angle of the first view and range of all views, radians; a negative range reverses the direction.
    reverse_direction, reverse_columns, reverse_rows : bool
        Reversals of rotation, columns and rows.

    Returns
    -------
    Scan

    Examples
    --------
    >>> scan = gantry.circular(6, (2, 5), 1.0, 50, 100)
    >>> gantry.correct_geometry(scan, column_offset=0.5).column_center
    2.5
    """
    c = ffi.new("gt_scan_correction *", lib.gt_scan_correction_none)
    given: dict[str, Any] = {"column_offset": column_offset, "row_offset": row_offset, "column_pitch": column_pitch, "row_pitch": row_pitch,
                             "source_to_axis": source_to_axis, "source_to_detector": source_to_detector, "start_angle": start, "turn": range}
    for name, value in given.items():
        if value is not None:
            setattr(c, name, real(value, name))
    c.roll = real(roll, "roll")
    c.reverse_direction, c.reverse_columns, c.reverse_rows = int(reverse_direction), int(reverse_columns), int(reverse_rows)
    expect(scan, Scan, "scan", "a gantry.Scan")
    corrected = scan.copy()
    check(lib.gt_scan_correct(corrected.c, c))
    return corrected.check()
