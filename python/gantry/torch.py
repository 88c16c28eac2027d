"""PyTorch: a projector, filtered backprojection and their transposes as layers with derivatives of any order.

The derivative of A is A itself and its gradient A', exactly; that of A' is A. Each call gives a new tensor and keeps nothing.
"""

from __future__ import annotations

from typing import Any

try:
    import torch
except ImportError as missing:
    raise ImportError("gantry.torch needs PyTorch: pip install torch") from missing

from .arguments import kind_of
from .errors import ArgumentError
from .geometry import Grid, Scan
from .projector import Operator
from .solvers import Analytic

__all__ = ["Layer", "fdk", "layer"]


class _Apply(torch.autograd.Function):
    """op x; op is linear, so it is its own derivative."""

    @staticmethod
    def forward(x: Any, op: Operator) -> Any:
        return op(x.detach())

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.op = inputs[1]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return _Apply.apply(gradients[0], ctx.op.T), None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return _Apply.apply(tangents[0], ctx.op)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], x: Any, op: Operator) -> Any:
        return _Apply.apply(x.movedim(in_dims[0], 0), op), 0


@torch.compiler.disable
def _apply(x: Any, op: Operator) -> Any:
    return _Apply.apply(x, op)


class Layer(torch.nn.Module):
    """y = A x for tensors [..., z, y, x], or the transpose for [..., view, row, column], with leading batch and channel axes.

    Half-precision tensors, as under autocast, are computed in the operator's type and returned in theirs. Others need the operator's type.
    """

    def __init__(self, op: Operator) -> None:
        super().__init__()
        self.op = op

    def forward(self, x: Any) -> Any:
        """The operator applied."""
        wanted = getattr(torch, self.op.dtype.name)
        if not isinstance(x, torch.Tensor):
            raise ArgumentError(f"x: {kind_of(x)}, expected a torch.Tensor: torch.as_tensor(x) makes one")
        if x.dtype in (torch.float16, torch.bfloat16):
            return _apply(x.to(wanted), self.op).to(x.dtype)
        if x.dtype != wanted:
            raise ArgumentError(f"x: {x.dtype}, expected {wanted}: the operator's type; A.astype() makes one of the other")
        return _apply(x, self.op)

    @property
    def T(self) -> Layer:
        """The transpose as a layer."""
        return Layer(self.op.T)

    def extra_repr(self) -> str:
        return repr(self.op)


def layer(A: Operator) -> Layer:
    """The layer of a projector, of a gantry.Analytic, or of a transpose A.T."""
    if not isinstance(A, Operator) or A.c is None:
        raise ArgumentError(f"A: a {type(A).__name__}, expected a gantry.Projector, a gantry.Analytic or a transpose of them")
    return Layer(A)


def fdk(scan: Scan, grid: Grid | None = None, *, dtype: Any = "float32", device: str = "cpu", **parameters: Any) -> Layer:
    """Filtered backprojection (fdk or fbp) as a layer on the CPU, from tensors [..., view, row, column] to volumes [..., z, y, x].

    Gradients use the exact transpose, computed in double and rounded to dtype, "float32" or "float64". parameters: those of
    the method, such as filter="hann"."""
    return Layer(Analytic(scan, grid, device=device, dtype=dtype, **parameters))
