"""Makes files of DICOM-CT-PD that the command does not write, for the corpus of read_dicom: other ways of writing numbers, and what is refused. Usage: seeds_of_dicom.py CORPUS"""

import math
import pathlib
import struct
import sys
import zlib

corpus = pathlib.Path(sys.argv[1])
EXPLICIT, IMPLICIT, BIG, JPEG = "1.2.840.10008.1.2.1", "1.2.840.10008.1.2", "1.2.840.10008.1.2.2", "1.2.840.10008.1.2.4.50"
LONG = {"OB", "OW", "UN", "SQ"}
FORMATS = {"US": "H", "SS": "h", "FL": "f", "FD": "d", "UL": "I", "SL": "i"}
ROWS, COLUMNS = 2, 3

# Tag: representation and value; bytes are written unchanged.
Value = str | bytes | float | list[float]
Elements = dict[tuple[int, int], tuple[str, Value]]


def raw(vr: str, value: Value, order: str = "<") -> bytes:
    if isinstance(value, bytes):
        data = value
    elif isinstance(value, str):
        data = value.encode("latin-1")
    else:
        numbers = value if isinstance(value, list) else [value]
        if vr in FORMATS:
            data = b"".join(struct.pack(order + FORMATS[vr], x if FORMATS[vr] in "fd" else int(x)) for x in numbers)
        else:
            data = "\\".join(f"{x:.10g}" for x in numbers).encode()
    return data + (b"\0" if vr in ("UI", "OB", "UN") else b" ") * (len(data) % 2)


def element(tag: tuple[int, int], vr: str, data: bytes, syntax: str = EXPLICIT) -> bytes:
    order = ">" if syntax == BIG else "<"
    head = struct.pack(order + "HH", *tag)
    if syntax == IMPLICIT:
        return head + struct.pack("<I", len(data)) + data
    return head + vr.encode() + (struct.pack(order + "HI", 0, len(data)) if vr in LONG else struct.pack(order + "H", len(data))) + data


def dicom(elements: Elements, syntax: str = EXPLICIT) -> bytes:
    about = element((2, 1), "OB", b"\0\1") + element((2, 2), "UI", raw("UI", "1.2.840.10008.5.1.4.1.1.2"))
    about += element((2, 3), "UI", b"1.2.3.4\0") + element((2, 0x10), "UI", raw("UI", syntax))
    order = ">" if syntax == BIG else "<"
    body = b"".join(element(tag, vr, raw(vr, value, order), syntax) for tag, (vr, value) in sorted(elements.items()))
    return bytes(128) + b"DICM" + element((2, 0), "UL", struct.pack("<I", len(about))) + about + body


CREATORS = {
    0x7029: "DetectorSystemArrangementModule",
    0x7031: "DetectorDynamicsModule",
    0x7033: "SourceDynamicsModule",
    0x7037: "ProjectionDataDefinitions",
    0x7039: "PreprocessingFlagsModule",
    0x7041: "WaterAttenuationModule",
}


def view(n: int, changes: Elements | None = None, without: tuple[tuple[int, int], ...] = ()) -> Elements:
    """View n of a scan of four a turn; counts differ in every cell."""
    e: Elements = {
        (0x0008, 0x0060): ("CS", "CT"),
        (0x0008, 0x0070): ("LO", "Maker"),
        (0x0018, 0x5100): ("CS", "HFS"),
        (0x0020, 0x000E): ("UI", "1.2.3.5"),
        (0x0020, 0x0013): ("IS", float(n + 1)),
        (0x0028, 0x0010): ("US", COLUMNS),
        (0x0028, 0x0011): ("US", ROWS),
        (0x0028, 0x0100): ("US", 16),
        (0x0028, 0x0103): ("US", 0),
        (0x0028, 0x1052): ("DS", 0.25),
        (0x0028, 0x1053): ("DS", 0.001),
        (0x7029, 0x1002): ("FL", 15.0),
        (0x7029, 0x1006): ("FL", 20.0),
        (0x7029, 0x100B): ("CS", "CYLINDRICAL"),
        (0x7029, 0x1010): ("US", ROWS),
        (0x7029, 0x1011): ("US", COLUMNS),
        (0x7031, 0x1001): ("FL", 0.3 + n * math.pi / 2),
        (0x7031, 0x1002): ("FL", 1.5),
        (0x7031, 0x1003): ("FL", 595.0),
        (0x7031, 0x1031): ("FL", 1085.5),
        (0x7031, 0x1033): ("FL", [2.25, 1.5]),
        (0x7033, 0x1013): ("US", 4),
        (0x7037, 0x1009): ("CS", "AXIAL"),
        (0x7037, 0x100A): ("CS", "FANBEAM"),
        (0x7041, 0x1001): ("DS", 0.0192),
        (0x7FE0, 0x0010): ("OW", struct.pack("<6H", *[1000 + 100 * n + 7 * c * c for c in range(6)])),
    }
    e.update({(group, 0x10): ("LO", name) for group, name in CREATORS.items()})
    e.update(changes or {})
    return {tag: value for tag, value in e.items() if tag not in without}


