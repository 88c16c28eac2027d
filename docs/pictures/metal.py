"""Draws the slices of metal.sh. Usage: metal.py PICTURE.png"""

import sys

import numpy as np
from matplotlib.figure import Figure

SCANS = {"pin": ("plastic pin with metal", (-0.05, 0.25)), "neutron": ("neutrons, rods in a drum", (-0.03, 0.09))}
IMAGES = {"fbp": "--solver fbp", "preset": "--preset iterative"}


def inner_square(x):
    """Returns the square in the circle that every view sees."""
    margin = round(len(x) * (1 - np.sqrt(0.5)) / 2)
    return x[margin : len(x) - margin, margin : len(x) - margin]


def main():
    figure = Figure(figsize=(8, 8.3), dpi=64)
    for row, (scan, (title, window)) in enumerate(SCANS.items()):
        for column, (image, options) in enumerate(IMAGES.items()):
            x = np.load(f"{scan}-{image}.npy")
            axes = figure.add_axes((0.02 + 0.49 * column, 0.5 - 0.49 * row, 0.47, 0.46))
            axes.imshow(inner_square(x[len(x) // 2]), cmap="gray", origin="lower", vmin=window[0], vmax=window[1])
            axes.set_axis_off()
            axes.set_title(f"{title}: {options}", fontsize=9, pad=3)
    figure.savefig(sys.argv[1])


main()
