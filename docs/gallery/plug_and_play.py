"""Reconstruction from few views with your own denoiser in place of a penalty: any function of a volume."""

from scipy.ndimage import median_filter

import gantry

scan = gantry.circular(24, (36, 48), pitch=8.0, source_to_axis=600, source_to_detector=1100)
grid = gantry.Grid((36, 40, 40), 4.5)
body = gantry.Phantom("shepp-logan", scale=0.7, shift=(3, 5, -4))
p = gantry.add_noise(body.project(scan), photons=3e3, seed=2)
truth = body.voxelise(grid, points=3)


def denoise(volume, step):
    """Moves each voxel by a tenth towards the median of its neighbourhood."""
    return 0.9 * volume + 0.1 * median_filter(volume, size=3)


A = gantry.Projector(scan, grid)
direct = gantry.fdk(p, scan, grid, filter="hann")
quiet = gantry.pnp_fista(A, p, penalty=gantry.Denoiser(denoise), iterations=20).x
for name, volume in (("fdk", direct), ("plug and play", quiet)):
    print(f"{name}: {50 * gantry.compare(volume, truth, grid).rmse * 1000:.0f} HU rms from the truth")
gantry.show(gantry.Volume(quiet, grid), (-100, 200), "HU", save="plug_and_play.png")
