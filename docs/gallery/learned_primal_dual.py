"""A learned primal-dual network (Adler, Oektem, IEEE Trans. Med. Imaging 37 (2018) 1322) for a cone beam in 3-D, trained on simulated scans.

One network corrects projections, from the measured ones and those of the volume. Another one corrects the volume, from their
backprojection. The start is fdk. All operators are layers with exact gradients. On a GPU: GT_BACKEND=cuda:0, SIZE=64.
"""

import os

import numpy as np
import torch

import gantry
from gantry.torch import fdk, layer

DEVICE, SIZE = os.environ.get("GT_BACKEND", "cpu"), int(os.environ.get("SIZE", "16"))
on = torch.device(DEVICE if DEVICE.startswith("cuda") else "cpu")
torch.manual_seed(1)
rng = np.random.default_rng(1)

voxel = 64 / SIZE
scan = gantry.circular(SIZE // 2, (SIZE, int(1.5 * SIZE)), 2 * voxel, source_to_axis=500, source_to_detector=1000)
grid = gantry.Grid((SIZE // 2, SIZE, SIZE), voxel)
op = gantry.Projector(scan, grid, device=DEVICE)
norm = float(op.T(op(torch.ones(grid.shape, device=on))).mean()) ** 0.5
A, B = layer(op), fdk(scan, grid, device=DEVICE, filter="hann")
axes = np.meshgrid(*((np.arange(n) - (n - 1) / 2) * voxel for n in grid.shape), indexing="ij")


def scans(n):
    """Makes n volumes of three balls each, and their noisy projections, both of order 1."""
    volumes = np.zeros((n, *grid.shape), np.float32)
    for v in volumes:
        for _ in range(3):
            centre, r = rng.uniform(-1, 1, 3) * (5, 12, 12), rng.uniform(6, 12)
            v += (sum((a - c) ** 2 for a, c in zip(axes, centre)) < r ** 2) * np.float32(rng.uniform(0.3, 0.6))
    v = torch.from_numpy(volumes).to(on)
    b = A(v) / norm
    return v, b + 0.3 * b.std() * torch.randn_like(b)


class Step(torch.nn.Module):
    """Correction of the volume or the projections from both; it is 0 before the training."""

    def __init__(self, channels):
        super().__init__()
        last = torch.nn.Conv3d(8, 1, 3, padding=1)
        torch.nn.init.zeros_(last.weight)
        torch.nn.init.zeros_(last.bias)
        self.net = torch.nn.Sequential(torch.nn.Conv3d(channels, 8, 3, padding=1), torch.nn.PReLU(), last)

    def forward(self, *volumes):
        return self.net(torch.stack(volumes, dim=1))[:, 0]


class PrimalDual(torch.nn.Module):
    def __init__(self, steps=2):
        super().__init__()
        self.dual = torch.nn.ModuleList(Step(3) for _ in range(steps))
        self.primal = torch.nn.ModuleList(Step(2) for _ in range(steps))

    def forward(self, b):
        h, x = torch.zeros_like(b), B(b * norm)
        for dual, primal in zip(self.dual, self.primal):
            h = h + dual(h, A(x) / norm, b)
            x = x + primal(x, A.T(h) / norm)
        return x


network = PrimalDual().to(on)
optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
for step in range(80):
    truth, b = scans(2)
    loss = ((network(b) - truth) ** 2).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.4f}")

truth, b = scans(4)
with torch.no_grad():
    learned, direct = network(b), B(b * norm)
for name, x in (("learned", learned), ("fdk", direct)):
    print(f"{name}: error {(x - truth).square().mean().sqrt().item():.4f}")
side_by_side = torch.cat([truth[0], direct[0], learned[0]], dim=2).cpu().numpy()
gantry.show(gantry.Volume(side_by_side, gantry.Grid(side_by_side.shape, voxel)), save="learned_primal_dual.png")
