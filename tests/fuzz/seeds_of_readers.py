"""Makes what the command does not write for readers of numbers without much of a head, and of HDF5: other sets, and what is refused. Usage: seeds_of_readers.py CORPUS"""

import json
import math
import pathlib
import struct
import sys

corpus = pathlib.Path(sys.argv[1])


def seed(harness: str, name: str, data: bytes) -> None:
    (corpus / harness).mkdir(parents=True, exist_ok=True)
    (corpus / harness / name).write_bytes(data)


def part(data: bytes) -> bytes:
    return struct.pack("<I", len(data))[:3] + data


# RabbitCT: a header of five words, with or without a version before it; 3 x 4 matrices by columns, images of 3 rows x 5 columns.
def head(columns: int = 5, rows: int = 3, views: int = 2, scale: float = 1000.0) -> bytes:
    return struct.pack("<3I2f", columns, rows, views, scale, 0)


def matrix(view: int) -> bytes:
    c, s = math.cos(0.4 + view), math.sin(0.4 + view)
    rows = [[3 * c + 2 * s, 3 * s - 2 * c, 0, 9.5], [s, -c, 3, 4], [0.01 * s, -0.01 * c, 0, 1]]
    return struct.pack("<12d", *[rows[r][k] for k in range(4) for r in range(3)])


def image(view: int) -> bytes:
    return struct.pack("<15f", *[0.1 * (view + 1) + 0.01 * i * i for i in range(15)])


def rabbitct(name: str, images: bytes, matrices: bytes | None = None, volume: bytes | None = None) -> None:
    seed("read_rabbitct", name, b"".join(part(x) for x in (images, matrices, volume) if x is not None))


VERSION = struct.pack("<I", 2)
both, alone, beside = (b"".join(f(v) for v in range(2)) for f in (lambda v: matrix(v) + image(v), image, matrix))
rabbitct("original", VERSION + head() + both)
rabbitct("original-cut", VERSION + head() + both[:-4])
rabbitct("original-long", VERSION + head() + both + bytes(7))
rabbitct("original-head", VERSION + head(columns=0) + both)
rabbitct("beside", head() + alone, head() + beside)
rabbitct("beside-none", head() + alone)
rabbitct("beside-other", head() + alone, head(views=1) + matrix(0))
rabbitct("beside-images", head() + alone, head() + both)
rabbitct("beside-images-alone", head() + alone, head() + alone)
rabbitct("beside-no-file", head() + alone, b"none")
rabbitct("matrices", head() + beside)
rabbitct("volume", head() + both, head() + beside, struct.pack("<8H", *range(8)))
rabbitct("volume-short", head() + both, head() + beside, bytes(5))
rabbitct("bytes", head() + both + b"more")
rabbitct("word", struct.pack("<6I", 7, 1 << 30, 0, 0, 0, 0))
rabbitct("short", VERSION + bytes(17))
rabbitct("singular", head() + bytes(96) + image(0) + matrix(1) + image(1))
rabbitct("not-finite", head() + matrix(0) + struct.pack("<15f", *[math.nan if i in (3, 7) else 1 for i in range(15)]) + matrix(1) + image(1))

# Values and their JSON: 2 slices x 3 rows x 4 columns.
VALUES = [0.001 * i * i for i in range(24)]


def npy(kind: str = "<f4", shape: str = "(2, 3, 4)", order: str = "False", version: int = 1) -> bytes:
    text = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text.encode()


FLOATS = struct.pack("<24f", *VALUES)
DESCRIPTION = {"data_file": "a.raw", "type": "f32le", "shape": [2, 3, 4], "spacing_mm": [1, 1.5, 2], "unit": "mm-1"}


def described(name: str, changes: dict[str, object], data: bytes = FLOATS, of_npy: bool = False) -> None:
    text = json.dumps({k: v for k, v in {**DESCRIPTION, **({"data_file": "a.npy"} if of_npy else {}), **changes}.items() if v is not None})
    seed("read_plain", name, bytes([of_npy]) + part(text.encode()) + part(data))


described("json", {})
described("json-npy", {"shape": None, "type": None}, npy() + FLOATS, True)
described("json-npy-shape", {"shape": [2, 4, 3], "type": None}, npy() + FLOATS, True)
described("json-npy-cut", {"shape": None, "type": None}, npy()[:40], True)
described("json-order", {"type": "float32", "byte_order": "big"}, struct.pack(">24f", *VALUES))
for word, value in {
    "type": "f31le",
    "type-order": None,
    "shape": [2, 3],
    "unit": "kg",
    "patient_position": "sitting",
    "axes": ["x", "y", "z"],
    "slope": "steep",
    "spacing_mm": [1, -1, 2],
    "byte_order": "middle",
    "data_file": "../a.raw",
}.items():
    described("json-" + word.replace("_", "-"), {"type": "f32le", "byte_order": "big"} if word == "type-order" else {word: value})
