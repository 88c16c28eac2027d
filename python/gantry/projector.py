"""The projector as a linear operator on arrays, and its exact transpose: A(x), A @ x, A.T(y).

With SciPy installed, operators are instances of scipy.sparse.linalg.LinearOperator and can be scaled, added and multiplied.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import DTypeLike

from . import foreign
from ._c import ffi, lib
from .arguments import expect
from .backend import Array, Backend, Lent, backend, c_type, finite, host_array, result_array, shape_hint
from .data import Projections, Volume, values_of
from .errors import ArgumentError, UnsupportedError, check, text
from .geometry import Grid, Scan

if TYPE_CHECKING:

    class LinearOperator:
        """Base class of SciPy, for type checkers."""

        dtype: np.dtype[Any]
        shape: tuple[int, int]
        ndim: int

        def __init__(self, dtype: Any, shape: Any) -> None: ...
        def __matmul__(self, x: Any) -> Any: ...
        def __add__(self, other: Any) -> Any: ...
        def __sub__(self, other: Any) -> Any: ...
        def __mul__(self, x: Any) -> Any: ...
        def __rmul__(self, x: Any) -> Any: ...
        def dot(self, x: Any) -> Any: ...
        def matvec(self, x: Any) -> Any: ...
        def rmatvec(self, x: Any) -> Any: ...
        def matmat(self, X: Any) -> Any: ...
        @property
        def T(self) -> LinearOperator: ...
        @property
        def H(self) -> LinearOperator: ...

else:
    try:
        from scipy.sparse.linalg import LinearOperator
    except ImportError:

        class LinearOperator:
            """Replaces SciPy's class if SciPy is not installed."""

            ndim = 2

            def __init__(self, dtype, shape):
                self.dtype, self.shape = dtype, shape

VOLUME, PROJECTIONS = "[z][y][x]", "[view][row][column]"


Spaces = tuple[Grid | Scan, Grid | Scan]


