"""reconstruct(): from projections to a volume, bit-identical to `gantry recon`."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, overload

import numpy as np

from ._c import ffi, lib
from .arguments import completed, expect, keywords
from .backend import Array
from .choices import Named, Solver, refuse_parameters, text_of
from .data import Projections, Volume, values_of
from .errors import ArgumentError, check as run, settle, text
from .files import Path, options_for
from .geometry import Grid, Scan
from .penalties import Penalty
from .progress import Call, Callback

if TYPE_CHECKING:
    from .arguments import Unpack


class Outcome:
    """The outcome of a reconstruction.

    Attributes
    ----------
    iterations, max : int
        Iterations done and requested; 0 of an analytic method.
    reason : str
        Reason for an early end; "" without.
    stopped, diverged : bool
        Whether it was stopped, or diverged.
    residual : float
        |Ax - b| / |b|.
    cost : list of float
        Cost of each iteration.
    seconds : float
        Wall time.
    backend, parameters : str
        Device, and all settings.
    """

    def __init__(self, r: Any) -> None:
        c = ffi.new("gt_recon_outcome *", {"size": ffi.sizeof("gt_recon_outcome")})
        run(lib.gt_recon_result(r, c))
        self.iterations, self.max, self.kept = int(c.iterations), int(c.max), int(c.kept)
        self.reason, self.stopped, self.diverged = text(c.reason), bool(c.stopped), bool(c.diverged)
        self.residual, self.seconds = float(c.residual), float(c.seconds)
        self.cost = [float(c.cost[i]) for i in range(c.costs)] if c.cost != ffi.NULL else []
        self.backend, self.parameters = text(c.backend), text(c.parameters)

    def __repr__(self) -> str:
        return f"<gantry.Outcome: {self.iterations} of {self.max} iterations in {self.seconds:.3g} s{', ' if self.reason else ''}{self.reason}>"


def keys() -> list[str]:
    """Settings of reconstruct(), with the names of the library."""
    found: list[str] = []
    while (key := lib.gt_recon_key(len(found))) != ffi.NULL:
        found.append(text(key))
    return found


def _part() -> None:
    """Calls MPI's finalisation at exit; without it mpirun reports a failure. After an exception, reports a failure to the
    other processes, so that they do not wait.
    """
    failed = getattr(sys, "last_value", None) is not None
    lib.gt_processes_end(lib.GT_ERR_UNSUPPORTED if failed else lib.GT_OK, ffi.new("int *"))
    lib.gt_processes_leave(int(failed))


class _Recon:
    """A gt_recon with its settings, and the objects that it borrows."""

    def __init__(self, data: Any, scan: Scan | None, settings: dict[str, Any], call: Call, reading: Mapping[str, Any] | None = None) -> None:
        out = ffi.new("gt_recon **")
        options = ffi.NULL
        if isinstance(data, (str, os.PathLike)):
            if scan is not None:
                raise ArgumentError("scan: a file has its own, expected none")
            if reading:
                expect(reading, Mapping, "reading", 'a dict of options, as {"pixel": 0.01}')
                options = options_for(data, dict(reading))
            run(lib.gt_recon_open(os.fsencode(data), options, out))
        else:
            if reading:
                raise ArgumentError("reading: applies to files, expected none for projections in memory")
            expect(data, object if not isinstance(data, (Volume, Scan)) else Projections, "data", "projections, a file, or an array with its scan")
            if not isinstance(data, Projections):
                if scan is None:
                    raise ArgumentError("scan: None, expected the Scan of these projections, which an array does not have")
                data = Projections(data, scan)
            elif scan is not None:
                raise ArgumentError("scan: the projections have their own, expected none")
            run(lib.gt_recon_new(data.c, out))
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
        run(lib.gt_recon_set(self.c, os.fsencode(key), os.fsencode(words)))

    def start(self, volume: Any, grid: Grid) -> None:
        """Sets the starting volume from an array."""
        from .backend import check_shape, host_array, pointer

        array = host_array(values_of(volume, grid, "init", "the reconstruction"), np.float32, "init")
        check_shape("init", array.shape, grid.shape, "[z][y][x] of the grid")
        self.borrowed.append(array)
        run(lib.gt_recon_start(self.c, pointer(array)))

    def grid(self, grid: Grid | str | None) -> Grid:
        """Returns the requested grid, or else the chosen one."""
        if grid is not None:
            wanted = Grid.parse(grid) if isinstance(grid, str) else grid
            expect(wanted, Grid, "grid", "a gantry.Grid, as gantry.Grid((z, y, x), pitch), or \"NXxNYxNZ@DXxDYxDZ\"")
            run(lib.gt_recon_grid(self.c, wanted.c))
            return wanted
        self.choose()
        chosen = ffi.new("gt_grid *")
        run(lib.gt_recon_chosen_grid(self.c, chosen))
        return Grid.from_c(chosen)

    def choose(self) -> None:
        run(lib.gt_recon_choose(self.c))
        settle()


def _is_several(data: Any, scan: Any) -> bool:
    """Whether data is a list of scans, and not an array written as a list."""
    if not isinstance(data, (list, tuple)) or not data:
        return False
    return isinstance(scan, (list, tuple)) or isinstance(data[0], (Projections, str, os.PathLike)) or np.ndim(data[0]) == 3


def _each(what: str, given: Any, n: int) -> list[Any]:
    """Returns one value per scan; a single value belongs to all."""
    if not isinstance(given, (list, tuple)):
        return [given] * n
    if len(given) != n:
        raise ArgumentError(f"{what}: {len(given)}, expected one for each of {n} scans, or one for all")
    return list(given)


def _is_array(init: Any) -> bool:
    return init is not None and not isinstance(init, (str, os.PathLike))


def _volumes(r: list[_Recon], grid: Grid | str | None, starts: list[Any]) -> list[Volume]:
    """Makes the volumes on one grid, and sets the starts that are arrays."""
    chosen = r[0].grid(grid)
    for one, init in zip(r, starts):
        if grid is not None:
            one.grid(chosen)
        if _is_array(init):
            one.start(init, chosen)
    return [Volume(np.zeros(chosen.shape, np.float32), chosen) for _ in r]


class Settings(TypedDict, total=False):
    """Keywords of reconstruct() and reconstruct_to(). Settings of the library have its names, with underscores."""

    solver: str | Solver | Named | None
    penalty: Penalty | str | Named | None
    preset: str | None
    projector: str | None
    weights: str | None
    init: Any
    padding: bool | str | None
    outside: str | None
    stop: str | None
    checkpoint: Path | None
    resume: Path | None
    backend: str | None
    precision: str | None
    device_memory: str | None
    host_memory: str | None
    keep: str | None
    scratch: Path | None
    overlap: bool | None
    slabs: bool | str | None
    unit: str | None
    water: float | None
    like: Path | None
    voxel: float | str | None
    slice: int | str | None
    views: str | None
    split: str | None
    balance: bool | str | None
    reproducible: bool | None
    force: bool | None
    check: bool | None
    reading: Mapping[str, Any] | None
    callback: Callback | None
    progress: bool
    on_interrupt: str


_DEFAULTS = {"progress": False, "on_interrupt": "raise"}


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns all keywords in the order of Settings, with methods as texts."""
    methods = {name: text_of(given.get(name), name) for name in ("solver", "penalty")}
    refuse_parameters(given, Settings.__annotations__, methods["solver"])
    return completed({**given, **methods}, Settings, _DEFAULTS)