described("json-no-shape", {"shape": None})
described("json-no-type", {"type": None})
described("json-shape-0", {"shape": [2, 0, 4]})
described("json-center", {"origin_mm": [1, 2, 3], "spacing_mm": 2, "unit": "HU", "slope": 2, "offset": -1000, "water_attenuation_mm-1": 0.02, "gantry_scan_hash": "12ab"}, struct.pack("<24f", *range(24)))
described("json-short", {}, FLOATS[:-3])
described("json-nan", {}, FLOATS[:-4] + struct.pack("<f", math.nan))
seed("read_plain", "no-json", b"\0" + part(b"[1, 2") + part(FLOATS))

# NIfTI: 2 slices of 3 x 4; one header field, by offset and type, is changed.
def nifti(name: str, *changes: tuple[int, str, float], data: bytes = struct.pack("<24h", *range(24)), magic: bytes = b"n+1\0") -> None:
    start = bytearray(352)
    usual: list[tuple[int, str, float]] = [(0, "i", 348), (40, "h", 3), *[(42 + 2 * a, "h", n) for a, n in enumerate((4, 3, 2, 1, 1, 1, 1))], (70, "h", 4), (72, "h", 16)]
    usual += [(76 + 4 * a, "f", x) for a, x in enumerate((1, 1, 1.5, 2))] + [(108, "f", 352), (112, "f", 1), (123, "B", 2)]
    for at, kind, x in [*usual, *changes]:
        struct.pack_into("<" + kind, start, at, x if kind == "f" else int(x))
    start[344:348] = magic
    seed("read_nifti", name, bytes(start) + data)


nifti("integers")
nifti("slope", (112, "f", 0.001))
nifti("floats", (70, "h", 16), (72, "h", 32), data=struct.pack("<24f", *VALUES))
nifti("floats-ct", (70, "h", 16), (72, "h", 32), data=struct.pack("<24f", *range(-1000, 1400, 100)))
nifti("both-forms", (252, "h", 1), (254, "h", 1), (268, "f", 5), (280, "f", 1), (300, "f", 1.5), (320, "f", 2))
nifti("dims-0", (40, "h", 0))
nifti("dims-9", (40, "h", 9))
nifti("size-0", (44, "h", 0))
nifti("volumes", (40, "h", 4), (48, "h", 5))
nifti("pitch", (84, "f", math.nan))
nifti("offset", (108, "f", 352.5))
nifti("type", (70, "h", 32), (72, "h", 64))
nifti("pair", magic=b"ni1\0")
nifti("no-magic", magic=b"n?1\0")
nifti("short", data=bytes(20))
nifti("extension", (348, "B", 1), data=struct.pack("<ii", 9, 6) + bytes(40))
nifti("extension-cut", (348, "B", 1), (108, "f", 400), data=struct.pack("<ii", 4096, 6))

# NumPy headers, as images.
COUNTS = struct.pack("<12H", *[100 - 3 * i for i in range(12)])
for name, start in {
    "npy-fortran": npy("<u2", "(2, 6)", "True"),
    "npy-version-2": npy("<u2", "(2, 2, 3)", version=2),
    "npy-version-9": npy("<u2", "(2, 2, 3)", version=9),
    "npy-kind": npy("<c8", "(2, 2, 3)"),
    "npy-shape": npy("<u2", "(2, 2, x)"),
    "npy-shape-4": npy("<u2", "(1, 2, 2, 3)"),
    "npy-no-shape": npy("<u2").replace(b"shape", b"shale"),
    "npy-large": npy("<u2", "(70000, 7000000, 9000)"),
}.items():
    for sinogram in (0, 1):
        seed("read_npy", name + "-turned" * sinogram, bytes([sinogram]) + start + COUNTS)
head_that_ends = b"{'descr': '"
seed("read_npy", "npy-head-ends", b"\0\x93NUMPY\1\0" + struct.pack("<H", len(head_that_ends)) + head_that_ends)
seed("read_npy", "npy-nan", b"\0" + npy("<f4", "(2, 2, 3)") + struct.pack("<12f", *[math.nan if i == 5 else i for i in range(12)]))


