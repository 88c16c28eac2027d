"""Preparation of measured projections, as `gantry prepare` does."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from ._c import ffi, lib
from .arguments import expect
from .backend import Array, backend as opened, check_shape, host_array, pointer
from .data import Projections
from .errors import ArgumentError, check, keep as keep_raised, settle, text, thread
from .geometry import Scan

if TYPE_CHECKING:
    from .arguments import Unpack

Step = bool | int | float | str | dict[str, Any] | None


class Steps(TypedDict, total=False):
    """Steps of prepare(), for type checkers."""

    lag: Step
    views: Step
    crop: Step
    bad_pixels: Step
    dynamic_flats: Step
    air: Step
    zingers: Step
    scatter: Step
    phase: Step
    bin: Step
    beam_hardening: Step
    rings: Step
    metal: Step
    extend: Step


def preparations() -> dict[str, str]:
    """Returns the steps of prepare() in their order, each with a description.

    Examples
    --------
    >>> "rings" in gantry.preparations()
    True
    """
    found, i = {}, 0
    while lib.gt_preparations[i] != ffi.NULL:
        found[text(lib.gt_preparations[i].name)] = text(lib.gt_preparations[i].about)
        i += 1
    return found


def _step(name: str, value: Any) -> str:
    """Returns "STEP:key=value,..." from the value of a step: True, a number, a text of the command, or a dict of parameters."""
    if isinstance(value, dict):
        return f"{name}:" + ",".join(f"{k.replace('_', '-')}={v}" for k, v in value.items())
    words = str(value)
    if value is True or (words == "auto" and name in ("zingers", "bad-pixels", "metal")):
        return name
    if name == "views":
        return f"views:range={words}"
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


def copied(p: Any) -> Any:
    """Returns a copy of projections in the library, which the caller frees."""
    out = ffi.new("gt_projections **")
    scan = lib.gt_projections_scan(p)
    check(lib.gt_projections_new(scan, out))
    ffi.memmove(lib.gt_projections_data(out[0]), lib.gt_projections_data(p), 4 * scan.views * scan.rows * scan.columns)
    record = lib.gt_projections_provenance(p)
    done = [lib.gt_projections_set_water(out[0], lib.gt_projections_water(p)),
            lib.gt_projections_set_position(out[0], lib.gt_projections_position(p)),
            lib.gt_projections_set_provenance(out[0], record.command, record.parameters, ffi.NULL)]
    for get, give in ((lib.gt_projections_weights, lib.gt_projections_set_weights), (lib.gt_projections_photons, lib.gt_projections_set_photons)):
        if get(p) != ffi.NULL:
            done.append(give(out[0], get(p)))
    if any(done):
        lib.gt_projections_free(out[0])
        check(next(status for status in done if status))
    return out


class _Fields:
    """Flat and dark fields of the whole and of the cropped detector."""

    def __init__(self, whole: Scan, fields: list[dict[str, Any]]) -> None:
        self.whole, self.fields = whole, fields
        self.part: list[Any] = []

    def crop(self, scan: Any, o: Any) -> None:
        """Returns the fields of this scan; none after binning."""
        self.part.clear()
        for images, given in zip((o.flats, o.darks), self.fields):
            out = ffi.new("float **")
            whole = ffi.new("gt_field_images *", given)
            status = lib.gt_prepare_crop_fields(self.whole.c, scan, whole, out)
            if status != lib.GT_ERR_ARG:
                check(status)
            self.part.append(ffi.gc(out[0], lib.gt_free))
            images.data, images.images = self.part[-1], 0 if status else whole.images


@ffi.def_extern(error=int(lib.GT_STOPPED), onerror=keep_raised)  # type: ignore[untyped-decorator]
def gt_py_step(self: Any, step: Any, p: Any) -> int:
    """Callback of gt_prepare_auto() after each step."""
    ffi.from_handle(self)(text(step), Projections.from_c(copied(p)[0]))
    return int(lib.GT_OK if thread.raised is None else lib.GT_STOPPED)


def prepare(p: Projections, *, auto: bool = False, flats: Array | None = None, darks: Array | None = None, threads: int = 0,
            backend: str | None = None, after: Callable[[str, Projections], object] | None = None, **steps: Unpack[Steps]) -> Projections:
    """Returns corrected projections: a copy, on which the steps run in the order of the library, as in `gantry prepare`.

    Parameters
    ----------
    p : Projections
        Measured line integrals.
    auto : bool
        Inspects the data first and applies the required steps.
    flats, darks : array_like, optional
        Images [image][row][column] in counts, for bad_pixels and auto.
    threads : int
        Threads; 0: all processors.
    backend : str, optional
        Device of steps that reconstruct.
    after : callable, optional
        after(step, projections) receives a copy after each step.
    **steps
        Steps of preparations(): True, a number, a text of the command, or a dict of parameters: rings="gain", views="::2", bin=2.

    Returns
    -------
    Projections

    Examples
    --------
    >>> scan = gantry.circular(12, (4, 16), 2.0, 50, 100)
    >>> gantry.prepare(gantry.Projections(np.ones(scan.shape), scan), bin=2).shape
    (12, 2, 8)
    """
    expect(p, Projections, "p", "gantry.Projections")
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
    if backend is not None:
        opened(backend)
        keep.append(ffi.new("char[]", os.fsencode(backend)))
        o.backend = keep[-1]
    if after is not None:
        keep.append(ffi.new_handle(after))
        o.after, o.after_self = lib.gt_py_step, keep[-1]
    fields = _Fields(p.scan.copy(), [_fields(flats, p, "flats", keep), _fields(darks, p, "darks", keep)])
    o.flats, o.darks = fields.fields
    out = copied(p.c)
    try:
        if auto:
            check(lib.gt_prepare_auto(out, o, ffi.NULL))
            settle()
        for spec in specs:
            check(lib.gt_prepare(out, os.fsencode(spec), o))
            settle()
            fields.crop(lib.gt_projections_scan(out[0]), o)
            if after is not None:
                after(spec.partition(":")[0], Projections.from_c(copied(out[0])[0]))
    except BaseException:
        lib.gt_projections_free(out[0])
        raise
    done = Projections.from_c(out[0])
    settle()
    return done
