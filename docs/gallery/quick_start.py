"""A scan of a head, reconstructed by FDK and with less noise, next to the truth: simulate, fdk, iterate, compare, draw."""

import gantry

scan = gantry.circular(90, (8, 64), pitch=(9.0, 9.0), source_to_axis=541, source_to_detector=949)
grid = gantry.Grid((6, 56, 56), (4.0, 4.5, 4.5))
head = gantry.Phantom("forbild-head")
p = gantry.Projections(gantry.add_noise(head.project(scan), photons=3e3, seed=1), scan)

truth = gantry.Volume(head.voxelise(grid, points=3), grid)
direct = gantry.reconstruct(p, grid=grid, solver="fdk")
quiet = gantry.reconstruct(p, grid=grid, preset="iterative")
for name, volume in (("fdk", direct), ("iterative", quiet)):
    print(f"{name}: {50 * gantry.compare(volume, truth, central=0.5, radius=80).rmse * 1000:.0f} HU rms from the truth")
gantry.show(quiet, (-100, 200), "HU", save="quick_start.png")
