"""Penalties on volumes by name and parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import tables
from ._c import ffi, lib
from .backend import Array, Backend, Lent, c_type
from .errors import ArgumentError, check, keep
from .geometry import Grid
from .lending import LIBRARIES, calls


class Penalty:
    """A penalty on volumes by name and parameters.

    Each penalty also has a function of its name: gantry.huber(strength=30). Attenuations are mm^-1, or texts such as "10HU".

    Parameters
    ----------
    name : str
        Name in the library, such as "huber".
    noise : str, optional
        Target noise such as "10HU" in place of a strength, for reconstruct().
    **parameters
        Parameters of the penalty; gantry.parameters("regularizer", name) lists them.

    Examples
    --------
    >>> gantry.Penalty("huber", strength=30, delta="5HU").spec
    'huber:strength=30,delta=5HU'
    >>> gantry.huber(strength=30, delta="5HU")
    gantry.huber(strength=30, delta='5HU')
    """

    def __init__(self, name: str, *, noise: str | None = None, **parameters: Any) -> None:
        self.name = name
        self.parameters = {key: value for key, value in parameters.items() if value is not None}
        self.noise = noise
        self._words = tables.spec("regularizer", name, self.parameters)

    @property
    def spec(self) -> str:
        """Text for the command, "NAME:key=value,..."."""
        if self.noise is None:
            return self._words
        return self._words + (":" if ":" not in self._words else ",") + f"noise={self.noise}"

    def make(self, be: Backend, dtype: Any, grid: Grid, kappa: Array | None = None) -> Any:
        """Returns the penalty of the library on a device. kappa: weights per voxel."""
        out = ffi.new("gt_penalty **")
        lent = Lent(be, kappa) if kappa is not None else None
        check(lib.gt_regularizer_new(self._words.encode(), be.c, c_type(dtype), grid.c, lent.c if lent else ffi.NULL, out))
        return ffi.gc(out[0], lib.gt_penalty_free)

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) is Penalty and self.spec == other.spec)

    def __hash__(self) -> int:
        return hash(self._words) if type(self) is Penalty else id(self)

    def __repr__(self) -> str:
        given = {"noise": self.noise, **self.parameters} if self.noise is not None else self.parameters
        return f"gantry.{tables.python_name(self.name)}({', '.join(f'{key}={value!r}' for key, value in given.items())})"


class Denoiser(Penalty):
    """A function as the proximal step of pnp_fista, pnp_admm and red (plug and play).

    Parameters
    ----------
    function : callable
        function(z, t) receives slices [z][y][x] in mm^-1 and the step length. It returns the denoised slices as a new array, and
        keeps no reference to z. Its exceptions end the solver.
    name : str, optional
        Name in messages.
    arrays : {"numpy", "torch", "cupy", "jax", "dlpack"}
        Library of the arrays. "numpy": z is in host memory and read-only; every call copies the volume from and to the device.
        Others: z and the result are in the memory of the solver's device, in its precision. Functions of PyTorch and CuPy run on
        the stream of the backend, those of PyTorch without gradients. "dlpack": z has only the methods of DLPack.
    slices : int, optional
        Largest number of slices in a call (default: the whole volume).

    Examples
    --------
    >>> A = gantry.Projector(gantry.circular(30, 8, 4.0, 300, 600), gantry.Grid(8, 2.0))
    >>> b = A(np.full(A.domain_shape, 0.02))
    >>> gantry.pnp_fista(A, b, penalty=gantry.Denoiser(lambda z, t: 0.9 * z), iterations=3).iterations
    3
    """

    def __init__(self, function: Callable[[Any, float], Any], name: str | None = None, *, arrays: str = "numpy",
                 slices: int | None = None) -> None:
        if not callable(function):
            raise ArgumentError(f"function: a {type(function).__name__}, expected a callable of a volume and a step length")
        if arrays not in LIBRARIES:
            raise ArgumentError(f"arrays: {arrays!r}, expected one of {', '.join(LIBRARIES)}")
        if slices is not None and (not isinstance(slices, int) or slices < 1):
            raise ArgumentError(f"slices: {slices!r}, expected a number of slices, 1 or more, or None")
        self.function, self.arrays, self.slices = function, arrays, slices
        self.name = name if name is not None else str(getattr(function, "__name__", type(function).__name__))

    @property
    def spec(self) -> str:
        """Raises ArgumentError: the command cannot call Python."""
        raise ArgumentError(f"{self.name}: reconstruct() does not accept functions: use pnp_fista, pnp_admm or red")

    def make(self, be: Backend, dtype: Any, grid: Grid, kappa: Array | None = None) -> Any:
        """Returns the penalty of the library that calls the function."""
        slices = min(self.slices or grid.shape[0], grid.shape[0])
        call = calls(self.function, self.name, self.arrays, be, dtype, (slices, *grid.shape[1:]))
        handle, name = ffi.new_handle(call), ffi.new("char[]", self.name.encode())
        given = ffi.new("gt_denoiser *", {"name": name, "denoise": lib.gt_py_denoise, "self": handle, "slices": slices})
        given.size = ffi.sizeof("gt_denoiser")
        given.memory = lib.GT_HOST_MEMORY if self.arrays == "numpy" else lib.GT_DEVICE_MEMORY
        out = ffi.new("gt_penalty **")
        check(lib.gt_penalty_of_denoiser(given, be.c, c_type(dtype), grid.c, out))

        def free(penalty: Any, kept: Any = (call, handle, name, given)) -> None:
            lib.gt_penalty_free(penalty)

        return ffi.gc(out[0], free)

    def __repr__(self) -> str:
        return f"Denoiser({self.name})"


@ffi.def_extern(error=int(lib.GT_ERR_ARG), onerror=keep)  # type: ignore[untyped-decorator]
def gt_py_denoise(self: Any, c: Any) -> int:
    """Callback of a solver: denoises a volume."""
    ffi.from_handle(self).run(c)
    return 0
