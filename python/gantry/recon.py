"""reconstruct(): from projections to a volume, the same call as `gantry recon`, to the same bits."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np

from ._c import ffi, lib
from .backend import Array
from .data import Projections, Volume
from .errors import ArgumentError, check, settle, text
from .files import Path, options_for
from .geometry import Grid, Scan
from .penalties import Penalty
from .progress import Call, Callback

class Outcome:
    """How a reconstruction went: iterations done of `most` (0 of an analytic method), `reason` if it ended early ("" if not),
    whether it was stopped or diverged, residual |Ax-b|/|b|, cost of each iteration, seconds, and all settings in `parameters`."""

    def __init__(self, r: Any) -> None:
        c = ffi.new("gt_recon_outcome *", {"size": ffi.sizeof("gt_recon_outcome")})
        check(lib.gt_recon_result(r, c))
        self.iterations, self.most, self.kept = int(c.iterations), int(c.most), int(c.kept)
        self.reason, self.stopped, self.diverged = text(c.reason), bool(c.stopped), bool(c.diverged)
        self.residual, self.seconds = float(c.residual), float(c.seconds)
        self.cost = [float(c.cost[i]) for i in range(c.costs)] if c.cost != ffi.NULL else []
        self.backend, self.parameters = text(c.backend), text(c.parameters)

    def __repr__(self) -> str:
        return f"<gantry.Outcome: {self.iterations} of {self.most} iterations in {self.seconds:.3g} s{', ' if self.reason else ''}{self.reason}>"


def keys() -> list[str]:
    """The settings of reconstruct(), as the library names them."""
    found: list[str] = []
    while (key := lib.gt_recon_key(len(found))) != ffi.NULL:
        found.append(text(key))
    return found


def _part() -> None:
    """Parts from the processes that mpirun started beside this one, which otherwise calls the end of each a failure. One that ends by an
    exception tells the others, so that they do not wait for it."""
    failed = getattr(sys, "last_value", None) is not None
    lib.gt_processes_end(lib.GT_ERR_UNSUPPORTED if failed else lib.GT_OK, ffi.new("int *"))
    lib.gt_processes_leave(int(failed))


class _Recon:
    """A gt_recon with all settings, and what it borrows."""

    def __init__(self, data: Any, scan: Scan | None, settings: dict[str, Any], call: Call, reading: Mapping[str, Any] | None = None) -> None:
        out = ffi.new("gt_recon **")
        options = ffi.NULL
        if isinstance(data, (str, os.PathLike)):
            if scan is not None:
                raise ArgumentError("scan: a file has its own, expected none")
            if reading:
                options = options_for(data, dict(reading))
            check(lib.gt_recon_open(os.fsencode(data), options, out))
        else:
            if reading:
                raise ArgumentError("reading: is of files, and the projections are in memory: expected none")
            if not isinstance(data, Projections):
                if scan is None:
                    raise ArgumentError("scan: None, expected the Scan of these projections, which an array does not have")
                data = Projections(data, scan)
            elif scan is not None:
                raise ArgumentError("scan: the projections have their own, expected none")
            check(lib.gt_recon_new(data.c, out))
        self.borrowed: list[Any] = [data, options]
        self.c = ffi.gc(out[0], lib.gt_recon_free)
        lib.gt_recon_on_message(self.c, lib.gt_py_message, ffi.NULL)
        lib.gt_recon_on_progress(self.c, lib.gt_py_phase, call.handle)
        lib.gt_recon_on_cancel(self.c, lib.gt_py_interrupted, ffi.NULL)
        for name, value in settings.items():
            if value is not None:
                self.set(name, value)

    def set(self, name: str, value: Any) -> None:
        key = name.replace("_", "-")
        words = ("yes" if value else "no") if isinstance(value, bool) else str(value)
        if key == "backend" and words.partition(":")[0] == "mpi":
            atexit.unregister(_part)
            atexit.register(_part)
        check(lib.gt_recon_set(self.c, os.fsencode(key), os.fsencode(words)))

    def start(self, volume: Any, grid: Grid) -> None:
        """Where an iterative method begins, by an array."""
        from .backend import check_shape, host_array, pointer

        array = host_array(volume, np.float32, "init")
        check_shape("init", array.shape, grid.shape, "[z][y][x] of the grid")
        self.borrowed.append(array)
        check(lib.gt_recon_start(self.c, pointer(array)))

    def grid(self, grid: Grid | str | None) -> Grid:
        """The grid that was asked for, or else is chosen."""
        if grid is not None:
            wanted = Grid.parse(grid) if isinstance(grid, str) else grid
            check(lib.gt_recon_grid(self.c, wanted.c))
            return wanted
        self.choose()
        chosen = ffi.new("gt_grid *")
        check(lib.gt_recon_chosen_grid(self.c, chosen))
        return Grid.from_c(chosen)

    def choose(self) -> None:
        check(lib.gt_recon_choose(self.c))
        settle()


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    out = {name: value for name, value in given.items() if value is not None}
    penalty = out.get("penalty")
    if isinstance(penalty, Penalty):
        out["penalty"] = penalty.spec
    return out


def _is_several(data: Any, scan: Any) -> bool:
    """Whether it is a list of scans, not an array written as one."""
    if not isinstance(data, (list, tuple)) or not data:
        return False
    return isinstance(scan, (list, tuple)) or isinstance(data[0], (Projections, str, os.PathLike)) or np.ndim(data[0]) == 3


def _each(what: str, given: Any, n: int) -> list[Any]:
    """One for each scan; a single one is that of all."""
    if not isinstance(given, (list, tuple)):
        return [given] * n
    if len(given) != n:
        raise ArgumentError(f"{what}: {len(given)}, expected one for each of {n} scans, or one for all")
    return list(given)


def _is_array(init: Any) -> bool:
    return init is not None and not isinstance(init, (str, os.PathLike))


def _volumes(r: list[_Recon], grid: Grid | str | None, starts: list[Any]) -> list[Volume]:
    """Where the volumes go, on one grid, and where arrays are what iterations begin with."""
    chosen = r[0].grid(grid)
    for one, init in zip(r, starts):
        if grid is not None:
            one.grid(chosen)
        if _is_array(init):
            one.start(init, chosen)
    return [Volume(np.zeros(chosen.shape, np.float32), chosen) for _ in r]


@overload
def reconstruct(data: Projections | Path | Array, scan: Scan | None = None, grid: Grid | str | None = None, *,
                preset: str | None = None, solver: str | None = None, projector: str | None = None,
                penalty: Penalty | str | None = None, weights: str | None = None, init: Any = None,
                padding: bool | str | None = None, outside: str | None = None, stop: str | None = None,
                checkpoint: Path | None = None, resume: Path | None = None, backend: str | None = None, precision: str | None = None, device_memory: str | None = None,
                host_memory: str | None = None, keep: str | None = None, scratch: Path | None = None, overlap: bool | None = None,
                slabs: bool | str | None = None, unit: str | None = None, water: float | None = None,
                reading: Mapping[str, Any] | None = None,
                callback: Callback | None = None, progress: bool = False, on_interrupt: str = "raise", **more: Any) -> Volume: ...
@overload
def reconstruct(data: list[Any] | tuple[Any, ...], scan: Scan | Sequence[Scan] | None = None, grid: Grid | str | None = None, *,
                penalty: Penalty | str, solver: str | None = None, callback: Callback | None = None, progress: bool = False,
                on_interrupt: str = "raise", **settings: Any) -> list[Volume]: ...
def reconstruct(data: Any, scan: Any = None, grid: Grid | str | None = None, *,
                preset: str | None = None, solver: str | None = None, projector: str | None = None,
                penalty: Penalty | str | None = None, weights: str | None = None, init: Any = None,
                padding: bool | str | None = None, outside: str | None = None, stop: str | None = None,
                checkpoint: Path | None = None, resume: Path | None = None, backend: str | None = None, precision: str | None = None, device_memory: str | None = None,
                host_memory: str | None = None, keep: str | None = None, scratch: Path | None = None, overlap: bool | None = None,
                slabs: bool | str | None = None, unit: str | None = None, water: float | None = None,
                reading: Mapping[str, Any] | None = None,
                callback: Callback | None = None, progress: bool = False, on_interrupt: str = "raise", **more: Any) -> Volume | list[Volume]:
    """A volume from projections, a file or a folder of them, or an array with its scan: what `gantry recon` does, to the same bits.

    What is not given is chosen, and logged with its reason (logger "gantry"); remarks on the data are warnings. Settings take the texts
    of the command:

    preset: "none", "fast", "iterative". solver: "fdk", "os-sart:iterations=20,subsets=12", ... penalty: "qggmrf:noise=10HU" or a Penalty.
    weights: "auto", "uniform", "file", "photons:count=1e5", "noise". init: "auto", "zero", "fdk", "wfbp", a file, or an array on the grid.
    stop: "change=0.1HU,gradient=1e-3,seconds=60". checkpoint: FILE[:every=10]; resume: FILE. backend: "auto", "cpu:4", "cuda:0".
    precision: "single" or "double". outside: "auto", "subtract", "grid", "no": the object outside the grid.
    grid: a Grid or "NXxNYxNZ@DXxDYxDZ"; None: what fits the scan. more: other keys of the library's own list, such as like=FILE; what is none is refused with the nearest one.

    Several scans of one object (energies, times), as a list or a tuple, are reconstructed together by a penalty that takes several volumes,
    such as "joint-tv:strength=0.1": a list of volumes on one grid comes back. scan, of arrays, and init may be lists then too.

    reading: of a file or folder, what read_options() takes, such as {"pixel": 0.01, "flat_after": "after/"}.

    callback(p) is told of iterations and phases and may return True to stop; progress draws a bar. Ctrl-C raises KeyboardInterrupt, or
    with on_interrupt="keep" ends an iterative method with the volume that it has. `result` of the volume says how it went.
    """
    given = {"preset": preset, "solver": solver, "projector": projector, "penalty": penalty, "weights": weights, "padding": padding,
             "outside": outside, "stop": stop, "checkpoint": checkpoint, "resume": resume, "backend": backend, "precision": precision,
             "device-memory": device_memory, "host-memory": host_memory, "keep": keep, "scratch": scratch, "overlap": overlap,
             "slabs": slabs, "unit": unit, "water": water, **more}
    several = _is_several(data, scan)
    if several:
        given["outside"] = outside or "no"
    parts = list(data) if several else [data]
    scans, starts = (_each("scan", scan, len(parts)), _each("init", init, len(parts))) if several else ([scan], [init])
    call = Call(callback, progress, on_interrupt, solver or preset or "reconstruct")
    with call.runs():
        r = [_Recon(d, s, _settings({**given, "init": None if _is_array(x) else x}), call, reading) for d, s, x in zip(parts, scans, starts)]
        volumes = _volumes(r, grid, starts)
        if several:
            check(lib.gt_recon_run_joint([one.c for one in r], len(r), [v.c for v in volumes]))
        else:
            check(lib.gt_recon_run(r[0].c, volumes[0].c))
    for one, v in zip(r, volumes):
        v.result = Outcome(one.c)
    return volumes if several else volumes[0]


def reconstruct_to(data: Projections | Path, path: Path, **settings: Any) -> Outcome:
    """The same into a file, by slabs where memory does not hold the whole: the format goes by the path's name. settings: those of
    reconstruct(), with grid= as a text or a Grid."""
    call = Call(settings.pop("callback", None), settings.pop("progress", False), settings.pop("on_interrupt", "raise"), "reconstruct")
    grid, reading = settings.pop("grid", None), settings.pop("reading", None)
    if isinstance(data, (list, tuple)):
        raise ArgumentError("data: several scans, expected one: reconstruct() takes several, write() writes their volumes")
    with call.runs():
        r = _Recon(data, None, _settings(settings), call, reading)
        if grid is not None:
            r.grid(grid)
        check(lib.gt_recon_run_to(r.c, os.fsencode(path), ffi.NULL))
    return Outcome(r.c)
