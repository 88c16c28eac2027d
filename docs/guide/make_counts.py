"""Makes a small laboratory scan: a folder of TIFF images and the geometry file of a scanner vendor. Usage: make_counts.py FOLDER

The object is four balls in a fifth, off the axis. A displaced detector measures it in a cone beam, with dark and flat fields, photon
noise, three dead pixels, and columns with different gains. Needs Python alone."""

import math
import os
import random
import struct
import sys

VIEWS, ROWS, COLUMNS, PIXEL = 90, 24, 64, 0.4
SOURCE_TO_AXIS, SOURCE_TO_DETECTOR, AXIS_OFFSET = 120.0, 240.0, 0.5
# Centre and radius in mm, attenuation in mm-1.
BALLS = [((0.5, 0.3, 0.0), 4.3, 0.03), ((-1.6, 1.2, 0.5), 0.9, 0.05), ((1.8, 0.6, -0.7), 0.7, 0.08), ((0.2, -2.0, 0.9), 0.6, -0.03),
         ((0.9, 2.2, 0.1), 0.45, 0.1)]


def write_tiff(name, counts):
    """Writes one strip of 16 bits, little endian."""
    data = struct.pack(f"<{len(counts)}H", *counts)
    tags = [(256, 4, COLUMNS), (257, 4, ROWS), (258, 3, 16), (259, 3, 1), (262, 3, 1), (273, 4, 8), (277, 3, 1), (278, 4, ROWS), (279, 4, len(data))]
    with open(name, "wb") as file:
        file.write(struct.pack("<2sHI", b"II", 42, 8 + len(data)) + data + struct.pack("<H", len(tags)))
        for tag, kind, value in tags:
            file.write(struct.pack("<HHII", tag, kind, 1, value))
        file.write(struct.pack("<I", 0))


def line_integral(source, pixel):
    """Returns the line integral of a ray: chords through all balls times their attenuation."""
    way = [b - a for a, b in zip(source, pixel)]
    length = math.sqrt(sum(w * w for w in way))
    total = 0.0
    for center, radius, attenuation in BALLS:
        to = [c - s for c, s in zip(center, source)]
        along = sum(t * w for t, w in zip(to, way)) / length
        beside = radius * radius - sum(t * t for t in to) + along * along
        total += 2 * math.sqrt(beside) * attenuation if beside > 0 else 0
    return total


def main():
    folder = sys.argv[1]
    os.makedirs(folder)
    random.seed(5)
    dead = [random.randrange(ROWS * COLUMNS) for _ in range(3)]
    gain = [1 + 0.02 * random.uniform(-1, 1) for _ in range(COLUMNS)]

    def image(transmission):
        """Returns the counts of the detector: Poisson noise, and 200 counts without photons."""
        out = []
        for i, t in enumerate(transmission):
            photons = 20000 * gain[i % COLUMNS] * t
            out.append(200 if i in dead else max(0, round(200 + random.gauss(photons, math.sqrt(photons + 1)))))
        return out

    for k in range(5):
        write_tiff(f"{folder}/dark_{k:04}.tif", image([0] * (ROWS * COLUMNS)))
        write_tiff(f"{folder}/flat_{k:04}.tif", image([1] * (ROWS * COLUMNS)))
    for view in range(VIEWS):
        angle = 2 * math.pi * view / VIEWS
        c, s = math.cos(angle), math.sin(angle)

        def place(x, y, z):
            return (c * x - s * y, s * x + c * y, z)

        source = place(-AXIS_OFFSET, SOURCE_TO_AXIS, 0)
        pixels = (place((k - (COLUMNS - 1) / 2) * PIXEL - AXIS_OFFSET, SOURCE_TO_AXIS - SOURCE_TO_DETECTOR, ((ROWS - 1) / 2 - l) * PIXEL)
                  for l in range(ROWS) for k in range(COLUMNS))
        write_tiff(f"{folder}/view_{view:04}.tif", image([math.exp(-line_integral(source, p)) for p in pixels]))
    with open(f"{folder}/scan.xtekct", "w", encoding="ascii") as file:
        file.write(f"""[XTekCT]
Name=view_
Projections={VIEWS}
SrcToObject={SOURCE_TO_AXIS}
SrcToDetector={SOURCE_TO_DETECTOR}
DetectorPixelsX={COLUMNS}
DetectorPixelsY={ROWS}
DetectorPixelSizeX={PIXEL}
DetectorPixelSizeY={PIXEL}
ObjectOffsetX={AXIS_OFFSET}
InitialAngle=0
AngularStep={360 / VIEWS}
""")


main()
