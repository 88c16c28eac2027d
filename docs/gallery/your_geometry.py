"""A sagging C-arm given by calibrated 3x4 projection matrices: drawn, checked, reconstructed."""

import numpy as np

import gantry

# Geometry from a calibration: here a circle with a sinking source and an increasingly tilted detector.
ideal = gantry.circular(60, (30, 40), pitch=8.0, source_to_axis=600, source_to_detector=1100)
arm = ideal.copy()
arm.views["source"][:, 2] += 25 * np.sin(arm.views["angle"] / 2)
matrices = arm.check().matrices()

scan = gantry.from_matrices(matrices, (30, 40), source_to_detector=1100)
grid = gantry.Grid((20, 32, 32), 5.0)
body = gantry.Phantom("shepp-logan", scale=0.8, shift=(3, 10, -6))
p = body.project(scan)
A, naive = gantry.Projector(scan, grid, "sf-tr"), gantry.Projector(ideal, grid, "sf-tr")
truth = body.voxelise(grid, points=3)
for name, operator in (("as calibrated", A), ("as if ideal", naive)):
    x = gantry.cgls(operator, p, iterations=8).x
    print(f"{name}: rmse {gantry.compare(x, truth, grid, central=0.5).rmse:.5f} mm^-1, transposes agree to {operator.mismatch():.0e}")
gantry.plot_geometry(scan, grid, view=12, save="your_geometry.png")