# Folders of images: a round object off the axis, so that opposite views are mirrored and the axis can be found.
def row(turn: float, columns: int, at: float, white: float) -> list[float]:
    middle = at + 3.1 * math.cos(turn)
    return [white * math.exp(-0.8 * max(0.0, 1 - ((c - middle) / 5) ** 2)) for c in range(columns)]


def folder(name: str, said: list[str], files: dict[str, bytes]) -> None:
    names = "\n".join([*files, *("=" + word for word in said)]).encode()
    seed("read_frames", name, bytes([len(names)]) + names + b"".join(part(data) for data in files.values()))


def images(views: int, step: float, columns: int = 40, at: float = 20.3, white: float = 1000) -> dict[str, bytes]:
    return {f"v{v:02}.raw": struct.pack(f"<{2 * columns}H", *[min(65535, round(x)) for x in 2 * row(math.radians(step * v), columns, at, white)]) for v in range(views)}


def field(counts: float, columns: int = 40) -> bytes:
    return struct.pack(f"<{2 * columns}H", *[round(counts) + c % 3 for c in range(2 * columns)])


def one_file(views: int, step: float, columns: int = 40) -> bytes:
    return b"".join(images(views, step, columns).values())


folder("axis", ["ru16le:40x2x8", "w1000", "a0:45"], {"all.raw": one_file(8, 45)})
folder("axis-between", ["ru16le:40x2x9", "w1000", "a0:40"], {"all.raw": one_file(9, 40)})
folder("axis-gap", ["ru16le:40x2x9", "w1000", "a0:20"], {"all.raw": one_file(9, 20)})
folder("axis-none", ["ru16le:40x2x5", "w1000", "a0:20"], {"all.raw": one_file(5, 20)})
folder("axis-unlike", ["ru16le:40x2x4", "w1000", "a0:90"], {"all.raw": b"".join(field(300 + 150 * (c % 3)) for c in range(4))})
folder("axis-far", ["ru16le:40x2x4", "w1000", "a0:90", "x500"], {"all.raw": one_file(4, 90)})
folder("fields", ["ru16le:40x2", "a0:90"], {**images(4, 90), "flat_1.raw": field(1000), "flat_2.raw": field(1010), "dark.raw": field(20)})
folder("field-size", ["ru16le:40x2", "a0:90"], {**images(4, 90), "flat.raw": field(1000, 30)})
folder("field-nan", ["rf32le:6x2", "a0:90"], {"v0.raw": struct.pack("<12f", *[9] * 12), "flat.raw": struct.pack("<12f", *[math.nan] * 12)})
folder("after-body", ["ru16le:40x2", "a0:90", "x20", "lafter.raw", "fflat.raw"], {**images(4, 90), "flat.raw": field(1000), "after.raw": images(1, 90, white=90)["v00.raw"]})
shut = bytearray(field(1000))
shut[10:12] = b"\0\0"
folder("after-dead", ["ru16le:40x2", "a0:90", "x20", "lafter.raw", "fflat.raw"], {**images(4, 90), "flat.raw": field(1000), "after.raw": bytes(shut)})
folder("after-shut", ["ru16le:40x2", "a0:90", "x20", "lafter.raw", "fflat.raw"], {**images(4, 90), "flat.raw": field(1000), "after.raw": bytes(160)})
folder("after-dim", ["ru16le:40x2", "a0:90", "x20", "lafter.raw", "fflat.raw"], {**images(4, 90), "flat.raw": field(1000), "after.raw": field(600)})
folder("flat-dark", ["ru16le:40x2", "a0:90", "x20"], {**images(4, 90), "flat.raw": bytes(160)})
folder("number-missing", ["ru16le:40x2", "w1000", "a0:90"], {k: x for k, x in images(5, 90).items() if "02" not in k})
folder("number-twice", ["ru16le:40x2", "w1000", "a0:90"], {**images(3, 90), "v2.raw": field(500)})
folder("groups", ["ru16le:40x2", "w1000", "a0:90"], {**images(2, 90), "w00.raw": field(500), "w01.raw": field(400)})
folder("fields-alone", ["ru16le:40x2"], {"flat.raw": field(1000)})
folder("no-images", [], {"notes.txt": b"none"})
folder("white-and-flat", ["ru16le:40x2", "a0:90", "w900", "fflat.raw"], {**images(2, 90), "flat.raw": field(1000)})
folder("saturated", ["ru16le:40x2", "w60000", "a0:90", "x20"], images(4, 90, white=65535 / 0.999))
folder("darker", ["ru16le:40x2", "a0:90", "x20"], {**images(4, 90, white=300), "flat.raw": field(1000), "dark.raw": field(200)})
folder("no-white", ["ru16le:40x2", "a0:90", "fnone", "ino"], images(2, 90))
for name, text in {"comma": "0,5\n90,5\n", "words": "zero\n", "blank": "\n0\n\n90\n", "bytes": "0\n\0\n", "many": "0\n45\n90\n", "nothing": ""}.items():
    folder("angles-" + name, ["ru16le:40x2", "w1000", "x20"], {**images(2, 90), "angles.txt": text.encode()})
