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
from .errors import ArgumentError, UnsupportedError
from .geometry import Grid, Scan
from .motion import MOTIONS, MotionDerivative, moved
from .projector import Operator, Projector
from .solvers import Analytic

__all__ = ["Batch", "Layer", "MovingProjector", "fdk", "layer"]

_NO_MOTION = ("the gradient by the motion has no derivative by the motion: weights of the projectors have kinks at borders of voxels, so their "
              "second derivatives do not exist; use motion.detach() in the inner gradient, or no create_graph")
_NO_VOLUME = ("the gradient by the motion has no derivative by the volume: no projector provides its transpose; use x.detach() in the inner "
              "gradient, or no create_graph")


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


class _Refused(torch.autograd.Function):
    """x, for a function without a derivative by x. Autograd calls backward only if it needs the gradient of x."""

    @staticmethod
    def forward(ctx: Any, x: Any, why: str) -> Any:
        ctx.why = why
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise UnsupportedError(ctx.why)


class _Moved:
    """The operators at a motion: A, and D, the derivative of the projections of x."""

    def __init__(self, module: MovingProjector, motion: Any) -> None:
        self.module, self.A = module, module.projector(motion)

    def D(self, x: Any, motion: Any) -> MotionDerivative:
        return self.module.derivative(x, motion)


class _Project(torch.autograd.Function):
    """A x, or A' x with back. Both gradients record their own."""

    @staticmethod
    def forward(ctx: Any, x: Any, motion: Any, at: _Moved, back: bool) -> Any:
        ctx.save_for_backward(x, motion)
        ctx.at, ctx.back = at, back
        return (at.A.T if back else at.A)(x.detach())

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, motion = ctx.saved_tensors
        at, back, g = ctx.at, ctx.back, gradients[0]
        by_x = _Project.apply(g, motion, at, not back) if ctx.needs_input_grad[0] else None
        by_motion = None
        if ctx.needs_input_grad[1]:
            volume, data = (g, x) if back else (x, g)
            by_motion = _ByMotion.apply(_Refused.apply(volume, _NO_VOLUME), data, _Refused.apply(motion, _NO_MOTION), at)
        return by_x, by_motion, None, None


class _ByMotion(torch.autograd.Function):
    """D'y: the gradient by the motion. It has a derivative by y."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any, motion: Any, at: _Moved) -> Any:
        ctx.save_for_backward(x, y, motion)
        ctx.at = at
        return at.D(x, motion).T(y.detach()).to(device=motion.device, dtype=motion.dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Any) -> Any:
        x, y, motion = ctx.saved_tensors
        by_y = ctx.at.D(x, motion)(gradient.detach().to(device=y.device, dtype=y.dtype)) if ctx.needs_input_grad[1] else None
        # the zeros only reach _Refused
        return torch.zeros_like(x), by_y, torch.zeros_like(motion), None


class MovingProjector(torch.nn.Module):
    """Projections y = A(motion) x of volumes [z][y][x] by a scan whose views move, with gradients by volume and motion.

    motion: (views, 9), columns as in gantry.MOTIONS, in mm and radians; usually in double precision. The gradient by all
    parameters of all views costs about one projection. The gradient by x can be differentiated by the motion and by the gradient
    of y, that by the motion by the gradient of y alone: other second derivatives raise UnsupportedError. If the motion records no
    gradients, x has derivatives of any order. The model needs a derivative by the geometry: "joseph", "dd" or "sf-tr"."""

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
        at = _Moved(self, motion)
        return _Project.apply(x, motion, at, False) if motion.requires_grad else _apply(x, at.A)