def seed(name: str, files: list[bytes]) -> None:
    (corpus / "read_dicom").mkdir(parents=True, exist_ok=True)
    (corpus / "read_dicom" / name).write_bytes(b"".join(struct.pack("<I", len(f))[:3] + f for f in files))


def scan(name: str, *changes: Elements, of_all: Elements | None = None, syntax: str = EXPLICIT, without: tuple[tuple[int, int], ...] = ()) -> None:
    """A folder of as many views as there are changes, one each."""
    seed(name, [dicom(view(n, {**(of_all or {}), **each}, without), syntax) for n, each in enumerate(changes)])


NUMBER, ANGLE, HEIGHT, TYPE, TIME = (0x0020, 0x0013), (0x7031, 0x1001), (0x7031, 0x1002), (0x7037, 0x1009), (0x7033, 0x1067)
PHOTONS, FRAMES, SAMPLES, SHIFT_Z = (0x7033, 0x1065), (0x0028, 0x0008), (0x7FE0, 0x0010), (0x7033, 0x100C)

scan("plain", {}, {})
scan("implicit", {}, {}, of_all={PHOTONS: ("FL", [1e4, 2e4, 3e4]), SHIFT_Z: ("FL", 0.5), (0x0018, 0x9310): ("FD", 0.0)}, syntax=IMPLICIT)
scan("big", {}, {}, of_all={SAMPLES: ("OW", struct.pack(">6H", *range(6)))}, syntax=BIG)
scan("compressed", {}, syntax=JPEG)
# Values in other representations than the format's list.
scan("other-kinds", {}, of_all={(0x7029, 0x1002): ("FD", 15.0), (0x7029, 0x1010): ("SS", 2), (0x7029, 0x1011): ("UL", 3), (0x7033, 0x1013): ("SL", 4), (0x7031, 0x1033): ("DS", "2.25\\1.5")})
scan("bytes", {}, of_all={(0x7029, 0x1006): ("UN", struct.pack("<f", 20)), (0x7041, 0x1001): ("UN", b"0.02"), (0x7029, 0x100B): ("UN", b"FLAT"), (0x0018, 0x9310): ("UN", struct.pack("<d", 0)), (0x7029, 0x1010): ("UN", b"\2\0")})
scan("flat", {}, {}, of_all={(0x7029, 0x100B): ("CS", "FLAT"), (0x0018, 0x5100): ("CS", "FFP"), (0x0008, 0x0070): ("LO", "GE")})
scan("photons", {}, {}, of_all={PHOTONS: ("FL", 5e4), (0x7039, 0x1003): ("CS", "NO"), (0x7039, 0x1008): ("CS", "NO"), (0x0018, 0x5100): ("CS", "HFDL")})
scan("no-photons", {PHOTONS: ("FL", [1e4, 0.0, 1e4])})
scan("photons-2", {PHOTONS: ("FL", [1e4, 1e4])})
scan("photons-other", {PHOTONS: ("FL", 1e4)}, {})
scan("helix", *[{HEIGHT: ("FL", 3.0 * n), SHIFT_Z: ("FL", 0.5 * (n % 2))} for n in range(4)], of_all={TYPE: ("CS", "HELICAL"), (0x0018, 0x9310): ("FD", 12.0)})
scan("helix-1", {}, of_all={TYPE: ("CS", "HELICAL")})
scan("helix-rests", {}, {}, of_all={TYPE: ("CS", "HELICAL")})
scan("axial-moves", {}, {HEIGHT: ("FL", 30.0)})
scan("table-jumps", *[{HEIGHT: ("FL", h)} for h in (0.0, 3.0, 6.0, 90.0)], of_all={TYPE: ("CS", "HELICAL")})
scan("angle-jumps", {}, {}, {}, {ANGLE: ("FL", 2.9)})
scan("stands", {}, {}, of_all={ANGLE: ("FL", 1.0)})
scan("gap", {}, {}, {ANGLE: ("FL", 0.3 + 1.5 * math.pi), NUMBER: ("IS", 4.0)})
scan("twice", {}, {NUMBER: ("IS", 1.0)})
scan("times", *[{TIME: ("FL", 0.5 * n)} for n in range(3)], without=(NUMBER,))
scan("no-place", {}, {}, without=(NUMBER,))
scan("spot-far", {(0x7033, 0x100D): ("FL", 90.0)})
scan("no-log", {(0x7039, 0x1009): ("CS", "NO")})
scan("parallel", {(0x7037, 0x100A): ("CS", "PARALLELBEAM")})
scan("shape", {(0x7029, 0x100B): ("CS", "SPHERICAL")})
scan("bits", {(0x0028, 0x0100): ("US", 12)})
scan("signs", {(0x0028, 0x0103): ("US", 2)})
scan("signed", {(0x0028, 0x0103): ("US", 1)})
scan("radius", {(0x7031, 0x1003): ("FL", 0.0)})
scan("size", {(0x0028, 0x0010): ("US", 5)})
scan("few-samples", {SAMPLES: ("OW", bytes(8))})
scan("no-samples", {}, without=(SAMPLES,))
scan("no-center", {}, without=((0x7031, 0x1033),))
scan("center-1", {(0x7031, 0x1033): ("FL", 2.0)})
scan("no-shape", {}, without=((0x7029, 0x100B),))
scan("no-number", {(0x0028, 0x1053): ("DS", "slope")})
scan("text-differs", {}, {(0x0018, 0x5100): ("CS", "HFP")})
scan("center-differs", {}, {(0x7031, 0x1033): ("FL", [2.5, 1.5])})
scan("pitch-differs", {}, {(0x7029, 0x1002): ("FL", 16.0)})
scan("umlaut", {(0x0008, 0x0005): ("CS", "ISO_IR 100"), (0x0008, 0x0070): ("LO", "M\xfcller")})
square = {(0x0028, 0x0010): ("US", 2), (0x7029, 0x1011): ("US", 2), SAMPLES: ("OW", struct.pack("<4H", 9, 8, 7, 6))}
scan("square", {}, {}, of_all={tag: value for tag, value in square.items()})
# Two frames in one file: in file order, with values for both in one element, or with a group of elements for each.
frames: Elements = {FRAMES: ("IS", 2.0), ANGLE: ("FL", [0.3, 1.0]), SAMPLES: ("OW", struct.pack("<12H", *range(12)))}
scan("frames", frames, without=(NUMBER,))
scan("frames-0", {FRAMES: ("IS", 0.0)})
scan("frames-many", {FRAMES: ("IS", 3e8)})


