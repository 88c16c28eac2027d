"""The projector as a linear operator on arrays, and its exact transpose: A(x), A @ x, A.T(y)."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from . import foreign
from ._c import ffi, lib
from .backend import Array, Backend, Lent, backend, c_type, finite, host_array, result_array
from .errors import ArgumentError, check, text
from .geometry import Grid, Scan

VOLUME, PROJECTIONS = "[z][y][x]", "[view][row][column]"


class Operator:
    """A linear map of arrays on a device. A(x), A @ x, and A.T; batches have more dimensions in front.

    domain_shape and range_shape are the shapes of what goes in and comes out, `shape` the two sizes of the matrix. @ also takes
    flat vectors and gives flat ones, as SciPy wants them.
    """

    axes = VOLUME, PROJECTIONS  # of what goes in and what comes out, of the operator that is not transposed

    def __init__(self, c: Any, be: Backend, dtype: np.dtype[Any], shapes: tuple[tuple[int, ...], tuple[int, ...]], transposed: bool) -> None:
        self.c, self.backend, self.dtype, self.transposed = c, be, dtype, transposed
        self.domain_shape, self.range_shape = shapes
        self.shape = (math.prod(self.range_shape), math.prod(self.domain_shape))

    def __call__(self, x: Any, out: Any = None) -> Any:
        """The operator applied to x, in `out` if it is given: a writeable C-contiguous array of the operator's type.

        Numbers that are not finite are refused in the host's memory; on a GPU they go through, since to look would be to wait.
        x may be of NumPy, or of PyTorch, CuPy or JAX where it lies on the operator's device: the result then is of the same library.
        """
        if type(x) is np.ndarray and x.dtype == self.dtype and x.shape == self.domain_shape and x.flags.c_contiguous:
            if out is None:
                out = np.empty(self.range_shape, self.dtype)
            elif type(out) is not np.ndarray or out.dtype != self.dtype or out.shape != self.range_shape or not out.flags.c_contiguous:
                return self._checked(x, out)
            if not self.backend.is_gpu and out.flags.writeable:
                check(lib.gt_py_apply(self.c, self.transposed, 1, ffi.from_buffer(x), ffi.from_buffer(out)))
                return out
        return self._checked(x, out)

    def _checked(self, x: Any, out: Any) -> Any:
        if foreign.is_foreign(x):
            return foreign.apply(self, x, out)
        array = host_array(x, self.dtype, "x")
        batch = self.batch(array.shape)
        result = result_array(out, self.dtype, batch + self.range_shape)
        if np.may_share_memory(array, result):
            raise ArgumentError("out: shares memory with x, expected an array of its own")
        count = math.prod(batch)
        if not count:
            return result
        if self.backend.is_gpu:
            given, made = Lent(self.backend, finite(array, self.backend, "x")), Lent(self.backend, result, put=False)
            check(lib.gt_py_apply(self.c, self.transposed, count, lib.gt_array_data(given.c), lib.gt_array_data(made.c)))
            made.get()
            check(lib.gt_backend_status(self.backend.c))
        else:
            check(lib.gt_py_apply(self.c, self.transposed, count, ffi.from_buffer(array), ffi.from_buffer(result)))
        return result

    def batch(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The dimensions in front of those that the operator takes."""
        n = len(self.domain_shape)
        if tuple(shape[-n:]) != self.domain_shape:
            raise ArgumentError(f"x: shape {tuple(shape)}, expected (..., {', '.join(map(str, self.domain_shape))}): {self.axes[self.transposed]}")
        return tuple(shape[:-n])

    def __matmul__(self, x: Any) -> Any:
        return self.matvec(x) if getattr(x, "ndim", 0) == 1 else self(x)

    def matvec(self, x: Any) -> Any:
        """Of a flat vector, a flat vector."""
        return self(x.reshape(self.domain_shape)).reshape(-1)

    def rmatvec(self, y: Any) -> Any:
        """The transpose of a flat vector."""
        return self.T.matvec(y)

    @property
    def T(self) -> Operator:
        """The transpose."""
        raise NotImplementedError

    @property
    def H(self) -> Operator:
        """The same: the matrix is real."""
        return self.T

    def __repr__(self) -> str:
        return f"<gantry.{type(self).__name__} {self.domain_shape} -> {self.range_shape}, {self.dtype}, {self.backend.name}>"


