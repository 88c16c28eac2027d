"""Self-calibration of a shaken C-arm by gradient descent: every view has its own shift and roll, and the volume is unknown.

A reconstruction and steps of Adam on the motion alternate. The gradient comes from the derivative of the projections by the
geometry, for all parameters of all views at the cost of one projection. On a GPU: GT_BACKEND=cuda:0, SIZE=128.
"""

import os

import numpy as np
import torch

import gantry
from gantry.torch import MovingProjector

DEVICE, SIZE = os.environ.get("GT_BACKEND", "cpu"), int(os.environ.get("SIZE", "24"))
on = torch.device(DEVICE if DEVICE.startswith("cuda") else "cpu")
rng = np.random.default_rng(1)
views, voxel = 2 * SIZE, 48 / SIZE
scan = gantry.circular(views, (int(1.3 * SIZE), int(1.5 * SIZE)), 2 * voxel, source_to_axis=600, source_to_detector=1200)
grid = gantry.Grid(SIZE, voxel)


def blobs(grid):
    """Smooth balls of different sizes, off the centre."""
    axes = np.meshgrid(*((np.arange(n) - (n - 1) / 2) * p for n, p in zip(grid.shape, grid.pitch)), indexing="ij")
    total = np.zeros(grid.shape, np.float32)
    for _ in range(12):
        centre, width = rng.uniform(-11, 11, 3), rng.uniform(2.5, 5)
        total += 0.05 * np.exp(-sum((a - c) ** 2 for a, c in zip(axes, centre)) / (2 * width ** 2))
    return total


# A jitter of 0.5 mm and 0.2 degrees. Another projector on voxels of half the size makes the data.
free = [gantry.MOTIONS.index(name) for name in ("shift_u", "shift_v", "roll")]
shake = np.zeros((views, 9))
shake[:, free] = rng.normal(size=(views, 3)) * (0.5, 0.5, np.radians(0.2))
fine = gantry.Grid(2 * SIZE, voxel / 2)
truth = blobs(fine)
measured = gantry.Projector(gantry.moved(scan, shake), fine, "sf-tr", device=DEVICE)(truth)
measured += 0.002 * measured.max() * rng.normal(size=measured.shape).astype(np.float32)

project = MovingProjector(scan, grid, device=DEVICE)
b = torch.from_numpy(measured).to(on)
unit = torch.tensor([1, 1, 1 / (SIZE * voxel)], dtype=torch.float64)  # roll in mm at the edge of the detector
steps = torch.zeros(views, 3, dtype=torch.float64, requires_grad=True)
optimiser = torch.optim.Adam([steps], lr=0.1)
angles = np.linspace(0, 2 * np.pi, views, endpoint=False)
smooth = np.stack([np.ones(views), np.cos(angles), np.sin(angles)], axis=1)  # equivalent to a motion of the object


def motion():
    whole = torch.zeros(views, 9, dtype=torch.float64)
    return whole.index_copy(1, torch.tensor(free), steps * unit)


def left():
    """Root mean square of what is left of shifts (mm) and roll (degrees)."""
    error = motion().detach().numpy()[:, free] - shake[:, free]
    error -= smooth @ np.linalg.lstsq(smooth, error, rcond=None)[0]
    return np.sqrt((error[:, :2] ** 2).mean()), np.degrees(np.sqrt((error[:, 2] ** 2).mean()))


def reconstruct():
    A = project.projector(motion())
    return gantry.cgls(A, measured, iterations=30).x


before = reconstruct()
print("before: %.3f mm, %.3f degrees" % left())
for turn in range(16):
    x = torch.from_numpy(reconstruct()).to(on)
    for group in optimiser.param_groups:
        group["lr"] = 0.1 * 0.8 ** turn
    for _ in range(12):
        optimiser.zero_grad()
        (1e3 * (project(x, motion()) - b).square().mean()).backward()
        optimiser.step()
after = reconstruct()
print("after: %.3f mm, %.3f degrees" % left())
pictures = np.concatenate([truth[::2, ::2, ::2], before, after], axis=2)
gantry.show(gantry.Volume(pictures, gantry.Grid(pictures.shape, voxel)), save="self_calibration.png")