def items(*of: Elements) -> bytes:
    data = b""
    for each in of:
        body = b"".join(element(tag, vr, raw(vr, value)) for tag, (vr, value) in sorted(each.items()))
        data += struct.pack("<HHI", 0xFFFE, 0xE000, len(body)) + body
    return data


groups = {FRAMES: ("IS", 2.0), SAMPLES: frames[SAMPLES], (0x5200, 0x9229): ("SQ", items({(0x0028, 0x1052): ("DS", 0.5)}))}
each_frame = [{(0x7031, 0x0010): ("LO", CREATORS[0x7031]), ANGLE: ("FL", 0.3 + 0.7 * n)} for n in range(2)]
scan("groups", {**groups, (0x5200, 0x9230): ("SQ", items(*[dict(e) for e in each_frame]))}, without=(NUMBER, ANGLE))
scan("groups-1", {**groups, (0x5200, 0x9230): ("SQ", items(dict(each_frame[0])))}, without=(NUMBER, ANGLE))
# Foreign files among DICOM files, and alone; more nested sequences than any stack holds; a truncated file.
slice_of: Elements = {(0x0008, 0x0060): ("CS", "CT"), (0x0020, 0x000E): ("UI", "1.2.9"), SAMPLES: ("OW", bytes(8))}
seed("with-others", [dicom(view(0)), dicom(slice_of), b"notes"])
seed("others", [dicom(slice_of)])
nested = b"".join(struct.pack("<HH2sHI", 0x0040, 0xA730, b"SQ", 0, 0xFFFFFFFF) + struct.pack("<HHI", 0xFFFE, 0xE000, 0xFFFFFFFF) for _ in range(300))
seed("deep", [dicom(view(0)) + nested])
# Sequences at odd positions, and compressed after a long meta group: a search at even positions of the first bytes misses both.
odd = struct.pack("<HH2sH", 0x0008, 0x0070, b"LO", 3) + b"abc"
seed("deep-odd", [dicom(view(0)) + odd + nested])


def deflated(body: bytes) -> bytes:
    syntax = b"1.2.840.10008.1.2.1.99"
    meta = struct.pack("<HH2sH", 2, 3, b"UI", 1500) + b"1.2.3".ljust(1500, b"\0") + struct.pack("<HH2sH", 2, 0x10, b"UI", len(syntax)) + syntax
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    return bytes(128) + b"DICM" + struct.pack("<HH2sHI", 2, 0, b"UL", 4, len(meta)) + meta + packed.compress(body) + packed.flush()


seed("deflated", [deflated(dicom(view(0))[132:])])
seed("deflated-deep", [deflated(nested)])
seed("cut-off", [dicom(view(0))[:-5]])
