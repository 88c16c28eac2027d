"""A folder of counts in TIFF files, 16 bits: a body between air, drifting light, flat and dark fields, angles.
Usage: counts.py FOLDER [views=12 rows=8 columns=40 flat=4000 after=4000 dark=100 reach=0.3 type=u16 saturated=0]"""
import math
import os
import struct
import sys


def image(path: str, rows: list[list[float]], most: int = 65535, samples: int = 1) -> None:
    """Writes numbers of one image, clipped to 0 ... most, as little-endian TIFF of one strip."""
    numbers = [max(0, min(most, round(x))) for row in rows for x in row]
    body = struct.pack(f"<{len(numbers)}H", *numbers)
    entries = [(256, 4, len(rows[0]) // samples), (257, 4, len(rows)), (258, 3, 16), (259, 3, 1), (262, 3, 1), (273, 4, 8),
               (277, 3, samples), (278, 4, len(rows)), (279, 4, len(body))]
    with open(path, "wb") as file:
        file.write(b"II*\0" + struct.pack("<I", 8 + len(body)) + body + struct.pack("<H", len(entries)))
        for tag, kind, value in entries:
            file.write(struct.pack("<HHII", tag, kind, 1, value))
        file.write(struct.pack("<I", 0))


def main() -> None:
    """All that the folder holds; the light of view v of n is between flat and after."""
    folder, o = sys.argv[1], {"views": 12., "rows": 8., "columns": 40., "flat": 4000., "after": 0., "dark": 100., "reach": 0.3,
                              "most": 65535., "samples": 1.}
    o.update((key, float(value)) for key, value in (word.split("=") for word in sys.argv[2:]))
    views, rows, columns, dark = int(o["views"]), int(o["rows"]), int(o["columns"]), o["dark"]
    after = o["after"] or o["flat"]
    os.makedirs(folder, exist_ok=True)

    def frame(light: float, body: float, shift: float) -> list[list[float]]:
        out = []
        for r in range(rows):
            row = []
            for k in range(columns):
                u = (k - (columns - 1) / 2 - shift) / (o["reach"] * columns)
                gain = 1 + 0.05 * math.sin(k + 2 * r)
                row += [dark + light * gain * math.exp(-body * math.sqrt(max(0, 1 - u * u)))] * int(o["samples"])
            out.append(row)
        return out

    for v in range(views):
        a = v / max(1, views - 1)
        image(f"{folder}/scan_{v + 1:04d}.tif", frame((1 - a) * o["flat"] + a * after, 1.2, 0.7 * math.sin(v)), int(o["most"]),
              int(o["samples"]))
    image(f"{folder}/flat_0001.tif", frame(o["flat"], 0, 0))
    image(f"{folder}/dark_0001.tif", frame(0, 0, 0))
    image(f"{folder}.after.tif", frame(after, 0, 0))
    with open(f"{folder}/angles.txt", "w", encoding="ascii") as file:
        file.writelines(f"{15 * v}\n" for v in range(views))


main()
