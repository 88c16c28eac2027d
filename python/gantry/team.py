"""A projector over several devices, each with a range of views: Projector(device="cuda:0-3") or "cpu:1x2"."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import foreign
from .backend import Array, Backend, host_array, result_array
from .data import values_of
from .errors import ArgumentError
from .geometry import Grid, Scan
from .projector import Operator, Projector, checked


def is_team(device: object) -> bool:
    """Whether a name denotes several devices."""
    return isinstance(device, str) and bool(re.match(r"cpu:.*[x+]|cuda:.*[,+-]|mpi(:|$)", device))


def members(device: str) -> list[str]:
    """Returns the devices of "cpu:THREADSxRANKS", "cuda:FIRST-LAST", "cuda:NUMBER,NUMBER", or of a list with + between."""
    if device.startswith("mpi"):
        raise ArgumentError(f"device {device!r}: several processes, expected devices of one process: use reconstruct(backend={device!r})")
    if "+" in device:
        parts = [one for part in device.split("+") for one in (members(part) if is_team(part) else [part])]
        if not all(re.fullmatch(r"cpu:[1-9]\d{0,3}|cuda:\d{1,4}", part) for part in parts) or len({part[:3] for part in parts}) > 1:
            raise ArgumentError(f"device {device!r}: expected devices of one kind with + between, as cpu:1+cpu:2")
        return parts
    cpu = re.fullmatch(r"cpu:([1-9]\d{0,3})x([1-9]\d{0,3})", device)
    if cpu:
        return [f"cpu:{cpu[1]}"] * int(cpu[2])
    if not re.fullmatch(r"cuda:\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*", device):
        raise ArgumentError(f"device {device!r}: expected cpu:THREADSxRANKS as cpu:1x4, or cuda:FIRST-LAST or cuda:NUMBER,NUMBER as cuda:0-3")
    runs = [part.split("-") for part in device[5:].split(",")]
    numbers = [n for run in runs for n in range(int(run[0]), int(run[-1]) + 1)]
    if len(set(numbers)) < len(numbers) or not numbers:
        raise ArgumentError(f"device {device!r}: expected each device once, and ascending ranges")
    return [f"cuda:{n}" for n in numbers]


class TeamProjector(Projector):
    """Line integrals of volumes by several devices, for NumPy arrays. Projector makes it of a device name such as "cuda:0-3".

    Each device holds the volume and a range of views. A(x) is bit-identical to one device. The transpose is exact up to the rounding of the
    sum over devices. For solvers on several devices use reconstruct(backend="cuda:0-3").
    """

    def __init__(self, scan: Scan, grid: Grid | None = None, model: str | None = None, *, device: Any = None, dtype: DTypeLike = np.float32) -> None:
        self.scan, self.grid = checked(scan, grid)
        names = members(device)
        if len(names) > len(scan):
            raise ArgumentError(f"device {device!r}: {len(names)} devices for {len(scan)} views, expected at least a view for each")
        self.device: str = device
        self.edges = [round(k * len(scan) / len(names)) for k in range(len(names) + 1)]
        self.parts = [Projector(scan.run(a, b), self.grid, model, device=Backend(name), dtype=dtype)
                      for a, b, name in zip(self.edges, self.edges[1:], names)]
        self.model = self.parts[0].model
        Operator.__init__(self, None, self.parts[0].backend, np.dtype(dtype), (self.grid, scan), False)

    def __call__(self, x: Any, out: Any = None) -> Array:
        """The operator applied to x, in `out` if it is given."""
        return _apply(self, self, x, out)

    @property
    def T(self) -> Operator:
        """The transpose."""
        return TeamTranspose(self)

    @property
    def _place(self) -> str:
        return self.device

    def mismatch(self, seed: int = 0) -> float:
        """|<Ax, y> - <x, A'y>| / (|Ax| |y|) of random x and y: 0 up to rounding."""
        random = np.random.default_rng(seed)
        x, y = (random.random(shape).astype(self.dtype) for shape in (self.domain_shape, self.range_shape))
        forward = np.asarray(self(x), np.float64)
        there, back = np.vdot(forward, y), np.vdot(x.astype(np.float64), self.T(y))
        return float(abs(there - back) / (np.linalg.norm(forward) * np.linalg.norm(y)))

    def __repr__(self) -> str:
        return f"<gantry.{type(self).__name__} {self.domain_shape} -> {self.range_shape}, {self.dtype}, {self.device}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.scan, self.grid, self.model, self.device, self.dtype.str)


def _again(scan: Scan, grid: Grid, model: str, device: str, dtype: str) -> Projector:
    return Projector(scan, grid, model, device=device, dtype=dtype)


class TeamTranspose(Operator):
    """The transpose of a projector on several devices; keeps the projector alive."""

    def __init__(self, A: TeamProjector) -> None:
        super().__init__(None, A.backend, A.dtype, A.spaces[::-1], True)
        self.forward = A

    def __call__(self, x: Any, out: Any = None) -> Array:
        """The operator applied to x, in `out` if it is given."""
        return _apply(self, self.forward, x, out)

    @property
    def T(self) -> Operator:
        """The projector."""
        return self.forward

    def __repr__(self) -> str:
        return f"<gantry.TeamTranspose of {self.forward!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return TeamTranspose, (self.forward,)


def _apply(op: Operator, team: TeamProjector, x: Any, out: Any) -> Array:
    x = values_of(x, op.spaces[0], "x", "the operator")
    if foreign.is_foreign(x):
        raise ArgumentError(f"x: a {type(x).__module__}.{type(x).__name__}, expected an array of NumPy for the devices {team.device}")
    array = host_array(x, op.dtype, "x")
    batch = op.batch(array.shape)
    result = result_array(out, op.dtype, batch + op.range_shape)
    if np.may_share_memory(array, result):
        raise ArgumentError("out: shares memory with x, expected an array of its own")
    flat, made = array.reshape(-1, *op.domain_shape), result.reshape(-1, *op.range_shape)
    runs = list(zip(team.parts, team.edges, team.edges[1:]))
    with ThreadPoolExecutor(len(runs)) as pool:
        for one, to in zip(flat, made):
            if op.transposed:
                to[:] = sum(pool.map(lambda run: run[0].T(one[run[1] : run[2]]), runs), np.zeros_like(to))
            else:
                list(pool.map(lambda run: run[0](one, out=to[run[1] : run[2]]), runs))
    return result
