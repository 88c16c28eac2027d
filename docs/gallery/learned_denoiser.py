"""Plug-and-play reconstruction from few noisy views with a small network that this script trains to remove noise.

The network gets slices in the memory of the device, as tensors of PyTorch. On a GPU: GT_BACKEND=cuda:0, SIZE=128.
"""

import os

import numpy as np
import torch

import gantry

DEVICE, SIZE = os.environ.get("GT_BACKEND", "cpu"), int(os.environ.get("SIZE", "24"))
on = torch.device(DEVICE if DEVICE.startswith("cuda") else "cpu")
torch.manual_seed(1)
rng = np.random.default_rng(1)

voxel, water = 96 / SIZE, 0.02  # mm, mm^-1
scan = gantry.circular(SIZE, (SIZE, int(1.5 * SIZE)), 2 * voxel, source_to_axis=500, source_to_detector=1000)
grid = gantry.Grid((SIZE // 2, SIZE, SIZE), voxel)
axes = np.meshgrid(*((np.arange(n) - (n - 1) / 2) * voxel for n in grid.shape), indexing="ij")


def balls():
    """A volume of water with six balls of other densities."""
    v = water * (np.hypot(axes[1], axes[2]) < 38).astype(np.float32)
    for _ in range(6):
        centre, r = rng.uniform(-1, 1, 3) * (14, 24, 24), rng.uniform(5, 11)
        v[sum((a - c) ** 2 for a, c in zip(axes, centre)) < r ** 2] = water * rng.uniform(0.6, 1.4)
    return v


network = torch.nn.Sequential(torch.nn.Conv2d(1, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(16, 16, 3, padding=1), torch.nn.ReLU(),
                              torch.nn.Conv2d(16, 1, 3, padding=1)).to(on)
optimiser = torch.optim.Adam(network.parameters(), lr=3e-3)
for step in range(120):
    clean = torch.from_numpy(balls()[:, None] / water).to(on)
    noise = 0.1 * torch.rand(len(clean), 1, 1, 1, device=on) * torch.randn_like(clean)
    loss = ((network(clean + noise) - noise) ** 2).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def denoise(z, step):
    """Removes a part of the noise that the network finds in each slice."""
    return z - 0.3 * water * network(z[:, None] / water)[:, 0]


truth = balls()
A = gantry.Projector(scan, grid, device=DEVICE)
p = gantry.add_noise(gantry.Projections(A(truth), scan), photons=3e3, seed=2)
direct = gantry.fdk(p, scan, grid, filter="hann")
learned = gantry.pnp_fista(A, p, penalty=gantry.Denoiser(denoise, arrays="torch"), iterations=20).x
for name, volume in (("fdk", direct), ("plug and play", learned)):
    print(f"{name}: {1000 * np.sqrt(np.mean((volume - truth) ** 2)) / water:.0f} HU rms from the truth")
pictures = np.concatenate([truth, direct, learned], axis=2)
gantry.show(gantry.Volume(pictures, gantry.Grid(pictures.shape, voxel)), (-500, 500), "HU", save="learned_denoiser.png")
