"""Measured projections made fit for a reconstruction: what `gantry prepare` and `gantry calibrate` do."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

import numpy as np

from ._c import ffi, lib
from .backend import Array, check_shape, host_array, pointer
from .data import Projections
from .errors import ArgumentError, check, settle, text
from .geometry import Scan


def preparations() -> dict[str, str]:
    """The steps of prepare() in the order in which they belong, each with a line about it."""
    found, i = {}, 0
    while lib.gt_preparations[i] != ffi.NULL:
        found[text(lib.gt_preparations[i].name)] = text(lib.gt_preparations[i].about)
        i += 1
    return found


def _step(name: str, value: Any) -> str:
    """"STEP:key=value,..." of what a step is given: True, a number, a text of the command, or a dict of its parameters."""
    if isinstance(value, dict):
        return f"{name}:" + ",".join(f"{k.replace('_', '-')}={v}" for k, v in value.items())
    words = str(value)
    if value is True or (words == "auto" and name in ("zingers", "bad-pixels")):
        return name
    if name == "views":
        first, last, step = (words.split(":") + ["1"])[:3] if words.count(":") in (1, 2) else (words, "", "")
        return f"views:from={first},to={last},step={step}"
    if name == "bin" and words.isdigit():
        return f"bin:rows={words},columns={words}"
    method = re.split("[:,=]", words, maxsplit=1)[0]
    rest = words[len(method) :]
    return f"{name}:{words}" if rest.startswith("=") else f"{name}:method={method}" + (f",{rest[1:]}" if rest else "")


def _fields(given: Any, p: Projections, what: str, keep: list[Any]) -> dict[str, Any]:
    if given is None:
        return {"data": ffi.NULL, "images": 0}
    images = host_array(given, np.float32, what)
    check_shape(what, images.shape[1:], p.scan.shape[1:], "[image][row][column]")
    keep.append(images)
    return {"data": pointer(images), "images": len(images)}


def _copy(p: Projections) -> Any:
    """The library's own copy of projections, which the caller frees."""
    out = ffi.new("gt_projections **")
    check(lib.gt_projections_new(p.scan.c, out))
    ffi.memmove(lib.gt_projections_data(out[0]), pointer(p.data), p.data.nbytes)
    record = lib.gt_projections_provenance(p.c)
    done = [lib.gt_projections_set_water(out[0], p.water), lib.gt_projections_set_position(out[0], lib.gt_projections_position(p.c)),
            lib.gt_projections_set_provenance(out[0], record.command, record.parameters, ffi.NULL)]
    for get, give in ((lib.gt_projections_weights, lib.gt_projections_set_weights), (lib.gt_projections_photons, lib.gt_projections_set_photons)):
        if get(p.c) != ffi.NULL:
            done.append(give(out[0], get(p.c)))
    if any(done):
        lib.gt_projections_free(out[0])
        check(next(status for status in done if status))
    return out


def prepare(p: Projections, *, auto: bool = False, flats: Array | None = None, darks: Array | None = None, threads: int = 0,
            **steps: Any) -> Projections:
    """Projections without the faults of their measurement: a copy, on which the steps are done in the library's order, as by
    `gantry prepare`; preparations() lists them.

    A step takes what the command's option does, a number, or a dict of its parameters: rings="gain", views="0:-1:2", bin=2,
    bad_pixels="auto", scatter={"fraction": 0.05}; True: its defaults. auto: looks at the data first and does what they need. flats, darks:
    images [image][row][column] in counts, which bad_pixels and auto can use. What was found and done is logged.
    """
    known = list(preparations())
    named = {name.replace("_", "-"): value for name, value in steps.items() if value is not None and value is not False}
    for name in named:
        if name not in known:
            raise ArgumentError(f"step {name!r}: expected one of {', '.join(known)}")
    specs = [_step(name, named[name]) for name in known if name in named]
    for spec in specs:
        module, options = ffi.new("const gt_module **"), ffi.new("void **")
        check(lib.gt_module_parse(b"preparation", os.fsencode(spec), module, options))
        lib.gt_free(options[0])
    keep: list[Any] = []
    o = ffi.new("gt_prepare_options *", lib.gt_prepare_defaults)
    o.threads, o.notes.say = threads, lib.gt_py_message
    o.flats, o.darks = _fields(flats, p, "flats", keep), _fields(darks, p, "darks", keep)
    out, shape = _copy(p), p.scan.shape[1:]
    try:
        if auto:
            check(lib.gt_prepare_auto(out, o, ffi.NULL))
        for spec in specs:
            check(lib.gt_prepare(out, os.fsencode(spec), o))
            scan = lib.gt_projections_scan(out[0])
            if (scan.rows, scan.columns) != shape:  # fields are those of the whole detector
                o.flats.images = o.darks.images = 0
    except BaseException:
        lib.gt_projections_free(out[0])
        raise
    done = Projections.from_c(out[0])
    settle()
    return done


class Correction(NamedTuple):
    """A correction that all views share, and its standard error: pixels of the center, mm of the distance, else radians. told False:
    the projections do not say, and the value stayed."""

    value: float
    error: float
    told: bool


class Calibration(NamedTuple):
    """The corrected scan, each correction by its name, what no volume explains of line integrals before and after (root mean square),
    steps done, and whether the last one was within what is tolerated."""

    scan: Scan
    corrections: dict[str, Correction]
    before: float
    after: float
    iterations: int
    converged: bool


def calibrate(p: Projections, *, find: str = "center,roll", iterations: int = 12, columns: int = 96, views: int = 180,
              threads: int = 0) -> Calibration:
    """The geometry of a scan from its own projections, as `gantry calibrate` finds it; p stays as it is.

    find: names out of center, roll, slant, tilt, distance with commas between. iterations: at most. columns, views: the scan is
    coarsened to so many at most.
    """
    names = [text(lib.gt_calibrate_names[k]) for k in range(lib.GT_CALIBRATE_PARAMETERS)]
    wanted = [word.strip() for word in find.split(",")]
    for word in wanted:
        if word not in names:
            raise ArgumentError(f"find: {word!r}, expected names out of {', '.join(names)}")
    o = ffi.new("gt_calibrate_options *", lib.gt_calibrate_defaults)
    o.what = sum(1 << names.index(word) for word in set(wanted))
    o.iterations, o.columns, o.views, o.threads = iterations, columns, views, threads
    o.notes.say = lib.gt_py_message
    mine, r = Projections(p.data, p.scan), ffi.new("gt_calibration *")
    check(lib.gt_calibrate(mine.c, o, r))
    settle()
    found = {name: Correction(c.value, c.error, bool(c.told)) for name, c in zip(names, r.parameter) if c.asked}
    return Calibration(mine.scan.copy(), found, r.before, r.after, int(r.iterations), bool(r.converged))
