"""PyTorch tensors and differentiable layers, against differences in double precision."""

import os

import numpy as np
import pytest

import gantry

torch = pytest.importorskip("torch", reason="PyTorch is not installed here")
from torch.utils.checkpoint import checkpoint  # noqa: E402

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


@pytest.mark.parametrize("kind", [*SCANS, "helix"])
def test_filtered_backprojection_has_derivatives(kind):
    """A layer on the CPU, independent of the tested device."""
    grid, few = gantry.Grid((2, 3, 4), (3.1, 1.3, 1.7), (0.5, 1, -1)), {"filter": "hann", "mask": "none"}
    scan = gantry.parallel(np.linspace(0, np.pi, 5, endpoint=False), (3, 4), 4.0) if kind == "parallel" else \
        gantry.helical(12, 2, 12.0, (2, 8), 9.0, 500, 1000) if kind == "helix" else \
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


def test_filtered_backprojection_on_the_device():
    """Values and gradients on the tested device are those of the CPU in double."""
    scan, x = SCANS["flat"](), volume(dtype=torch.float32)
    grads = []
    for B in (fdk(scan, GRID, device=DEVICE, mask="none"), fdk(scan, GRID, dtype="float64", mask="none")):
        where, kind = (ON, torch.float32) if not grads else ("cpu", torch.float64)
        p = torch.linspace(-1, 1, 36).reshape(scan.shape).to(where, kind).requires_grad_()
        (B(p) * x.to(where, kind)).sum().backward()
        assert p.grad.device.type == torch.device(where).type
        grads += [B(p).detach().cpu().double(), p.grad.cpu().double()]
    for one, other in ((0, 2), (1, 3)):
        assert torch.allclose(grads[one], grads[other], rtol=0, atol=1e-5 * float(grads[other].abs().max()))


def test_scans_of_different_geometries_in_one_batch():
    scans = [gantry.circular(3, (3, 4), 5.0, 500, 1000 + 100 * i, offset=(0.2, 0.1 * i)) for i in range(3)]
    operators = [gantry.Projector(scan, GRID, device=DEVICE, dtype=np.float64) for scan in scans]
    A = layer(operators)
    x = volume(3, 2, requires_grad=True)
    y = A(x)
    assert y.shape == (3, 2, *scans[0].shape) and all(torch.equal(y[i], operators[i](x.detach()[i])) for i in range(3))
    assert not torch.allclose(y[0], operators[1](x.detach()[0]))
    assert torch.autograd.gradcheck(A, (x,)) and torch.autograd.gradgradcheck(lambda v: A(v) ** 2, (x,))
    y.sum().backward()
    assert torch.equal(x.grad, A.T(torch.ones_like(y)))
    direct = fdk(scans, GRID, dtype="float64", mask="none")
    p = torch.rand(3, *scans[0].shape, dtype=torch.float64, requires_grad=True)
    assert torch.equal(direct(p)[2], fdk(scans[2], GRID, dtype="float64", mask="none")(p[2]))
    assert torch.autograd.gradcheck(direct, (p,)) and torch.autograd.gradgradcheck(lambda v: direct(v) ** 2, (p,))
    with pytest.raises(gantry.ArgumentError, match=r"x: shape \(2, .*first axis has 3 scans"):
        A(volume(2, 2))
    with pytest.raises(gantry.ArgumentError, match=r"A\[1\]: .*expected the shapes, type and device of A\[0\]"):
        layer([operators[0], operators[1].T])
    with pytest.raises(gantry.ArgumentError, match="no operators"):
        layer([])


def test_recomputation_in_the_backward_pass():
    """torch.utils.checkpoint keeps no intermediate result, calls the layer again, and gives the same gradient."""
    A, calls = layer(tiny()), []
    A.register_forward_hook(lambda *_: calls.append(1))

    def step(v):
        return v - 1e-3 * A.T(torch.relu(A(v)) - 1)

    def gradient(run):
        x = torch.linspace(0, 1, 24, dtype=torch.float64, device=ON).reshape(1, *GRID.shape).requires_grad_()
        calls.clear()
        y = run(run(x))
        y.square().sum().backward()
        return x.grad, len(calls)

    plain, once = gradient(step)
    again, twice = gradient(lambda v: checkpoint(step, v, use_reentrant=False))
    assert torch.equal(plain, again) and plain.abs().sum() > 0
    assert (once, twice) == (2, 4)


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
