"""PyTorch tensors and differentiable layers, against differences in double precision."""

import os

import numpy as np
import pytest

import gantry

torch = pytest.importorskip("torch", reason="PyTorch is not installed here")
from gantry.torch import fdk, layer  # noqa: E402

DEVICE = os.environ.get("GT_BACKEND", "cpu:2")
ON = DEVICE if DEVICE.startswith("cuda") else "cpu"
GRID = gantry.Grid((2, 3, 4), (3.1, 3.3, 3.7), (0.5, 1, -1))
SCANS = {"flat": lambda: gantry.circular(3, (3, 4), 5.0, 500, 1000, offset=(0.2, 0.3)),
         "arc": lambda: gantry.circular(3, (3, 4), 5.0, 500, 1000, detector="arc", offset=(0.2, 0.3)),
         "parallel": lambda: gantry.parallel([0.2, 1.1, 2.9], (3, 4), 4.0)}


def tiny(kind="flat", model=None, dtype=np.float64):
    return gantry.Projector(SCANS[kind](), GRID, model, device=DEVICE, dtype=dtype)


def volume(*batch, dtype=torch.float64, **more):
    return torch.rand(*batch, *GRID.shape, dtype=dtype, device=ON, **more)


@pytest.mark.parametrize("model", ["dd", "sf-tr", "joseph", "siddon"])
@pytest.mark.parametrize("kind", list(SCANS))
def test_first_and_second_derivatives(kind, model):
    A = layer(tiny(kind, model))
    x = volume(2, requires_grad=True)
    assert torch.autograd.gradcheck(A, (x,), check_forward_ad=True)
    # of a square, so that the second derivative is not zero
    assert torch.autograd.gradgradcheck(lambda v: A(v) ** 2, (x,))
    y = torch.rand(*A.op.range_shape, dtype=torch.float64, device=ON, requires_grad=True)
    assert torch.autograd.gradcheck(A.T, (y,))


def test_the_gradient_is_the_transpose_to_the_bit():
    A = tiny(dtype=np.float32)
    x = volume(dtype=torch.float32, requires_grad=True)
    y = torch.rand(*A.range_shape, device=ON)
    (layer(A)(x) * y).sum().backward()
    assert np.array_equal(x.grad.cpu().numpy(), A.T(y.cpu().numpy()))
    assert x.grad.abs().sum() > 0


