"""Penalties on volumes by name and parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import tables
from ._c import ffi, lib
from .backend import Array, Backend, Lent, borrowed, c_type, check_shape, host_array
from .errors import ArgumentError, check, keep
from .geometry import Grid


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

    def __repr__(self) -> str:
        return f"Penalty('{self.spec}')"


class Denoiser(Penalty):
    """A function as the proximal step of pnp_fista, pnp_admm and red (plug and play).

    Parameters
    ----------
    function : callable
        function(z, t) receives a volume [z][y][x] in mm^-1, which it must not change, and the step length. It returns the denoised
        volume as an array in host memory. Its exceptions end the solver.
    name : str, optional
        Name in messages.

    Examples
    --------
    >>> A = gantry.Projector(gantry.circular(30, 8, 4.0, 300, 600), gantry.Grid(8, 2.0))
    >>> b = A(np.full(A.domain_shape, 0.02))
    >>> gantry.pnp_fista(A, b, penalty=gantry.Denoiser(lambda z, t: 0.9 * z), iterations=3).iterations
    3
    """

    def __init__(self, function: Callable[[Array, float], Any], name: str | None = None) -> None:
        if not callable(function):
            raise ArgumentError(f"function: a {type(function).__name__}, expected a callable of a volume and a step length")
        self.function = function
        self.name = name if name is not None else str(getattr(function, "__name__", type(function).__name__))

    @property
    def spec(self) -> str:
        """Raises ArgumentError: the command cannot call Python."""
        raise ArgumentError(f"{self.name}: reconstruct() does not accept functions: use pnp_fista, pnp_admm or red")

    def make(self, be: Backend, dtype: Any, grid: Grid, kappa: Array | None = None) -> Any:
        """Returns the penalty of the library that calls the function."""
        call = _Calls(self, np.dtype(dtype), grid.shape)
        handle, name = ffi.new_handle(call), ffi.new("char[]", self.name.encode())
        given = ffi.new("gt_denoiser *", {"name": name, "denoise": lib.gt_py_denoise, "self": handle})
        given.size = ffi.sizeof("gt_denoiser")
        out = ffi.new("gt_penalty **")
        check(lib.gt_penalty_of_denoiser(given, be.c, c_type(dtype), grid.c, out))

        def free(penalty: Any, kept: Any = (call, handle, name, given)) -> None:
            lib.gt_penalty_free(penalty)

        return ffi.gc(out[0], free)

    def __repr__(self) -> str:
        return f"Denoiser({self.name})"


class _Calls:
    def __init__(self, denoiser: Denoiser, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        self.denoiser, self.dtype, self.shape = denoiser, dtype, shape

    def run(self, c: Any) -> None:
        z = borrowed(getattr(c, "in"), self.shape, None, writeable=False, dtype=self.dtype)
        result = borrowed(c.out, self.shape, None, dtype=self.dtype)
        assert z is not None and result is not None
        try:
            made = self.denoiser.function(z, float(c.t))
        except ValueError as error:
            if "read-only" in str(error):
                raise ArgumentError(f"{self.denoiser.name}: changes its volume z in place, expected a new array, as z * 0.9") from error
            raise
        found = host_array(made, self.dtype, f"result of {self.denoiser.name}")
        check_shape(f"result of {self.denoiser.name}", found.shape, self.shape, "[z][y][x], as it was given")
        result[...] = found
        c.written = found.size


@ffi.def_extern(error=int(lib.GT_ERR_ARG), onerror=keep)  # type: ignore[untyped-decorator]
def gt_py_denoise(self: Any, c: Any) -> int:
    """Callback of a solver: denoises a volume."""
    calls: _Calls = ffi.from_handle(self)
    calls.run(c)
    return 0