class Operator(LinearOperator):
    """A linear map of arrays on a device, and a LinearOperator of SciPy.

    A(x) and A @ x take arrays of shape (..., *domain_shape). A @ x, A.dot(x) and A.matvec(x) also take flat vectors, and A @ X matrices
    of columns. 2 * A, A + B, A.T @ A need SciPy and act on flat vectors and matrices.

    Attributes
    ----------
    domain_shape, range_shape : tuple of int
        Shapes of the input and of the output.
    shape : (int, int)
        Rows and columns of the matrix.
    dtype : numpy.dtype
        float32 or float64.
    """

    axes = VOLUME, PROJECTIONS  # axes of input and output before transposition
    def __init__(self, c: Any, be: Backend, dtype: np.dtype[Any], spaces: Spaces, transposed: bool) -> None:
        self.c, self.backend, self.transposed, self.spaces = c, be, transposed, spaces
        self.domain_shape: tuple[int, ...] = spaces[0].shape
        self.range_shape: tuple[int, ...] = spaces[1].shape
        super().__init__(dtype, (math.prod(self.range_shape), math.prod(self.domain_shape)))

    def __call__(self, x: Any, out: Any = None) -> Any:
        """Applies the operator.

        Parameters
        ----------
        x : array_like, Volume or Projections
            Values of shape (..., *domain_shape). A Volume or Projections must have the grid or scan of the operator. Arrays of PyTorch,
            CuPy and JAX must be on the device of the operator. Values in host memory must be finite; on a GPU they are not checked.
        out : array, optional
            A writeable C-contiguous array of the operator's type for the result. It must not share memory with x.

        Returns
        -------
        array of shape (..., *range_shape), of the library of x
        """
        if type(x) is np.ndarray and x.dtype == self.dtype and x.shape == self.domain_shape and x.flags.c_contiguous:
            if out is None:
                out = np.empty(self.range_shape, self.dtype)
            elif type(out) is not np.ndarray or out.dtype != self.dtype or out.shape != self.range_shape or not out.flags.c_contiguous:
                return self._checked(x, out)
            if not self.backend.is_gpu and out.flags.writeable and not np.may_share_memory(x, out):
                self._apply(1, x, out)
                return out
        return self._checked(x, out)

    def _apply(self, count: int, x: Array, out: Array) -> None:
        status = lib.gt_py_apply(self.c, self.transposed, count, ffi.from_buffer(x), ffi.from_buffer(out))
        if status:
            error = ffi.string(lib.gt_error())
            if b"not finite" in error:
                finite(x, self.backend, "x")
            check(status)

    def _checked(self, x: Any, out: Any) -> Any:
        x = values_of(x, self.spaces[0], "x", "the operator")
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
            self._apply(count, array, result)
        return result

    def batch(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the leading dimensions of a shape."""
        n = len(self.domain_shape)
        if tuple(shape[-n:]) != self.domain_shape:
            hint = "" if len(shape) != n else shape_hint("x", tuple(shape), self.domain_shape)
            raise ArgumentError(f"x: shape {tuple(shape)}, expected (..., {', '.join(map(str, self.domain_shape))}): {self.axes[self.transposed]}{hint}")
        return tuple(shape[:-n])

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        """Called by NumPy for np.matmul(A, x), np.multiply(2, A), and with an array or scalar on the left for x @ A, 2 * A and x == A."""
        if ufunc in (np.equal, np.not_equal) and method == "__call__":
            return ufunc is np.not_equal  # an operator equals no array
        names = {np.matmul: ("__matmul__", "__rmatmul__"), np.multiply: ("__mul__", "__rmul__")}.get(ufunc)
        if names is None or method != "__call__" or keywords:
            return NotImplemented
        left, right = inputs
        return getattr(left, names[0])(right) if isinstance(left, Operator) else getattr(right, names[1])(left)

    if TYPE_CHECKING:

        @overload
        def __matmul__(self, x: LinearOperator) -> LinearOperator: ...
        @overload
        def __matmul__(self, x: Array | Volume | Projections) -> Array: ...
        @overload
        def __matmul__(self, x: Any) -> Any: ...

    def __matmul__(self, x: Any) -> Any:
        if np.isscalar(x):
            raise ArgumentError("x: a number, expected an array; scale operators by *")
        return self.dot(x)

    def __rmatmul__(self, x: Any) -> Any:
        if isinstance(x, LinearOperator):
            return self._composed("__rmul__", x)
        return self._rows(x)

    def __mul__(self, x: Any) -> Any:
        return self.dot(x)

    def __rmul__(self, x: Any) -> Any:
        return self._composed("__rmul__", x) if np.isscalar(x) or isinstance(x, LinearOperator) else self._rows(x)

    def __add__(self, other: Any) -> Any:
        return self._composed("__add__", other)

    def __sub__(self, other: Any) -> Any:
        return self._composed("__sub__", other)

    def __neg__(self) -> Any:
        return self._composed("__neg__")

    def __pow__(self, power: Any) -> Any:
        return self._composed("__pow__", power)

    def __truediv__(self, number: Any) -> Any:
        return self._composed("__truediv__", number)

    def _composed(self, name: str, *others: Any) -> Any:
        """Makes a sum, product or multiple of operators by SciPy."""
        function = getattr(LinearOperator, name, None)
        if function is None:
            raise UnsupportedError("sums, products and multiples of operators need SciPy, which is not installed: pip install scipy")
        return function(self, *others)

    def _rows(self, x: Any) -> Any:
        """Returns x A for a vector, or for each row of a matrix."""
        x = x if foreign.is_foreign(x) else np.asarray(x)
        return self.T.matvec(x) if x.ndim == 1 else self.T.matmat(x.T).T

    def dot(self, x: Any) -> Any:
        """Returns the product with a vector, a matrix of columns, arrays of shape (..., *domain_shape), a number, or an operator."""
        if np.isscalar(x) or isinstance(x, LinearOperator):
            return self._composed("dot", x)
        if not hasattr(x, "ndim"):
            x = np.asarray(x)
        return self.matvec(x) if x.ndim == 1 else self.matmat(x) if x.ndim == 2 else self(x)

    def matvec(self, x: Any) -> Any:
        """Returns the product with a vector of shape (N,) or (N, 1), in this shape."""
        x = x if foreign.is_foreign(x) else np.asanyarray(x)
        n = self.shape[1]
        if tuple(x.shape) not in ((n,), (n, 1)):
            raise ArgumentError(f"x: shape {tuple(x.shape)}, expected ({n},) or ({n}, 1), or (..., {', '.join(map(str, self.domain_shape))})")
        y = self(x.reshape(self.domain_shape)).reshape(-1)
        return y if x.ndim == 1 else y.reshape(-1, 1)

    def rmatvec(self, x: Any) -> Any:
        """Returns the product of the transpose with a vector."""
        return self.T.matvec(x)

    def matmat(self, X: Any) -> Any:
        """Returns the product with the columns of a matrix of shape (N, K)."""
        X = X if foreign.is_foreign(X) else np.asanyarray(X)
        n = self.shape[1]
        if X.ndim != 2 or X.shape[0] != n:
            raise ArgumentError(f"X: shape {tuple(X.shape)}, expected ({n}, K), columns of a matrix, "
                                f"or (..., {', '.join(map(str, self.domain_shape))})")
        return self(X.T.reshape(X.shape[1], *self.domain_shape)).reshape(X.shape[1], self.shape[0]).T

    def rmatmat(self, X: Any) -> Any:
        """Returns the product of the transpose with the columns of a matrix."""
        return self.T.matmat(X)

    def _matvec(self, x: Any) -> Any:
        return self.matvec(x)

    def _rmatvec(self, x: Any) -> Any:
        return self.T.matvec(x)

    def _matmat(self, X: Any) -> Any:
        return self.matmat(X)

    def _rmatmat(self, X: Any) -> Any:
        return self.T.matmat(X)

    def _adjoint(self) -> Operator:
        return self.T

    def _transpose(self) -> Operator:
        return self.T

    def transpose(self) -> Operator:
        """Returns the transpose."""
        return self.T

    @property
    def T(self) -> Operator:
        """The transpose."""
        raise NotImplementedError

    @property
    def H(self) -> Operator:
        """The adjoint, which equals the transpose: the matrix is real."""
        return self.T

    def __repr__(self) -> str:
        return f"<gantry.{type(self).__name__} {self.domain_shape} -> {self.range_shape}, {self.dtype}, {self.backend.name}>"


def checked(scan: Any, grid: Any) -> tuple[Scan, Grid]:
    """Checks the types of scan and grid; None becomes the default grid."""
    expect(scan, Scan, "scan", "a gantry.Scan, as gantry.circular() makes it")
    expect(grid, (Grid, type(None)), "grid", "a gantry.Grid, as gantry.Grid((z, y, x), pitch)")
    return scan, scan.grid() if grid is None else grid


class Projector(Operator):
    """Line integrals of volumes [z][y][x] as projections [view][row][column], with an exact transpose.

    Parameters
    ----------
    scan : Scan
        Geometry of the projections.
    grid : Grid, optional
        Voxels; the field of view by default.
    model : str, optional
        "dd" (the default), "sf-tr", "joseph" ... or "NAME:key=value".
    device : str or Backend, optional
        "auto", "cpu", "cpu:8" (threads) or "cuda:0". Several devices, as "cuda:0-3", "cuda:0,2" or "cpu:4x2", make a TeamProjector.
    dtype : dtype
        float32 or float64. C-contiguous NumPy arrays of this type are not copied on the CPU.

    Examples
    --------
    >>> scan = gantry.circular(30, (8, 32), 4.0, source_to_axis=300, source_to_detector=600)
    >>> A = gantry.Projector(scan, gantry.Grid((6, 24, 24), 2.5), device="cpu:2")
    >>> x = np.full(A.domain_shape, 0.02, np.float32)          # mm^-1
    >>> y = A(x)
    >>> y.shape, A.T(y).shape, (A @ x.ravel()).shape
    ((30, 8, 32), (6, 24, 24), (7680,))
    >>> A.mismatch() < 1e-6
    True
    """

    if not TYPE_CHECKING:

        def __new__(cls, scan=None, grid=None, model=None, *, device=None, dtype=np.float32):
            from .team import TeamProjector, is_team

            return super().__new__(TeamProjector if is_team(device) else cls)

    def __init__(self, scan: Scan, grid: Grid | None = None, model: str | None = None, *, device: str | Backend | None = None,
                 dtype: DTypeLike = np.float32) -> None:
        self.scan, self.grid = checked(scan, grid)
        self.model = text(lib.gt_projectors[0].name) if model is None else model
        expect(self.model, str, "model", "the name of a projector, as 'sf-tr'")
        be, out = backend(device), ffi.new("gt_linop **")
        check(lib.gt_projector_new(os.fsencode(self.model), be.c, c_type(dtype), self.grid.c, scan.c, out), {"projector": "model"})
        made = ffi.gc(out[0], lib.gt_linop_free)
        check(lib.gt_backend_status(be.c))
        super().__init__(made, be, np.dtype(dtype), (self.grid, scan), False)
        self._backward = Transpose(self)

    @property
    def T(self) -> Operator:
        """The backprojection: the exact transpose."""
        return self._backward

    def forward(self, x: Any, out: Any = None) -> Any:
        """Returns A x."""
        return self(x, out)

    def adjoint(self, y: Any = None, out: Any = None) -> Any:
        """Returns A' y, or the operator A' without y."""
        return self.T if y is None else self.T(y, out)

    @property
    def _place(self) -> str | Backend:
        return self.backend

    def subsets(self, n: int) -> list[Projector]:
        """Returns n operators: number k has the views k, k + n, ... and belongs to y[k::n].

        Examples
        --------
        >>> A = gantry.Projector(gantry.circular(30, 8, 4.0, 300, 600), gantry.Grid(8, 2.0))
        >>> [part.range_shape for part in A.subsets(3)]
        [(10, 8, 8), (10, 8, 8), (10, 8, 8)]
        """
        return [Projector(self.scan.subset(k, n), self.grid, self.model, device=self._place, dtype=self.dtype) for k in range(n)]

    def astype(self, dtype: DTypeLike) -> Projector:
        """Returns the projector in another precision."""
        return Projector(self.scan, self.grid, self.model, device=self._place, dtype=dtype)

    def to(self, device: str | Backend) -> Projector:
        """Returns the projector on another device."""
        return Projector(self.scan, self.grid, self.model, device=device, dtype=self.dtype)

    def mismatch(self, seed: int = 0) -> float:
        """Returns |<Ax, y> - <x, A'y>| / (|Ax| |y|) of random x and y: 0 up to rounding."""
        out = ffi.new("double *")
        check(lib.gt_linop_mismatch(self.c, seed, out))
        return float(out[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.scan, self.grid, self.model, self.backend.name, self.dtype.str)


def _again(scan: Scan, grid: Grid, model: str, device: str, dtype: str) -> Projector:
    return Projector(scan, grid, model, device=device, dtype=dtype)


class Transpose(Operator):
    """The transpose of an operator; keeps the operator alive."""

    def __init__(self, A: Operator) -> None:
        super().__init__(A.c, A.backend, A.dtype, A.spaces[::-1], not A.transposed)
        self.axes = A.axes
        # A copy without a reference to A, because A and its transpose would form a reference cycle.
        self._kind, self._members = type(A), {k: v for k, v in vars(A).items() if k != "_backward"}

    @property
    def T(self) -> Operator:
        """The operator."""
        forward = self._kind.__new__(self._kind)
        vars(forward).update(self._members, _backward=self)
        return forward

    def __reduce__(self) -> tuple[Any, ...]:
        return _transposed_again, (self.T,)


def _transposed_again(A: Operator) -> Operator:
    return A.T