for name, spec in {"missing": "none.txt", "radians": "0..3.14rad", "degrees": "0..180deg", "bad": "0..x"}.items():
    folder("angles-" + name, ["ru16le:40x2", "w1000", "x20", "a" + spec], images(2, 90))
folder("angles-one", ["ru16le:40x2", "w1000", "x20", "a0..180"], images(1, 90))
for name, spec in {"type": "u15le:40x2", "sizes": "u16le:40", "zero": "u16le:0x2", "behind": "u16le:40x2-9", "length": "u16le:41x2", "head": "u16le:39x2+4"}.items():
    folder("raw-" + name, ["r" + spec, "w1000", "a0:90", "x20"], images(2, 90))
for name, value in {
    "plain": {"type": "u16le", "shape": [2, 2, 40], "header": 0},
    "types": {"type": 5, "shape": [2, 2, 40]},
    "shapes": {"type": "u16le", "shape": [2, 2.5, 40]},
    "zeros": {"type": "u16le", "shape": [2, 0, 40]},
    "heads": {"type": "u16le", "shape": [2, 2, 40], "header": -1},
    "list": [1, 2],
}.items():
    folder("json-" + name, ["v", "a0:90", "x20", "rall.json"], {"all.raw": one_file(2, 90), "all.json": json.dumps(value).encode()})
folder("no-head", ["a0:90"], images(2, 90))


def edf(changes: dict[str, str]) -> bytes:
    keys = {"Dim_1": "12", "Dim_2": "2", "DataType": "UnsignedShort", "ByteOrder": "LowByteFirst", **changes}
    lines = "".join(f"{k} = {v} ;\n" for k, v in keys.items() if v)
    return ("{ HeaderID = EH:000001 ;\n" + lines).ljust(510).encode() + b"}\n" + COUNTS * 2


for name, change in {"size": {"Dim_1": ""}, "elsewhere": {"EDF_BinaryFileName": "b.raw"}, "no-type": {"DataType": ""}, "type": {"DataType": "Text"}}.items():
    folder("edf-" + name, ["v", "a0:90", "x6"], {"v0.edf": edf(change), "v1.edf": edf({})})


# TIFF: one strip, or tiles, of 4 columns x 2 rows.
def tiff(changes: dict[int, tuple[int, ...]] | None = None, data: bytes = struct.pack("<8H", *range(500, 508)), description: bytes = b"") -> bytes:
    tags: dict[int, tuple[int, ...]] = {256: (4,), 257: (2,), 258: (16,), 259: (1,), 262: (1,), 273: (8,), 277: (1,), 278: (2,), 279: (len(data),), 339: (1,)}
    tags.update(changes or {})
    tags = {k: v for k, v in tags.items() if v}
    n = len(tags) + bool(description)
    entries = {k: struct.pack("<HHII", k, 4, len(v), v[0]) for k, v in tags.items()}
    if description:
        entries[270] = struct.pack("<HHII", 270, 2, len(description), 8 + len(data) + 6 + 12 * n)
    directory = struct.pack("<H", n) + b"".join(entries[k] for k in sorted(entries)) + bytes(4)
    return b"II*\0" + struct.pack("<I", 8 + len(data)) + data + directory + description


TIFFS = {
    "plain": tiff(),
    "colours": tiff({277: (3,)}),
    "method": tiff({259: (34712,)}),
    "no-width": tiff({256: ()}),
    "bits": tiff({258: (24,)}),
    "cut": tiff({273: (4000,)}),
    "claims": tiff({256: (4000,), 257: (3000,)}),
    "stack": tiff(description=b"ImageJ=1\nimages=5\n\0"),
    "tiles": tiff({273: (), 278: (), 279: (), 322: (16,), 323: (16,), 324: (8,), 325: (512,)}, struct.pack("<256H", *range(500, 756))),
    "tiles-large": tiff({273: (), 278: (), 279: (), 322: (1 << 20,), 323: (1 << 20,), 324: (8,), 325: (16,)}),
}
for name, file in TIFFS.items():
    folder("tiff-" + name, ["w1000", "a0:90", "x1.5"], {"v0.tif": file, "v1.tif": tiff()})
