"""Penalties on volumes: a name of the library's table and its parameters."""

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
    """A penalty by name and parameters, such as Penalty("huber", strength=30, delta="5HU"). Attenuations are mm^-1 or texts in HU.

    It is made for a grid and a device when a solver needs it. For reconstruct() also noise="10HU" in place of a strength.
    """

    def __init__(self, name: str, *, noise: str | None = None, **parameters: Any) -> None:
        self.name = name
        self.parameters = {key: value for key, value in parameters.items() if value is not None}
        self.noise = noise
        self._words = tables.spec("regularizer", name, self.parameters)

    @property
    def spec(self) -> str:
        """The text that the command takes."""
        if self.noise is None:
            return self._words
        return self._words + (":" if ":" not in self._words else ",") + f"noise={self.noise}"

    def make(self, be: Backend, dtype: Any, grid: Grid, kappa: Array | None = None) -> Any:
        """The library's penalty, on a device. kappa: weights per voxel."""
        out = ffi.new("gt_penalty **")
        lent = Lent(be, kappa) if kappa is not None else None
        check(lib.gt_regularizer_new(self._words.encode(), be.c, c_type(dtype), grid.c, lent.c if lent else ffi.NULL, out))
        return ffi.gc(out[0], lib.gt_penalty_free)

    def __repr__(self) -> str:
        return f"Penalty('{self.spec}')"


class Denoiser(Penalty):
    """Any function as the proximal step of pnp_fista, pnp_admm and red ("plug and play").

    function(z, t) gets a volume [z][y][x] in mm^-1, which it must not change, and the length of the step, and returns the volume with
    less noise: an array of NumPy, or of another library in the host's memory. What it raises comes out of the solver. A denoiser of
    the library's own goes by its name: Penalty("nlm").
    """

    def __init__(self, function: Callable[[Array, float], Any], name: str | None = None) -> None:
        if not callable(function):
            raise ArgumentError(f"function: a {type(function).__name__}, expected something to call with a volume and a length")
        self.function = function
        self.name = name if name is not None else str(getattr(function, "__name__", type(function).__name__))

    @property
    def spec(self) -> str:
        """There is none: the command cannot call Python."""
        raise ArgumentError(f"{self.name}: a function has no text for reconstruct(): give it to pnp_fista, pnp_admm or red")

    def make(self, be: Backend, dtype: Any, grid: Grid, kappa: Array | None = None) -> Any:
        """The library's penalty that calls the function."""
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
        found = host_array(self.denoiser.function(z, float(c.t)), self.dtype, f"result of {self.denoiser.name}")
        check_shape(f"result of {self.denoiser.name}", found.shape, self.shape, "[z][y][x], as it was given")
        result[...] = found
        c.written = found.size


@ffi.def_extern(error=int(lib.GT_ERR_ARG), onerror=keep)  # type: ignore[untyped-decorator]
def gt_py_denoise(self: Any, c: Any) -> int:
    """A solver asks for a volume with less noise."""
    calls: _Calls = ffi.from_handle(self)
    calls.run(c)
    return 0