def _call(settings: dict[str, Any]) -> Call:
    """Removes the keywords of the progress from the settings."""
    callback, progress, on_interrupt = (settings.pop(name) for name in ("callback", "progress", "on_interrupt"))
    return Call(callback, progress, on_interrupt, settings["solver"] or settings["preset"] or "reconstruct")


@overload
def reconstruct(data: Projections | Path | Array, scan: Scan | None = None, grid: Grid | str | None = None,
                **settings: Unpack[Settings]) -> Volume: ...
@overload
def reconstruct(data: list[Any] | tuple[Any, ...], scan: Scan | Sequence[Scan] | None = None, grid: Grid | str | None = None,
                **settings: Unpack[Settings]) -> list[Volume]: ...
@keywords(Settings, _DEFAULTS)
def reconstruct(data: Any, scan: Any = None, grid: Grid | str | None = None, **settings: Unpack[Settings]) -> Volume | list[Volume]:
    """Reconstructs a volume, bit-identical to `gantry recon`.

    Settings that are not given are chosen, and logged with the reason (logger "gantry"). Notes on the data are warnings of the class Remark.

    Parameters
    ----------
    data : Projections, path, array_like, or list of them
        Line integrals [view][row][column], or a file or folder. Several scans of one object, as a list, are reconstructed together by a
        penalty for several volumes, such as "joint-tv:strength=0.1".
    scan : Scan, optional
        The scan of an array; of several arrays also a list.
    grid : Grid or str, optional
        Voxels, as a Grid or "NXxNYxNZ@DXxDYxDZ"; the field of view by default.
    preset : {"none", "fast", "iterative"}, optional
        Choice of all settings that are not given.
    solver : str, Solver or (str, dict), optional
        "os-sart:iterations=20", gantry.OSSART(iterations=20) or ("os-sart", {"iterations": 20}).
    projector : str, optional
        Projector of iterative methods, such as "sf-tr".
    penalty : str, Penalty or (str, dict), optional
        "qggmrf:noise=10HU", gantry.qggmrf(noise="10HU") or a pair.
    weights : str, optional
        "auto", "uniform", "file", "photons:count=1e5" or "noise".
    init : str, path or array_like, optional
        Start of iterations: "auto", "zero", "fdk", "wfbp", a file, a Volume on the grid, or its values.
    padding : bool or str, optional
        Slices beyond the grid that rays cross, added during iterations.
    outside : {"auto", "subtract", "grid", "no", "air"}, optional
        Treatment of the object outside the grid, or of air in it.
    stop : str, optional
        "change=0.1HU,gradient=1e-3,seconds=60".
    checkpoint, resume : path, optional
        FILE[:every=10] to save the iterations, and the file to continue from.
    backend : str, optional
        "auto", "cpu:4", "cuda:0"; several devices as "cuda:0-3".
    precision : {"single", "double"}, optional
        Precision of the computation.
    device_memory, host_memory : str, optional
        Memory limits, such as "4GiB".
    keep, scratch, overlap, slabs
        Computation by slabs: storage of projections, folder of files, reading during computation, and whether to use slabs.
    unit : {"mm-1", "HU", "auto"}, optional
        Unit of a written file.
    water : float, optional
        Attenuation of water, mm^-1.
    like : path, optional
        A volume file whose grid is taken.
    voxel, slice, views : optional
        Voxel size (mm, or "10um"), slice K or "A:B" of the grid, and views "A:B:STEP" of a file.
    split, balance, reproducible : optional
        Division of the work among several devices.
    force : bool, optional
        Accepts projections whose values cannot be line integrals.
    check : bool, optional
        Checks columns, rows, rotation direction and centre before.
    reading : mapping, optional
        Options of read_options() for a file or folder, such as {"pixel": 0.01, "flat_after": "after/"}.
    callback : callable, optional
        callback(p) receives the Progress of iterations and phases; it may return True to stop.
    progress : bool
        Draws a bar.
    on_interrupt : {"raise", "keep"}
        Ctrl-C raises KeyboardInterrupt, or ends the iterations with the present volume.

    Returns
    -------
    Volume, or list of Volume for several scans
        mm^-1. `result` is the Outcome: iterations, residual, cost, seconds and all settings.

    Examples
    --------
    >>> scan = gantry.circular(60, (8, 32), 4.0, source_to_axis=300, source_to_detector=600)
    >>> p = gantry.Projections(gantry.Phantom("shepp-logan", scale=0.3).project(scan), scan)
    >>> v = gantry.reconstruct(p, grid=gantry.Grid((6, 24, 24), 2.5), solver=gantry.OSSART(iterations=3, subsets=6))
    >>> v.shape, v.result.iterations
    ((6, 24, 24), 3)
    """
    given = _checked(settings)
    init, reading, several = given.pop("init"), given.pop("reading"), _is_several(data, scan)
    if several:
        given["outside"] = given["outside"] or "no"
    parts = list(data) if several else [data]
    scans, starts = (_each("scan", scan, len(parts)), _each("init", init, len(parts))) if several else ([scan], [init])
    call = _call(given)
    with call.runs():
        r = [_Recon(d, s, {**given, "init": None if _is_array(x) else x}, call, reading) for d, s, x in zip(parts, scans, starts)]
        volumes = _volumes(r, grid, starts)
        if several:
            run(lib.gt_recon_run_joint([one.c for one in r], len(r), [v.c for v in volumes]))
        else:
            run(lib.gt_recon_run(r[0].c, volumes[0].c))
    for one, v in zip(r, volumes):
        v.result = Outcome(one.c)
    return volumes if several else volumes[0]


