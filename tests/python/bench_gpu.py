"""Prints times of the package on a GPU as a table: python tests/python/bench_gpu.py [VIEWS COLUMNS SLICES].

A training step through the layer against forward and backprojection alone; OS-SART in ten lines of PyTorch against the library's
solver; host time of a call. Medians of alternating runs.
"""

import statistics
import sys
import time

import numpy as np
import torch

import gantry
from gantry._c import ffi, lib
from gantry.torch import layer

VIEWS, COLUMNS, SLICES = (int(a) for a in sys.argv[1:4]) if len(sys.argv) > 3 else (984, 888, 64)
DEVICE = "cuda:0"


def seconds(work, repeat=7):
    times = []
    for _ in range(repeat):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[1:])


def in_turn(*works, rounds=5):
    found = [[seconds(w, 3) for w in works] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*found)]


scan = gantry.circular(VIEWS, (SLICES, COLUMNS), (1.0947, 1.0239), 541, 949, detector="arc")
grid = gantry.Grid((SLICES, 512, 512), (0.625, 0.9766, 0.9766))
A = gantry.Projector(scan, grid, device=DEVICE)
x = torch.rand(grid.shape, device=DEVICE) * 0.02
y = A(x)
L = layer(A)
weight = torch.nn.Parameter(torch.ones((), device=DEVICE))


def step():
    weight.grad = None
    (L(x * weight) * y).sum().backward()


def pair():
    A(x, out=y2)
    A.T(y, out=x2)


def vectors():
    """Other work of a training step: products and sums that any operator needs."""
    z = x * weight.detach()
    (y2 * y).sum()
    y2.mul(1.0)
    (x2 * x).sum()
    return z


y2, x2 = torch.empty_like(y), torch.empty_like(x)
t_step, t_pair, t_vectors = in_turn(step, pair, vectors)
print(f"forward + back {t_pair * 1e3:.2f} ms; training step of the layer {t_step * 1e3:.2f} ms, its vectors alone {t_vectors * 1e3:.2f} ms: "
      f"{(t_step - t_vectors) / t_pair:.3f} without them, {t_step / t_pair:.3f} with them")

SUBSETS = 12
parts = A.subsets(SUBSETS)
data = [y[k::SUBSETS].contiguous() for k in range(SUBSETS)]
ones = torch.ones_like(x)
rows = [1 / p(ones).clamp_min(1e-3) for p in parts]
columns = [1 / p.T(torch.ones_like(d)).clamp_min(1e-3) for p, d in zip(parts, data)]


def os_sart(iterations=3):
    v = torch.zeros_like(x)
    for _ in range(iterations):
        for p, b, r, c in zip(parts, data, rows, columns):
            v += c * p.T(r * (b - p(v)))
    return v


host = y.cpu().numpy()


def solver(iterations):
    begin = time.perf_counter()
    gantry.os_sart(A, host, subsets=SUBSETS, iterations=iterations, relax=1, reduce=1)
    return time.perf_counter() - begin


t_lines = seconds(lambda: os_sart(4), 4) - seconds(lambda: os_sart(1), 4)
solver(2)
t_solver = statistics.median(solver(8) - solver(1) for _ in range(4)) * 3 / 7
print(f"OS-SART of {SUBSETS} subsets, 3 iterations: ten lines of PyTorch {t_lines * 1e3:.1f} ms, the solver {t_solver * 1e3:.1f} ms: {t_lines / t_solver:.2f}")

tiny = gantry.Projector(gantry.circular(1, (1, 1), 1.0, 500, 1000), gantry.Grid((1, 1, 1), 1.0), device=DEVICE)
one, out = torch.rand(1, 1, 1, device=DEVICE), torch.empty(1, 1, 1, device=DEVICE)
counters = A.backend.counters()["waits"]
for _ in range(100):
    tiny(one, out=out)
torch.cuda.synchronize()
begin = time.perf_counter()
for _ in range(200):
    tiny(one, out=out)
call = (time.perf_counter() - begin) / 200
waits = A.backend.counters()["waits"] - counters
pointers = [ffi.cast("void *", address) for address in (one.data_ptr(), out.data_ptr(), torch.cuda.current_stream().cuda_stream)]


def calls(work, repeat=200):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(repeat):
        work()
    return (time.perf_counter() - begin) / repeat


in_c, whole = (statistics.median(t) for t in zip(*[
    (calls(lambda: lib.gt_py_apply_on_stream(tiny.c, tiny.transposed, 1, *pointers)), calls(lambda: tiny(one, out=out))) for _ in range(15)]))
print(f"a call of a tensor, one voxel: {call * 1e6:.1f} us of the host, {waits} waits; in turn {whole * 1e6:.1f}, "
      f"of which {in_c * 1e6:.1f} in C (launches): {(whole - in_c) * 1e6:.1f} over the C call")
cpu = gantry.Projector(tiny.scan, tiny.grid, device="cpu:1")
a, b = np.ones((1, 1, 1), np.float32), np.empty((1, 1, 1), np.float32)
begin = time.perf_counter()
for _ in range(20000):
    cpu(a, out=b)
print(f"a call of a NumPy array on the CPU, one voxel: {(time.perf_counter() - begin) / 20000 * 1e6:.2f} us")
