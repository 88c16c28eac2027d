"""Draws the regions of regions.sh and prints their errors. Usage: regions.py PICTURE.png"""

import sys

import numpy as np
from matplotlib.figure import Figure

WATER = 0.02
REGIONS = {
    "head": (-60, 140),
    "head, side": (-60, 140),
    "head, cone": (-60, 140),
    "torso, lung": (-900, 200),
    "torso, spine": (-100, 900),
}
IMAGES = {"truth": "truth", "fdk": "fdk", "no": "--outside no", "subtract": "subtract", "grid": "grid"}


def main():
    figure = Figure(figsize=(8.2, 8.4), dpi=90)
    for row, (name, window) in enumerate(REGIONS.items()):
        volumes = {image: 1000 * (np.load(f"{name}-{image}.npy") / WATER - 1) for image in IMAGES}
        for column, (image, title) in enumerate(IMAGES.items()):
            x = volumes[image]
            error = np.sqrt(np.mean((x - volumes["truth"]) ** 2))
            axes = figure.add_axes((0.05 + 0.19 * column, 0.795 - 0.195 * row, 0.18, 0.165))
            axes.imshow(x[len(x) // 2], cmap="gray", origin="lower", vmin=window[0], vmax=window[1])
            axes.set_xticks([])
            axes.set_yticks([])
            axes.set_title(title if image == "truth" else f"{title}: {error:.1f} HU", fontsize=8, pad=3)
            if column == 0:
                axes.set_ylabel(f"{name}\n{window[0]} to {window[1]} HU", fontsize=8)
            print(f"{name:14} {image:9} {error:8.1f} HU, mean {np.mean(x - volumes['truth']):+.1f}")
    figure.savefig(sys.argv[1])


main()
