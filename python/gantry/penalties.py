"""Penalties on volumes: a name of the library's table and its parameters."""

from __future__ import annotations

from typing import Any

from . import tables
from ._c import ffi, lib
from .backend import Array, Backend, Lent, c_type
from .errors import check
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