class Projector(Operator):
    """Line integrals of volumes [z][y][x] in mm^-1 as projections [view][row][column]; its transpose is exact, entry by entry.

    model: "dd" (the default), "sf-tr", "joseph", ... or "NAME:key=value"; device: "auto", "cpu", "cpu:8", "cuda:0"; dtype: float32
    or float64. NumPy arrays of that type in C order are not copied on the CPU; others are converted once.

    device="cuda:0-3", "cuda:0,2", "cpu:4x2" (two members of four threads) or "cpu:1+cpu:2" makes a TeamProjector: several devices, each
    with a run of the views, as one operator on NumPy's arrays.
    """

    if not TYPE_CHECKING:

        def __new__(cls, scan=None, grid=None, model=None, *, device=None, dtype=np.float32):
            from .team import TeamProjector, is_team

            return super().__new__(TeamProjector if is_team(device) else cls)

    def __init__(self, scan: Scan, grid: Grid | None = None, model: str | None = None, *, device: str | Backend | None = None,
                 dtype: DTypeLike = np.float32) -> None:
        self.scan, self.grid = scan, scan.grid() if grid is None else grid
        self.model = text(lib.gt_projectors[0].name) if model is None else model
        be, out = backend(device), ffi.new("gt_linop **")
        check(lib.gt_projector_new(os.fsencode(self.model), be.c, c_type(dtype), self.grid.c, scan.c, out))
        made = ffi.gc(out[0], lib.gt_linop_free)
        check(lib.gt_backend_status(be.c))
        super().__init__(made, be, np.dtype(dtype), (self.grid.shape, scan.shape), False)
        self._transpose = Transpose(self)

    @property
    def T(self) -> Operator:
        """The backprojection: the exact transpose."""
        return self._transpose

    def forward(self, x: Any, out: Any = None) -> Any:
        """A x."""
        return self(x, out)

    def adjoint(self, y: Any, out: Any = None) -> Any:
        """A' y."""
        return self.T(y, out)

    @property
    def _place(self) -> str | Backend:
        return self.backend

    def subsets(self, n: int) -> list[Projector]:
        """Views k, k + n, ... for k = 0 ... n-1: an operator each, on y[k::n]."""
        return [Projector(self.scan.subset(k, n), self.grid, self.model, device=self._place, dtype=self.dtype) for k in range(n)]

    def astype(self, dtype: DTypeLike) -> Projector:
        """The same in another precision."""
        return Projector(self.scan, self.grid, self.model, device=self._place, dtype=dtype)

    def to(self, device: str | Backend) -> Projector:
        """The same on another device."""
        return Projector(self.scan, self.grid, self.model, device=device, dtype=self.dtype)

    def mismatch(self, seed: int = 0) -> float:
        """|<Ax, y> - <x, A'y>| / (|Ax| |y|) of random x and y: 0 up to rounding."""
        out = ffi.new("double *")
        check(lib.gt_linop_mismatch(self.c, seed, out))
        return float(out[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.scan, self.grid, self.model, self.backend.name, self.dtype.str)


def _again(scan: Scan, grid: Grid, model: str, device: str, dtype: str) -> Projector:
    return Projector(scan, grid, model, device=device, dtype=dtype)


class Transpose(Operator):
    """The transpose of an operator, which it keeps alive."""

    def __init__(self, A: Operator) -> None:
        super().__init__(A.c, A.backend, A.dtype, (A.range_shape, A.domain_shape), not A.transposed)
        self.axes = A.axes
        # No reference to A itself: A and its transpose would keep each other.
        self._kind, self._members = type(A), {k: v for k, v in vars(A).items() if k != "_transpose"}

    @property
    def T(self) -> Operator:
        """The operator."""
        forward = self._kind.__new__(self._kind)
        vars(forward).update(self._members, _transpose=self)
        return forward

    def __reduce__(self) -> tuple[Any, ...]:
        return _transposed_again, (self.T,)


def _transposed_again(A: Operator) -> Operator:
    return A.T
