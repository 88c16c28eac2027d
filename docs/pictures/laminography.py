"""Draws the volumes of laminography.sh: slices of the board and lines in depth. Prints closed forms. Usage: laminography.py PICTURE.png"""

import math
import sys

import numpy as np
from matplotlib.figure import Figure

WATER = 0.02
TILT = math.radians(30)
VOLUMES = {
    "truth": "truth",
    "beam": "beam, fdk",
    "stage": "stage, fdk",
    "axis": "axis, fdk",
    "stage-fixed": "stage-fixed, cgls",
    "tv": "beam, fista + tv",
}
# Voxels are 1 mm; the centre of the board is voxel 36, 36 of slice 16.
PLANES = [
    ("z = 2 mm\ntrace", lambda v: v[18]),
    ("z = -2 mm\ntrace", lambda v: v[14]),
    ("z = -5 mm\nballs", lambda v: v[11]),
    ("y = 13 mm\nballs, void", lambda v: v[:, 49]),
]


def slices(figure, volumes):
    grid = figure.add_gridspec(4, len(VOLUMES), height_ratios=[73, 73, 73, 33])
    grid.update(top=0.95, bottom=0.40, left=0.075, right=0.905, wspace=0.05, hspace=0.08)
    for column, (name, title) in enumerate(VOLUMES.items()):
        for row, (label, plane) in enumerate(PLANES):
            axes = figure.add_subplot(grid[row, column])
            image = axes.imshow(plane(volumes[name]), cmap="gray", origin="lower", vmin=-1, vmax=3)
            axes.set_xticks([])
            axes.set_yticks([])
            if row == 0:
                axes.set_title(title, fontsize=9)
            if column == 0:
                axes.set_ylabel(label, fontsize=8)
    bar = figure.colorbar(image, cax=figure.add_axes((0.915, 0.40, 0.012, 0.55)), extend="both")
    bar.set_label("density relative to water", fontsize=8)
    bar.ax.tick_params(labelsize=8)


def board_in_depth(axes, volumes):
    z = np.arange(33) - 16
    styles = {"truth": "k-", "beam": "C0-", "stage": "C1--", "axis": "C2:", "stage-fixed": "C3-", "tv": "C4-"}
    for name, title in VOLUMES.items():
        axes.plot(z, volumes[name][:, 50, 26], styles[name], label=title, linewidth=1)
    axes.set_title("board: line along z through a ball (x = -10, y = 14 mm)", fontsize=9)
    axes.set_ylabel("density relative to water", fontsize=8)


def discs_in_depth(axes):
    z = (np.arange(161) - 80) / 4
    for color, width in enumerate((6, 8, 16)):
        line = np.load(f"disc-{width}.npy").ravel()
        axes.plot(z, line, f"C{color}", label=f"diameter {width} mm", linewidth=1)
        axes.plot(0, left(2, width), f"C{color}o", fillstyle="none")
    axes.plot([-1, -1, 1, 1], [0, 1, 1, 0], "k-", linewidth=1, label="truth")
    axes.set_xlim(-10, 10)
    axes.set_title("discs 2 mm thick, each alone, fbp (circles: closed form)", fontsize=9)


def left(thickness, width):
    """Part that a disc keeps at its centre."""
    return 2 / math.pi * math.asin(min(1, thickness / (width * math.tan(TILT))))


def table():
    rows = {"ball": math.cos(TILT), "ellipsoid": 1 / math.hypot(1, 2 * math.tan(TILT))}
    rows.update({f"disc-{width}": left(2, width) for width in (6, 8, 16, 40)})
    for name, expected in rows.items():
        print(f"{name:10} {np.load(name + '.npy').ravel()[80]:.4f}, closed form {expected:.4f}")


def main():
    volumes = {name: np.load(name + ".npy") / WATER for name in VOLUMES}
    figure = Figure(figsize=(10, 9.2), dpi=80)
    slices(figure, volumes)
    below = figure.add_gridspec(1, 2, top=0.35, bottom=0.06, left=0.075, right=0.975, wspace=0.15)
    board_in_depth(figure.add_subplot(below[0, 0]), volumes)
    discs_in_depth(figure.add_subplot(below[0, 1]))
    for axes in figure.axes[-2:]:
        axes.set_xlabel("z (mm)", fontsize=8)
        axes.tick_params(labelsize=8)
        axes.legend(fontsize=8)
        axes.grid(alpha=0.3)
    figure.savefig(sys.argv[1])
    table()


main()
