"""Your own solver in twenty lines for NumPy, PyTorch and CuPy arrays: Landweber's iteration with Nesterov's momentum."""

import importlib
import os

import gantry

DEVICE = os.environ.get("GT_BACKEND", "cpu")


def nesterov(A, y, xp, iterations):
    """Minimises |A x - y|^2 for x >= 0 by the matched pair alone; xp: the array module."""
    x = z = 0 * A.T(y)
    length = 0 * x + 1
    for _ in range(6):  # the largest eigenvalue of A'A, by power iteration
        norm = float(xp.sqrt((length * length).sum()))
        length = A.T(A(length / norm))
    step, t = 1 / float(xp.sqrt((length * length).sum())), 1.0
    for _ in range(iterations):
        new = (z - step * A.T(A(z) - y)).clip(0)
        later = (1 + (1 + 4 * t * t) ** 0.5) / 2
        x, z, t = new, new + (t - 1) / later * (new - x), later
    return x


scan = gantry.circular(24, (12, 48), pitch=8.0, source_to_axis=600, source_to_detector=1100)
grid = gantry.Grid((10, 40, 40), 4.5)
body = gantry.Phantom("shepp-logan", scale=0.7, shift=(3, 5, -4))
truth = gantry.Volume(body.voxelise(grid, points=3), grid)
A, data = gantry.Projector(scan, grid, device=DEVICE), body.project(scan)
for name in ("numpy", "torch", "cupy"):
    try:
        xp = importlib.import_module(name)
        y = xp.asarray(data, **({"device": DEVICE if DEVICE.startswith("cuda") else "cpu"} if name == "torch" else {}))
        x = nesterov(A, y, xp, 25)
    except (ImportError, gantry.ArgumentError) as why:  # not installed, or on another device than A
        print(f"{name} is skipped: {why}")
        continue
    x = x.get() if name == "cupy" else x.cpu().numpy() if name == "torch" else x
    print(f"{name}: rmse {gantry.compare(x, truth, grid, central=0.8).rmse:.5f} mm^-1")
print(f"fdk: rmse {gantry.compare(gantry.fdk(data, scan, grid), truth, grid, central=0.8).rmse:.5f} mm^-1")
gantry.show(gantry.Volume(nesterov(A, data, importlib.import_module("numpy"), 25), grid), (0, 0.03), save="own_solver.png")
