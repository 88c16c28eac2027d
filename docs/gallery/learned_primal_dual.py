"""A learned primal-dual network (Adler, Oektem, IEEE Trans. Med. Imaging 37 (2018) 1322) around a projector, trained on random discs.

One network corrects projections, from the measured ones and those of the volume. Another one corrects the volume, from their
backprojection. The projector pair is matched, so the gradients are exact. On a GPU: DEVICE = "cuda:0".
"""

import os

import numpy as np
import torch

import gantry
from gantry.torch import layer

DEVICE = os.environ.get("GT_BACKEND", "cpu")
on = torch.device(DEVICE if DEVICE.startswith("cuda") else "cpu")
torch.manual_seed(1)
rng = np.random.default_rng(1)

scan = gantry.parallel(np.linspace(0, np.pi, 16, endpoint=False), (1, 48), 2.0)
grid = gantry.Grid((1, 32, 32), 2.0)
op = gantry.Projector(scan, grid, device=DEVICE)
one = torch.full(grid.shape, 1.0, device=on)
norm = float(op.T(op(one)).mean()) ** 0.5
A = layer(op)


def discs(n):
    """Makes n slices of three discs each, and their noisy projections, both of order 1."""
    y, x = np.meshgrid(np.arange(32) - 15.5, np.arange(32) - 15.5, indexing="ij")
    volumes = np.zeros((n, 1, 32, 32), np.float32)
    for v in volumes:
        for _ in range(3):
            cx, cy, r = *rng.uniform(-7, 7, 2), rng.uniform(2, 7)
            v[0] += (np.hypot(x - cx, y - cy) < r) * rng.uniform(0.3, 0.6)
    v = torch.from_numpy(volumes).to(on)
    b = A(v) / norm
    return v, b + 0.2 * b.std() * torch.randn_like(b)


class Step(torch.nn.Module):
    """Correction of the volume or the projections from both."""

    def __init__(self, channels):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Conv2d(channels, 16, 3, padding=1), torch.nn.PReLU(), torch.nn.Conv2d(16, 1, 3, padding=1))

    def forward(self, *images):
        return self.net(torch.cat(images, dim=1))


class PrimalDual(torch.nn.Module):
    def __init__(self, steps=3):
        super().__init__()
        self.dual = torch.nn.ModuleList(Step(3) for _ in range(steps))
        self.primal = torch.nn.ModuleList(Step(2) for _ in range(steps))

    def forward(self, b):
        rows = b[:, :, 0]  # [n][view][row][column] with one row: an image per scan
        h, x = torch.zeros_like(b), torch.zeros(len(b), *grid.shape, device=b.device)
        for dual, primal in zip(self.dual, self.primal):
            h = h + dual(h[:, None, :, 0], (A(x) / norm)[:, None, :, 0], rows[:, None])[:, 0, :, None]
            x = x + primal(x, A.T(h) / norm)
        return x


network = PrimalDual().to(on)
optimiser = torch.optim.Adam(network.parameters(), lr=5e-3)
for step in range(150):
    truth, b = discs(16)
    loss = ((network(b) - truth) ** 2).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if step % 50 == 0:
        print(f"step {step}: loss {loss.item():.4f}")

truth, b = discs(8)
with torch.no_grad():
    learned = network(b).cpu().numpy()
direct = np.stack([gantry.fbp(v * norm, scan, grid) for v in b.cpu().numpy()])
for name, x in (("learned", learned), ("fbp", direct)):
    print(f"{name}: error {np.sqrt(np.mean((x - truth.cpu().numpy()) ** 2)):.4f}")
side_by_side = np.concatenate([truth[0].cpu().numpy(), direct[0], learned[0]], axis=2)
gantry.show(gantry.Volume(side_by_side, gantry.Grid((1, 32, 96), 2.0)), save="learned_primal_dual.png")