def reconstruct_to(data: Projections | Path, path: Path, grid: Grid | str | None = None, **settings: Unpack[Settings]) -> Outcome:
    """Reconstructs into a file, by slabs if memory does not hold the whole.

    Parameters
    ----------
    data : Projections or path
        One scan.
    path : path
        The file; its extension names the format.
    grid : Grid or str, optional
        Voxels; the field of view by default.
    **settings
        The other keywords of reconstruct().

    Returns
    -------
    Outcome

    Examples
    --------
    >>> scan = gantry.circular(60, (8, 32), 4.0, source_to_axis=300, source_to_detector=600)
    >>> p = gantry.Projections(gantry.Phantom("shepp-logan", scale=0.3).project(scan), scan)
    >>> gantry.reconstruct_to(p, "small.nc", gantry.Grid((6, 24, 24), 2.5), solver="fdk").iterations
    0
    >>> gantry.read_volume("small.nc").shape
    (6, 24, 24)
    """
    given = _checked(settings)
    reading, call = given.pop("reading"), _call(given)
    if isinstance(data, (list, tuple)):
        raise ArgumentError("data: several scans, expected one: reconstruct() takes several, write() writes their volumes")
    with call.runs():
        r = _Recon(data, None, given, call, reading)
        if grid is not None:
            r.grid(grid)
        run(lib.gt_recon_run_to(r.c, os.fsencode(path), ffi.NULL))
    return Outcome(r.c)