folder("tiff-differs", ["w1000", "a0:90", "x1.5"], {"v0.tif": tiff(), "v1.tif": tiff({256: (3,), 279: (12,)})})


# For tests/fuzz/made_hdf5.c: a byte for the file, and for each entry the bytes of its changes. Bytes from FROM on are changes.
FROM = 208
AXIS, KEYED, SAID, LINES = 2, 4, 8, 16
DATA, WHITE, DARK, THETA, PIXEL, LENS = range(6)


def entry(how: int = 0, space: bytes = b"\0", kind: bytes = b"\0", layout: int = 0, units: bytes = b"\0", values: bytes = b"\0") -> bytes:
    """how: 1 none, 2 another name, 3 a group, 4 a soft link, 5 a link to a file, 6 an empty group."""
    first = bytes([FROM - 1 + how]) if how else b"\0"
    return first if how in (1, 4, 5, 6) else first + space + kind + (bytes([FROM - 1 + layout]) if layout else b"\0") + units + values


def change(n: int, *more: int) -> bytes:
    return bytes([FROM - 1 + n, *more])


def number(x: float) -> bytes:
    return bytes([30]) + struct.pack("<d", x)


def made(name: str, changes: dict[int, bytes], file: int = AXIS, entries: int = 6) -> None:
    seed("made_hdf5", name, bytes([file]) + b"".join(changes.get(i, entry()) for i in range(entries)))


SCALE, SHRINK, EMPTY = change(12 + 1, 0), change(9), change(1)
made("no-axis", {}, 0)
for i, word in enumerate(("data", "white", "dark", "theta", "pixel", "lens")):
    made(f"{word}-none", {i: entry(1)})
    made(f"{word}-group", {i: entry(6)})
    made(f"{word}-soft", {i: entry(4)})
    made(f"{word}-file", {i: entry(5)})
    made(f"{word}-text", {i: entry(kind=change(1, 10))})
    made(f"{word}-more", {i: entry(space=change(3))})
    made(f"{word}-less", {i: entry(space=SHRINK)})
    made(f"{word}-empty", {i: entry(space=EMPTY)})
    made(f"{word}-nan", {i: entry(values=change(1, 3, 255))})
    made(f"{word}-packed", {i: entry(layout=1 + 8 + 6)})
made("doubles", {i: entry(kind=change(1, 1)) for i in range(6)}, 3)
for n, k in enumerate((18, 19, 13, 14, 15, 16, 17)):
    made(f"data-size-{n}", {DATA: entry(space=change(k, 0))})
    made(f"white-size-{n}", {WHITE: entry(space=change(k, 1))})
for n in range(2, 11):
    made(f"theta-units-{n}", {THETA: entry(units=change(n))})
    made(f"pixel-units-{n}", {PIXEL: entry(units=change(n))})
made("theta-size", {THETA: entry(space=change(13, 0))})
made("white-dim", {WHITE: entry(values=change(1, 5, 6))})
made("data-dark", {DATA: entry(values=change(1, 5, 6))})
made("pixel-0", {PIXEL: entry(values=change(1, 0, 0)), LENS: entry(1)})
made("white-dead", {WHITE: entry(space=change(19, 0), values=change(1, 5, 6))})
made("white-0", {WHITE: entry(values=change(1, 5, 6)), DARK: entry(1)})
# Frames without keys: refused, and read by options; keys without angles; frames alone.
FRAMES, KEYS, ANGLES = range(3)
for said, word in ((0, "unsaid"), (SAID, "white"), (SAID | LINES, "lines")):
    made(f"keyless-{word}", {KEYS: entry(1)}, AXIS | KEYED | said, 3)
    made(f"angleless-{word}", {ANGLES: entry(1)}, AXIS | KEYED | said, 3)
    made(f"whiteless-{word}", {WHITE: entry(1), DARK: entry(1)}, AXIS | said)
made("frames-only", {KEYS: entry(1), ANGLES: entry(1)}, AXIS | KEYED | SAID, 3)
made("keys-more", {KEYS: entry(space=change(13, 0))}, AXIS | KEYED, 3)
made("keys-none-0", {KEYS: entry(space=change(14, 0))}, AXIS | KEYED, 3)
