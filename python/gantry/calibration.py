"""Geometry calibration of a scan from its projections, as `gantry calibrate` does."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from ._c import ffi, lib
from .arguments import expect
from .backend import Array, borrowed, host_array, pointer
from .data import Projections
from .errors import ArgumentError, check, settle, text
from .files import Path
from .geometry import Scan


class Correction(NamedTuple):
    """A correction common to all views and its standard error: pixels of the centre, mm of the distance, else radians.

    identifiable is False if the projections do not determine the parameter; its value is then unchanged.
    """

    value: float
    error: float
    identifiable: bool


class Calibration(NamedTuple):
    """The corrected scan, corrections by name, root mean square residual of the line integrals before and after, number of
    iterations, and whether the last step was within the tolerance."""

    scan: Scan
    corrections: dict[str, Correction]
    before: float
    after: float
    iterations: int
    converged: bool


class BeadCalibration(NamedTuple):
    """Results of a calibration by bead projections.

    places, place_errors: bead positions in the frame of the scan and their standard errors, mm [bead][3]. shadows, model: measured and
    modelled bead projections, (column, row) [view][bead][2]; nan: not detected, or not separate. view_residual: residual of each view, pixels.
    view_errors: standard errors of source and detector of each view, mm [view][2]; nan for views with the common geometry.
    views_alone: number of views with their own geometry. before, after: root mean square residual of one coordinate, pixels.
    """

    scan: Scan
    corrections: dict[str, Correction]
    places: Array
    place_errors: Array
    shadows: Array
    model: Array
    view_residual: Array
    view_errors: Array
    views_alone: int
    before: float
    after: float


class JitterCalibration(NamedTuple):
    """Shift of each view: (columns, rows) from its nominal to its measured position, and standard errors, [view][2].

    identifiable: whether the projections determine the shifts of columns and rows; others are unchanged. change: shift in the last round, pixels.
    before, after: root mean square residual of the line integrals.
    """

    scan: Scan
    shifts: Array
    errors: Array
    identifiable: tuple[bool, bool]
    before: float
    after: float
    change: float
    rounds: int
    converged: bool


def _backend(o: Any, name: str | None) -> Any:
    """Sets the backend of options and returns the memory that must outlive them."""
    held = None if name is None else ffi.new("char[]", os.fsencode(name))
    o.backend = ffi.NULL if held is None else held
    return held


def calibrate(p: Projections, *, find: str = "center,roll", iterations: int = 12, columns: int = 96, views: int = 180,
              threads: int = 0, backend: str | None = None) -> Calibration:
    """Finds the geometry of a scan from its projections, as `gantry calibrate` does; p stays unchanged.

    Parameters
    ----------
    p : Projections
        Line integrals.
    find : str
        Names of axis (or center), roll, slant, tilt, distance, axis-tilt, with commas between.
    iterations : int
        Maximum number of iterations.
    columns, views : int
        The scan is coarsened to at most this number of columns and views.
    threads : int
        Threads; 0: all processors.
    backend : str, optional
        "auto", "cpu:2", "cuda:0".

    Returns
    -------
    Calibration
        The corrected scan, and each correction with its standard error.

    Examples
    --------
    >>> scan = gantry.circular(40, (6, 48), 4.0, 300, 600, offset=(0, 1.2))
    >>> p = gantry.Phantom("shepp-logan", scale=0.4).project(scan)
    >>> c = gantry.calibrate(gantry.Projections(p, gantry.correct_geometry(scan, column_offset=0)), find="center")
    >>> round(c.corrections["center"].value)
    1
    """
    expect(p, Projections, "p", "gantry.Projections")
    names = [text(lib.gt_calibrate_names[k]) for k in range(lib.GT_CALIBRATE_PARAMETERS)]
    wanted = [{"axis": "center"}.get(word.strip(), word.strip()) for word in find.split(",")]
    for word in wanted:
        if word not in names:
            raise ArgumentError(f"find: {word!r}, expected names out of {', '.join(names)}")
    o = ffi.new("gt_calibrate_options *", lib.gt_calibrate_defaults)
    o.what = sum(1 << names.index(word) for word in set(wanted))
    o.iterations, o.columns, o.views, o.threads = iterations, columns, views, threads
    o.notes.say, _held = lib.gt_py_message, _backend(o, backend)
    mine, r = Projections(p.data, p.scan), ffi.new("gt_calibration *")
    check(lib.gt_calibrate(mine.c, o, r))
    settle()
    found = {name: Correction(c.value, c.error, bool(c.identifiable)) for name, c in zip(names, r.parameter) if c.asked}
    return Calibration(mine.scan.copy(), found, r.before, r.after, int(r.iterations), bool(r.converged))


def _copied(c: Any, shape: tuple[int, ...]) -> Array:
    """Copies doubles of the library into a new array."""
    return np.array(borrowed(ffi.cast("double *", c), shape, None, dtype=np.float64))


def _balls(beads: Any) -> tuple[int, Array | None]:
    """Returns the number of beads, and their positions if these are known."""
    if isinstance(beads, (int, np.integer)):
        return int(beads), None
    if isinstance(beads, (str, os.PathLike)):
        out, n = ffi.new("double (**)[3]"), ffi.new("size_t *")
        check(lib.gt_beads_read(os.fsencode(beads), out, n))
        places = _copied(out[0], (n[0], 3))
        lib.gt_free(out[0])
    else:
        places = host_array(beads, np.float64, "beads")
        if places.ndim != 2 or places.shape[1] != 3:
            raise ArgumentError(f"beads: shape {places.shape}, expected (beads, 3), positions in mm")
    return len(places), places


def calibrate_beads(p: Projections, beads: int | Path | Array, *, span: float | None = None, each_view: bool = False) -> BeadCalibration:
    """Finds the geometry of a scan from bead projections, as `gantry calibrate --beads` does; p stays unchanged.

    Parameters
    ----------
    p : Projections
        Line integrals of beads.
    beads : int, path or array_like
        Number of beads, or their positions: an array [bead][3] in mm in any right-handed frame, or a file with a line "x y z" per bead.
    span : float, optional
        Distance of the two beads that are furthest apart, mm. Without it and without positions, the distance from source to axis is not
        identifiable.
    each_view : bool
        Finds source and detector of each view independently; needs at least six beads, not in one plane.

    Returns
    -------
    BeadCalibration
    """
    expect(p, Projections, "p", "gantry.Projections")
    count, places = _balls(beads)
    if span is not None and places is not None:
        raise ArgumentError("span: found positions of the beads, expected None")
    o = ffi.new("gt_beads_options *", lib.gt_beads_defaults)
    o.beads, o.span, o.each_view, o.notes.say = max(count, 0), 0 if span is None else span, int(each_view), lib.gt_py_message
    o.place = pointer(places, "double (*)[3]")
    mine, r = Projections(p.data, p.scan), ffi.new("gt_beads_report *")
    try:
        check(lib.gt_calibrate_beads(mine.c, o, r))
        settle()
        names = [text(lib.gt_beads_names[k]) for k in range(lib.GT_BEADS_PARAMETERS)]
        found = {name: Correction(r.value[k], r.error[k], bool(r.identifiable[k])) for k, name in enumerate(names)}
        sights = _copied(r.sight, (r.views, r.beads, 4))
        return BeadCalibration(mine.scan.copy(), found, _copied(r.place, (r.beads, 3)), _copied(r.place_error, (r.beads, 3)),
                               sights[..., :2].copy(), sights[..., 2:].copy(), _copied(r.view_rms, (r.views,)),
                               _copied(r.view_error, (r.views, 2)), int(r.views_alone), r.before, r.after)
    finally:
        lib.gt_beads_free(r)


def calibrate_jitter(p: Projections, *, rounds: int = 30, columns: int = 96, threads: int = 0,
                     backend: str | None = None) -> JitterCalibration:
    """Finds the shift of each view from the projections, as `gantry calibrate --jitter` does; p stays unchanged.

    A wrong centre resembles jitter: call calibrate() first.

    Parameters
    ----------
    p : Projections
        Line integrals.
    rounds : int
        Maximum number of rounds.
    columns : int
        The scan is coarsened to at most this number of columns.
    threads : int
        Threads; 0: all processors.
    backend : str, optional
        "auto", "cpu:2", "cuda:0".

    Returns
    -------
    JitterCalibration
    """
    expect(p, Projections, "p", "gantry.Projections")
    o = ffi.new("gt_jitter_options *", lib.gt_jitter_defaults)
    o.rounds, o.columns, o.threads, o.notes.say = rounds, columns, threads, lib.gt_py_message
    _held = _backend(o, backend)
    mine, r = Projections(p.data, p.scan), ffi.new("gt_jitter *")
    try:
        check(lib.gt_calibrate_jitter(mine.c, o, r))
        settle()
        return JitterCalibration(mine.scan.copy(), _copied(r.shift, (r.views, 2)), _copied(r.error, (r.views, 2)),
                                 (bool(r.identifiable[0]), bool(r.identifiable[1])), r.before, r.after, r.change, int(r.rounds), bool(r.converged))
    finally:
        lib.gt_jitter_free(r)