@pytest.mark.parametrize("kind", list(SCANS))
def test_filtered_backprojection_has_derivatives(kind):
    """A layer on the CPU, independent of the tested device."""
    grid, few = gantry.Grid((2, 3, 4), (3.1, 1.3, 1.7), (0.5, 1, -1)), {"filter": "hann", "mask": "none"}
    scan = gantry.parallel(np.linspace(0, np.pi, 5, endpoint=False), (3, 4), 4.0) if kind == "parallel" else \
        gantry.circular(6, (3, 4), 5.0, 500, 1000, detector=kind, offset=(0.2, 0.3))
    B = fdk(scan, grid, dtype="float64", **few)
    p = torch.rand(2, *scan.shape, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(B, (p,), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(lambda v: B(v) ** 2, (p,))
    v = B(p)
    assert v.shape == (2, *grid.shape)
    assert np.array_equal(v.detach().numpy()[1], gantry.analytic(None, p.detach().numpy()[1], scan, grid, device="cpu", dtype=np.float64, **few))
    B32, q = fdk(scan, grid, **few), p.detach().float().requires_grad_()
    B32(q).square().sum().backward()
    v.square().sum().backward()
    assert torch.allclose(q.grad.double(), p.grad, rtol=1e-4, atol=1e-5 * p.grad.abs().max())


def test_two_calls_keep_both_results():
    A = layer(tiny())
    x, z = volume(requires_grad=True), volume(requires_grad=True)
    a = A(x)
    before = a.detach().clone()
    b = A(z)
    assert torch.equal(a, before) and not torch.equal(a, b)
    (a * b).sum().backward()
    assert torch.allclose(x.grad, A.T(b.detach())) and torch.allclose(z.grad, A.T(a.detach()))


def test_vmap_and_batches():
    A = layer(tiny())
    x = volume(2, 3)
    one = torch.stack([torch.stack([A(v) for v in row]) for row in x])
    assert torch.equal(A(x), one)
    assert torch.equal(torch.func.vmap(A)(x), one)
    assert torch.equal(torch.func.vmap(torch.func.vmap(A), in_dims=1, out_dims=1)(x), one)
    assert torch.func.vmap(torch.func.grad(lambda v: A(v).square().sum()))(x[0]).shape == x[0].shape


def test_half_precision_and_others():
    A = layer(tiny(dtype=np.float32))
    x = volume(dtype=torch.float32)
    y = A(x.to(torch.bfloat16))
    assert y.dtype == torch.bfloat16
    assert torch.allclose(y.float(), A(x), rtol=0.03, atol=0.1)
    with pytest.raises(gantry.ArgumentError, match="float64, expected torch.float32"):
        A(x.double())


def test_compiled():
    A = layer(tiny())
    x = volume(requires_grad=True)
    compiled = torch.compile(lambda v: A(2 * v) + 1, backend="eager")
    assert torch.allclose(compiled(x), 2 * A(x) + 1)
    compiled(x).sum().backward()
    assert torch.allclose(x.grad, 2 * A.T(torch.ones(*A.op.range_shape, dtype=torch.float64, device=ON)))


def test_tensors_outside_of_layers():
    A = tiny()
    x = volume()
    expected = A(x.cpu().numpy())
    y = A(x)
    assert isinstance(y, torch.Tensor) and y.device == x.device and np.array_equal(y.cpu().numpy(), expected)
    out = torch.empty_like(y)
    assert A(x, out=out) is out and torch.equal(out, y)
    assert torch.equal(A(x.permute(2, 1, 0).contiguous().permute(2, 1, 0)), y)
    assert torch.equal(A @ x.reshape(-1), y.reshape(-1))
    y[0] = 7  # the result is a tensor of its own
    with pytest.raises(gantry.ArgumentError, match=r"records gradients, .*: gantry.torch.layer\(A\)"):
        A(volume(requires_grad=True))
    with pytest.raises(gantry.ArgumentError, match="out: "):
        A(x, out=torch.empty_like(y).float())
    with pytest.raises(gantry.ArgumentError, match="Projector"):
        layer(np.eye(3))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no GPU")
def test_another_device_is_refused_by_name():
    A = gantry.Projector(SCANS["flat"](), GRID, device="cpu:2")
    with pytest.raises(gantry.ArgumentError, match="is on cuda:0, expected cpu:2"):
        A(torch.zeros(GRID.shape, device="cuda:0"))


@pytest.mark.skipif(not torch.cuda.is_available() or ON == "cpu", reason="GT_BACKEND names no GPU")
def test_on_a_stream_without_copies_or_waits():
    """After long work on a PyTorch stream the result uses the final data."""
    A = tiny(dtype=np.float32)
    x = volume(dtype=torch.float32)
    expected = A(2 * x)
    before = A.backend.counters()
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(200_000_000)
        y = A(2 * x)
        total = y.sum()
    after = A.backend.counters()
    assert (before["puts"], before["gets"], before["waits"]) == (after["puts"], after["gets"], after["waits"])
    torch.cuda.synchronize()
    assert torch.equal(y, expected) and torch.equal(total, expected.sum())


def test_a_network_learns():
    """An unrolled step with a learned length fits data made with another length."""
    torch.manual_seed(1)
    A = layer(tiny(dtype=np.float32))
    x = volume(8, dtype=torch.float32)
    y, norm = A(x), float(np.linalg.norm(A.op.T(A.op(x[0].cpu().numpy()))) / np.linalg.norm(x[0].cpu().numpy()))
    length = torch.nn.Parameter(torch.tensor(0.01, device=ON))
    optimiser = torch.optim.Adam([length], lr=0.05)
    losses = []
    for _ in range(40):
        guess = torch.zeros_like(x)
        for _ in range(3):
            guess = guess - length / norm * A.T(A(guess) - y)
        loss = ((A(guess) - y) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]
