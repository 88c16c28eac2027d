"""Analytic methods and solvers on arrays, by their names in the library's tables."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import tables
from ._c import ffi, lib
from .arguments import expect, kind_of, real
from .backend import Array, Backend, Lent, as_array, backend, c_type, check_shape, finite, host_array, result_array
from .choices import Solver
from .data import Projections, Volume, values_of
from .errors import ArgumentError, Remark, check, text
from .geometry import Grid, Scan
from .penalties import Penalty
from .progress import Call, Callback
from .projector import PROJECTIONS, VOLUME, Operator, Projector, Transpose, checked
from .team import TeamProjector, is_team

Bounds = tuple[float | None, float | None]


def _spec(kind: str, name: str | Solver, parameters: dict[str, Any]) -> str:
    """Returns the text of a method from its name and parameters, or from an object with both."""
    if not isinstance(name, Solver):
        return tables.spec(kind, name, parameters)
    if parameters:
        raise ArgumentError(f"{', '.join(parameters)}: given in addition to {name!r}, expected all parameters within it")
    tables.options(kind, name.spec)
    return name.spec


def _warn_of_counts(array: Array) -> None:
    """Warns of values that are not line integrals -ln(I/I0); reconstruct() refuses them."""
    low, high = (float(array.min()), float(array.max())) if array.size else (0.0, 0.0)
    if np.isfinite(low) and np.isfinite(high) and (low < -3 or high > 50):
        warnings.warn(f"data: values from {low:.4g} to {high:.4g}, expected line integrals -ln(I/I0), which are 0 in air and seldom above 15; "
                      "are they counts, or of another unit?", Remark, stacklevel=4)


def array_and_scan(data: Any, scan: Any) -> tuple[Any, Any]:
    """Returns the array and the scan of projections, or of an array with its scan."""
    if isinstance(data, Projections):
        if scan is not None:
            raise ArgumentError("scan: the projections have their own, expected none")
        return data.data, data.scan
    if isinstance(data, (str, os.PathLike)):
        raise ArgumentError(f"data: {kind_of(data)}, expected projections or an array with its scan: gantry.read() reads a file")
    expect(data, object if not isinstance(data, (Volume, Scan)) else Projections, "data", "projections, or an array with its scan")
    if scan is None:
        raise ArgumentError("scan: None, expected the Scan of these projections, which an array does not have")
    return data, scan


def _apart(out: Array, **inputs: Array | None) -> None:
    """Refuses an output that shares memory with an input."""
    for name, array in inputs.items():
        if array is not None and np.may_share_memory(out, array):
            raise ArgumentError(f"out: shares memory with {name}, expected an array of its own")


def _unmasked(b: Any, weights: Any) -> tuple[Any, Any]:
    """Returns data without a mask, and weights that are 0 at masked elements."""
    mask = np.ma.getmaskarray(b) if isinstance(b, np.ma.MaskedArray) else None
    if mask is None or not mask.any():
        return b, weights
    weights = np.ones(b.shape, np.float32) if weights is None else np.asanyarray(weights)
    check_shape("weights", weights.shape, b.shape, "[view][row][column]")
    return b.filled(0), np.where(mask, 0, weights)


def analytic(name: str | Solver | None, data: Any, scan: Scan | None = None, grid: Grid | None = None, *, device: str | Backend | None = None,
             dtype: DTypeLike = np.float32, out: Array | None = None, **parameters: Any) -> Array:
    """Reconstructs an array by an analytic method.

    Parameters
    ----------
    name : str, Solver or None
        "fdk", "fbp", "wfbp", or gantry.FDK(...); None: the method for the scan.
    data : Projections or array_like
        Line integrals [view][row][column]. Values that cannot be line integrals are reported as a Remark.
    scan : Scan, optional
        The scan of an array.
    grid : Grid, optional
        Voxels; what fits the scan by default.
    device : str or Backend, optional
        "auto", "cpu:8", "cuda:0"; with float32 also several, as "cuda:0-3".
    dtype : dtype
        float32 or float64.
    out : array, optional
        Array for the result.
    **parameters
        Parameters of the method, such as filter="hann".

    Returns
    -------
    array
        Volume [z][y][x], mm^-1.

    Examples
    --------
    >>> scan = gantry.parallel(np.arange(60) * np.pi / 60, (4, 32), 2.0)
    >>> p = gantry.Phantom("shepp-logan", scale=0.3).project(scan)
    >>> gantry.analytic("fbp", p, scan, gantry.Grid((4, 24, 24), 2.0), filter="hann").shape
    (4, 24, 24)
    """
    data, scan = array_and_scan(data, scan)
    c_type(dtype)
    scan, grid = checked(scan, grid)
    spec = _spec("analytic", name or text(lib.gt_analytic_for(scan.c).name), parameters)
    module, given = tables.options("analytic", spec)
    method = ffi.cast("const gt_analytic *", module)
    array = host_array(data, dtype, "data")
    check_shape("data", array.shape, scan.shape, "[view][row][column]")
    _warn_of_counts(array)
    if is_team(device):
        return _by_several(spec, array, scan, grid, str(device), out)
    be, volume = backend(device), result_array(out, np.dtype(dtype), grid.shape)
    _apart(volume, data=array)
    b, x = Lent(be, finite(array, be, "data")), Lent(be, volume, put=False)
    check(lib.gt_analytic_run(method, be.c, grid.c, scan.c, given, b.c, x.c))
    x.get()
    check(lib.gt_backend_status(be.c))
    return volume


def _by_several(spec: str, data: Array, scan: Scan, grid: Grid, device: str, out: Array | None) -> Array:
    """Runs an analytic method on several devices, as reconstruct() does."""
    from .recon import reconstruct

    if data.dtype != np.float32:
        raise ArgumentError(f"dtype {data.dtype}: expected float32 of several devices ({device}), or one device")
    volume = result_array(out, data.dtype, grid.shape)
    finite(data, backend("cpu"), "data")
    volume[...] = reconstruct(data, scan, grid, solver=spec, backend=device).data
    return volume


class Analytic(Operator):
    """Filtered backprojection as a linear operator, with its exact transpose.

    A(p) equals analytic() on the same device bit for bit. On the CPU the transpose is computed in double precision and rounded once;
    `wfbp` sums its pixels in dtype.

    Parameters
    ----------
    scan : Scan
        Geometry of the projections [view][row][column].
    grid : Grid, optional
        Voxels; what fits the scan by default.
    name : str, Solver or None
        "fdk", "fbp" or "wfbp"; None: the method for the scan.
    device : str or Backend
        "cpu" by default, the only one for wfbp; "cuda:0" takes arrays of PyTorch, CuPy and JAX without a copy.
    dtype : dtype
        float32 or float64.
    **parameters
        Parameters of the method, such as filter="hann".

    Examples
    --------
    >>> scan = gantry.parallel(np.arange(60) * np.pi / 60, (4, 32), 2.0)
    >>> B = gantry.Analytic(scan, gantry.Grid((4, 24, 24), 2.0), filter="hann")
    >>> B(np.ones(scan.shape)).shape, B.T.range_shape
    ((4, 24, 24), (60, 4, 32))
    """

    axes = PROJECTIONS, VOLUME

    def __init__(self, scan: Scan, grid: Grid | None = None, name: str | Solver | None = None, *, device: str | Backend | None = "cpu",
                 dtype: DTypeLike = np.float32, **parameters: Any) -> None:
        self.scan, self.grid = checked(scan, grid)
        self.spec = _spec("analytic", name or text(lib.gt_analytic_for(scan.c).name), parameters)
        module, given = tables.options("analytic", self.spec)
        be, out = backend(device), ffi.new("gt_linop **")
        check(lib.gt_analytic_linop(ffi.cast("const gt_analytic *", module), be.c, c_type(dtype), self.grid.c, scan.c, given, out))
        super().__init__(ffi.gc(out[0], lib.gt_linop_free), be, np.dtype(dtype), (scan, self.grid), False)
        self._backward = Transpose(self)

    @property
    def T(self) -> Operator:
        """The transpose: from volumes to projections."""
        return self._backward

    def __reduce__(self) -> tuple[Any, ...]:
        return _analytic_again, (self.scan, self.grid, self.spec, self.backend.name, self.dtype.str)


def _analytic_again(scan: Scan, grid: Grid, spec: str, device: str, dtype: str) -> Analytic:
    name, _, given = spec.partition(":")
    return Analytic(scan, grid, name, device=device, dtype=dtype, **dict(item.split("=", 1) for item in given.split(",") if item))


class Result:
    """The result of a solver.

    Attributes
    ----------
    x : array
        Volume [z][y][x], mm^-1.
    iterations : int
        Iterations done.
    stopped : bool
        Whether it ended early.
    cost, residual, change : float
        Cost, |Ax - b| and root mean square change (mm^-1) of the last iteration.

    Examples
    --------
    >>> A = gantry.Projector(gantry.circular(30, 8, 4.0, 300, 600), gantry.Grid(8, 2.0))
    >>> r = gantry.cgls(A, A(np.full(A.domain_shape, 0.02)), iterations=5)
    >>> r.iterations, r.stopped, r.x.shape
    (5, False, (8, 8, 8))
    """

    def __init__(self, x: Array, call: Call) -> None:
        last = call.last
        self.x = x
        self.iterations = last.iteration if last else 0
        self.stopped = bool(last and last.iteration < last.iterations)
        self.cost, self.residual, self.change = (last.cost, last.residual, last.change) if last else (float("nan"),) * 3

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return as_array(self.x, dtype, copy)

    def __repr__(self) -> str:
        return f"<gantry.Result: {self.iterations} iterations, cost {self.cost:g}{', stopped' if self.stopped else ''}>"


class _Problem:
    """A gt_problem and the objects that it borrows. Subset k holds the views k, k + n, ... as copies."""

    def __init__(self, A: Projector, b: Array, w: Array | None, penalty: Penalty | None, subsets: int) -> None:
        be, one = A.backend, subsets == 1
        operators = [A] if one else A.subsets(subsets)
        data = [Lent(be, b if one else np.ascontiguousarray(b[k::subsets])) for k in range(subsets)]
        weights = None if w is None else [Lent(be, w if one else np.ascontiguousarray(w[k::subsets])) for k in range(subsets)]
        R = penalty.make(be, A.dtype, A.grid) if penalty else ffi.NULL
        lists = [ffi.new("gt_linop *[]", [p.c for p in operators]), ffi.new("gt_array *[]", [p.c for p in data]),
                 ffi.new("gt_array *[]", [p.c for p in weights]) if weights else ffi.NULL]
        self.borrowed = (operators, data, weights, R, lists)
        self.c = ffi.new("gt_problem *", {"subsets": subsets, "A": lists[0], "b": lists[1], "w": lists[2], "R": R,
                                          "lo": -np.inf, "hi": np.inf, "n": A.grid.shape[::-1]})


def _subsets(solver: Any, options: Any, views: int) -> int:
    n = ffi.new("size_t *", 1)
    if solver.subsets != ffi.NULL:
        check(solver.subsets(options, views, n))
    return int(n[0])


def solve(name: str | Solver, A: Projector, b: Any, *, x0: Any = None, weights: Any = None, penalty: Penalty | None = None,
          bounds: Bounds = (None, None), callback: Callback | None = None, progress: bool = False,
          on_interrupt: str = "raise", out: Array | None = None, **parameters: Any) -> Result:
    """Minimises 1/2 <Ax - b, W (Ax - b)> + penalty within bounds.

    Each solver also has a function of its name: gantry.pcg(A, b, ...).

    Parameters
    ----------
    name : str or Solver
        A solver, such as "os-sart" or gantry.OSSART(iterations=5).
    A : Projector
        The operator.
    b : Projections or array_like
        Line integrals [view][row][column] of the scan of A. Masked elements have zero weight.
    x0 : Volume or array_like, optional
        Start, mm^-1; zero by default.
    weights : array_like, optional
        Statistical weights as b, 0 or more.
    penalty : Penalty, optional
        Such as gantry.huber(strength=30, delta="10HU").
    bounds : (float or None, float or None)
        Lowest and highest value of a voxel, mm^-1.
    callback : callable, optional
        callback(p) receives the Progress of each iteration and may return True to stop.
    progress : bool
        Draws a bar.
    on_interrupt : {"raise", "keep"}
        Ctrl-C raises KeyboardInterrupt, or ends with the present x after the iteration; a second Ctrl-C raises.
    out : array, optional
        Array for the result. It must not share memory with b or weights.
    **parameters
        Parameters of the solver.

    Returns
    -------
    Result

    Examples
    --------
    >>> A = gantry.Projector(gantry.circular(30, 8, 4.0, 300, 600), gantry.Grid(8, 2.0))
    >>> b = A(np.full(A.domain_shape, 0.02))
    >>> r = gantry.solve("pcg", A, b, penalty=gantry.quadratic(strength=1), iterations=20)
    >>> bool(np.linalg.norm(A(r.x) - b) < 0.1 * np.linalg.norm(b))
    True
    """
    module, options = tables.options("solver", _spec("solver", name, parameters))
    name = text(module.name)
    solver = ffi.cast("const gt_solver *", module)
    if isinstance(A, TeamProjector):
        raise ArgumentError(f"A: a projector of the devices {A.device}, expected one device: "
                            f"reconstruct(backend={A.device!r}) runs solvers on several")
    if not isinstance(A, Projector):
        raise ArgumentError(f"A: a {type(A).__name__}, expected a gantry.Projector")
    if penalty is not None and not isinstance(penalty, Penalty):
        cure = "gantry.Denoiser(function)" if callable(penalty) else "a gantry.Penalty such as gantry.huber(strength=30)"
        raise ArgumentError(f"penalty: {kind_of(penalty)}, expected {cure}")
    b, weights = _unmasked(values_of(b, A.scan, "b", "A"), weights)
    array = host_array(b, A.dtype, "b")
    check_shape("b", array.shape, A.range_shape, "[view][row][column]")
    w = None if weights is None else host_array(values_of(weights, A.scan, "weights", "A"), A.dtype, "weights")
    if w is not None:
        check_shape("weights", w.shape, A.range_shape, "[view][row][column]")
    finite(array, A.backend, "b")
    x = result_array(out, A.dtype, A.domain_shape)
    _apart(x, b=array, weights=w)
    start = None if x0 is None else host_array(values_of(x0, A.grid, "x0", "A"), A.dtype, "x0")
    if start is not None:
        check_shape("x0", start.shape, A.domain_shape, "[z][y][x]")
        finite(start, A.backend, "x0")
    x[...] = 0 if start is None else start
    problem = _Problem(A, array, w, penalty, _subsets(solver, options, len(A.scan)))
    if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
        raise ArgumentError(f"bounds: {bounds!r}, expected the lowest and the highest value, each a number or None")
    lo, hi = (None if limit is None else real(limit, "bounds") for limit in bounds)
    if lo is None and solver.nonneg != ffi.NULL and solver.nonneg(options):
        lo = 0.0
    problem.c.lo, problem.c.hi = -np.inf if lo is None else lo, np.inf if hi is None else hi
    call = Call(callback, progress, on_interrupt, name)
    call.shape, call.dtype = A.domain_shape, A.dtype
    monitor = ffi.new("gt_monitor *", {"each": lib.gt_py_iteration, "self": call.handle})
    lent = Lent(A.backend, x)
    with call.runs():
        status = lib.gt_solve(solver, problem.c, options, lent.c, monitor)
        if status != lib.GT_STOPPED:
            check(status)
        lent.get()
        status = lib.gt_backend_status(A.backend.c)
        if status != lib.GT_STOPPED:
            check(status)
    return Result(x, call)


_KINDS = {"int": "int", "float": "float", "flag": "bool", "text": "str", "attenuation": "float or str"}


def parameter_rows(kind: str, name: str) -> str:
    """Returns the parameters of a module as lines of a docstring, with units, limits and defaults."""
    rows = []
    for p in tables.parameters(kind, name):
        words = "{" + ", ".join(c if c.isdigit() else f'"{c}"' for c in p.choices) + "}" if p.choices else _KINDS[p.kind]
        limits = "" if p.choices or p.kind in ("flag", "text") else f"; {p.min:g} to {p.max:g}"
        unit = ", mm^-1 or a text such as \"10HU\"" if p.kind == "attenuation" else ""
        rows.append(f"{p.name} : {words}\n    {p.help[:1].upper()}{p.help[1:]}{unit}{limits} (default {p.default}).")
    return "\n".join(rows)
