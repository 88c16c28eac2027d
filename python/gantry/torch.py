"""PyTorch: a projector, filtered backprojection and their transposes as layers with derivatives of any order.

The derivative of A is A itself and its gradient A', exactly; that of A' is A. Each call gives a new tensor and keeps nothing.
"""

from __future__ import annotations

from typing import Any, overload

try:
    import torch
except ImportError as missing:
    raise ImportError("gantry.torch needs PyTorch: pip install torch") from missing

from .arguments import kind_of
from .errors import ArgumentError
from .geometry import Grid, Scan
from .motion import MOTIONS, MotionDerivative, moved
from .projector import Operator, Projector
from .solvers import Analytic

__all__ = ["Batch", "Layer", "MovingProjector", "fdk", "layer"]


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


def _single(A: Any) -> Layer:
    if not isinstance(A, Operator) or A.c is None:
        raise ArgumentError(f"A: a {type(A).__name__}, expected a gantry.Projector, a gantry.Analytic or a transpose of them")
    return Layer(A)


class Batch(torch.nn.Module):
    """y[i] = A[i] x[i] for scans with different geometries: tensors [scan, ..., z, y, x] or, transposed, [scan, ..., view, row, column].

    The operators share shapes, type and device.
    """

    def __init__(self, operators: list[Operator] | tuple[Operator, ...]) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(_single(op) for op in operators)
        kinds = [(op.domain_shape, op.range_shape, op.dtype, op.backend.name) for op in operators]
        if not kinds:
            raise ArgumentError("A: no operators, expected one for each scan of the batch")
        for i, kind in enumerate(kinds):
            if kind != kinds[0]:
                raise ArgumentError(f"A[{i}]: {operators[i]!r}, expected the shapes, type and device of A[0], {operators[0]!r}")

    def forward(self, x: Any) -> Any:
        """Each operator applied to its element of the batch."""
        if not isinstance(x, torch.Tensor) or x.dim() < 1 or len(x) != len(self.layers):
            found = f"shape {tuple(x.shape)}" if isinstance(x, torch.Tensor) else kind_of(x)
            raise ArgumentError(f"x: {found}, expected a torch.Tensor whose first axis has {len(self.layers)} scans")
        return torch.stack([A(v) for A, v in zip(self.layers, x)])

    @property
    def T(self) -> Batch:
        """The transposes as a batch."""
        return Batch([A.op.T for A in self.layers])


@overload
def layer(A: Operator) -> Layer: ...
@overload
def layer(A: list[Any] | tuple[Any, ...]) -> Batch: ...
def layer(A: Operator | list[Any] | tuple[Any, ...]) -> Layer | Batch:
    """The layer of a projector, of a gantry.Analytic, or of a transpose A.T. A list of them makes a Batch."""
    return Batch(A) if isinstance(A, (list, tuple)) else _single(A)


@overload
def fdk(scan: Scan, grid: Grid | None = None, *, dtype: Any = "float32", device: str = "cpu", **parameters: Any) -> Layer: ...
@overload
def fdk(scan: list[Scan] | tuple[Scan, ...], grid: Grid | None = None, *, dtype: Any = "float32", device: str = "cpu",
        **parameters: Any) -> Batch: ...
def fdk(scan: Scan | list[Scan] | tuple[Scan, ...], grid: Grid | None = None, *, dtype: Any = "float32", device: str = "cpu",
        **parameters: Any) -> Layer | Batch:
    """Filtered backprojection (fdk, fbp or wfbp) as a layer, from tensors [..., view, row, column] to volumes [..., z, y, x].

    Gradients use the exact transpose in dtype, "float32" or "float64". device "cuda:0" takes tensors on that GPU.
    A list of scans makes a Batch. parameters: those of the method, such as filter="hann"."""
    if isinstance(scan, (list, tuple)):
        return Batch([Analytic(one, grid, device=device, dtype=dtype, **parameters) for one in scan])
    return Layer(Analytic(scan, grid, device=device, dtype=dtype, **parameters))


class _Project(torch.autograd.Function):
    """Projections of x by a scan after a motion; gradients by both, of first order."""

    @staticmethod
    def forward(ctx: Any, x: Any, motion: Any, module: MovingProjector) -> Any:
        A = module.projector(motion)
        ctx.save_for_backward(x, motion)
        ctx.module, ctx.A = module, A
        return A(x.detach())

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Any) -> Any:
        x, motion = ctx.saved_tensors
        gradient = gradient.detach()
        by_x = ctx.A.T(gradient) if ctx.needs_input_grad[0] else None
        by_motion = None
        if ctx.needs_input_grad[1]:
            by_motion = ctx.module.derivative(x, motion).T(gradient).to(device=motion.device, dtype=motion.dtype)
        return by_x, by_motion, None


class MovingProjector(torch.nn.Module):
    """Projections y = A(motion) x of volumes [z][y][x] by a scan whose views move, with gradients by volume and motion.

    motion: (views, 9), columns as in gantry.MOTIONS, in mm and radians; usually in double precision. The gradient by all
    parameters of all views costs about one projection. Gradients are of first order. The model needs a derivative by the
    geometry: "joseph", "dd" or "sf-tr"."""

    def __init__(self, scan: Scan, grid: Grid | None = None, model: str = "joseph", *, dtype: Any = "float32", device: str = "cpu") -> None:
        super().__init__()
        self.scan, self.grid = scan, scan.grid() if grid is None else grid
        self.model, self.dtype, self.device = model, dtype, device

    def projector(self, motion: Any) -> Projector:
        """The projector after a motion."""
        scan = moved(self.scan, motion.detach().cpu().numpy())
        return Projector(scan, self.grid, self.model, device=self.device, dtype=self.dtype)

    def derivative(self, x: Any, motion: Any) -> MotionDerivative:
        """The derivative of the projections of x by the motion."""
        return MotionDerivative(self.scan, self.grid, x.detach(), motion.detach().cpu().numpy(), self.model, device=self.device,
                                dtype=self.dtype)

    def forward(self, x: Any, motion: Any) -> Any:
        """Projects one volume."""
        wanted = getattr(torch, str(self.dtype))
        if x.dtype != wanted or tuple(x.shape) != self.grid.shape:
            raise ArgumentError(f"x: {x.dtype} of shape {tuple(x.shape)}, expected {wanted} of shape {self.grid.shape}: [z][y][x]")
        if tuple(motion.shape) != (len(self.scan), len(MOTIONS)):
            raise ArgumentError(f"motion: shape {tuple(motion.shape)}, expected {(len(self.scan), len(MOTIONS))}: [view][parameter]")
        return _Project.apply(x, motion, self)
