"""Makes what the command does not write: files of scanners, for the corpora of read_scanner, read_txrm and read_frames; and what readers of text refuse. Usage: seeds_of_scanners.py CORPUS"""

import math
import pathlib
import struct
import sys

SIZES, PITCH, PARALLEL, BELOW = 1, 2, 16, 64
corpus = pathlib.Path(sys.argv[1])


def seed(harness: str, name: str, data: bytes) -> None:
    (corpus / harness).mkdir(parents=True, exist_ok=True)
    (corpus / harness / name).write_bytes(data)


def part(data: bytes) -> bytes:
    return struct.pack("<I", len(data))[:3] + data


def scanner(name: str, text: str, said: int = 0, images: bytes = b"") -> None:
    seed("read_scanner", name, bytes([said]) + part(text.encode("latin-1")) + images)


# Vendor files as in tests/io/test_scanner_files.c.
NIKON = (
    "[XTekCT]\r\nName=scan\r\nProjections=3\r\nInitialAngle=0\r\nAngularStep=120\r\nDetectorPixelsX=4\r\nDetectorPixelsY=2\r\n"
    "DetectorPixelSizeX=1\r\nDetectorPixelSizeY=1\r\nSrcToObject=120\r\nSrcToDetector=240\r\nWhiteLevel=60000\r\n"
)
scanner("nikon", NIKON + "ObjectOffsetX=1.7\r\n")
scanner("nikon-older", NIKON + "CentreOfRotationTop=3,4\r\nCentreOfRotationBottom=3,4\r\n")
scanner(
    "phoenix",
    "[Geometry]\nFDD=240\nFOD=120\nMagnification=2\nVoxelSizeX=0.5\nCalibValue=-3.5\n[CT]\nNumberImages=3\nRotationSector=360\n"
    "[Image]\nDimX=4\nDimY=2\nFreeRay=3400\n[Detector]\nPixelsizeX=1\nPixelsizeY=1\n",
)
scanner(
    "skyscan",
    "[System]\nCamera Pixel Size (um)=1100\n[Acquisition]\nNumber of Files=3\nNumber of Rows=2\nNumber of Columns=4\n"
    "Image Pixel Size (um)=500\nObject to Source (mm)=120\nCamera to Source (mm)=240\nRotation Step (deg)=4\nDepth (bits)=16\n"
    "Flat Field Correction=ON\nOptical Axis (line)=4\n[Reconstruction]\nPostalignment=-3.5\n",
)
scanner(
    "diondo",
    '<?xml version="1.0"?><Scan><ScanParameter><HelixMode>false</HelixMode></ScanParameter><Recon><ProjectionDimX>4</ProjectionDimX>'
    "<ProjectionDimY>2</ProjectionDimY><ProjectionCount>3</ProjectionCount><ProjectionPixelSizeX>1</ProjectionPixelSizeX>"
    "<ProjectionPixelSizeY>1</ProjectionPixelSizeY><ProjectionCenterOffsetX>-3,5</ProjectionCenterOffsetX></Recon><Geometrie>"
    "<SourceDetectorDist>240</SourceDetectorDist><SourceObjectDist>120</SourceObjectDist></Geometrie></Scan>",
)
scanner(
    "yxlon",
    '<ConeBeamScanParameter xmlns:xsi="x"><PixelSize><Width>1</Width><Height>1</Height></PixelSize><ProjectionSize><Width>4</Width>'
    '<Height>2</Height></ProjectionSize><ScanTrajectory xsi:type="CircleTrajectory"><PixelPitch>0.5</PixelPitch><Fdd>240</Fdd>'
    "<Fod>120</Fod><NumberOfProjections>3</NumberOfProjections><StartAngle>0</StartAngle><Rotation>360</Rotation></ScanTrajectory>"
    "<DejustmentParameter><HorizontalDetectorOffset>7</HorizontalDetectorOffset><VerticalDetectorOffset>1</VerticalDetectorOffset>"
    "<YoCenter>1</YoCenter></DejustmentParameter></ConeBeamScanParameter>",
)
scanner(
    "elekta",
    "<Frames><Frame><GantryAngle>10</GantryAngle><UCentre>1</UCentre><VCentre>2</VCentre></Frame>"
    "<Frame><antryAngle>20</antryAngle><UCentre>1</UCentre><Ventre>2</Ventre></Frame></Frames>",
    SIZES,
)
scanner(
    "rtk",
    '<?xml version="1.0"?>\n<RTKThreeDCircularGeometry version="3"><SourceToIsocenterDistance>1000</SourceToIsocenterDistance>'
    "<SourceToDetectorDistance>1536</SourceToDetectorDistance><ProjectionOffsetX>-1</ProjectionOffsetX><Projection><GantryAngle>10"
    "</GantryAngle><SourceOffsetX>1</SourceOffsetX></Projection><Projection><GantryAngle>130</GantryAngle></Projection>"
    "</RTKThreeDCircularGeometry>",
    SIZES | PITCH,
)
# tests/cli/hostile.sh has three million of them
scanner("rtk-newlines", '<?xml version="1.0"?>\n<RTKThreeDCircularGeometry version="3"><Matrix>' + "\n" * 40 + "</Matrix></RTKThreeDCircularGeometry>", SIZES)
scanner(
    "tigre",
    '{"mode": "cone", "DSO": 100, "DSD": 200, "nDetector": [2, 4], "dDetector": [1, 1.5], "angles": [0, 1, 2], "offDetector": [0.5, 0],'
    ' "rotDetector": [0.01, 0, 0.02], "COR": 0.25, "offOrigin": [1, 0, 0]}',
)
scanner(
    "cil",
    '{"source_position": [0, -100, 0], "detector_position": [0, 200, 0], "num_pixels": [4, 2], "pixel_size": [1, 1.5], "angles": [0, 90],'
    ' "angle_unit": "degree", "initial_angle": 5, "origin": "top-right"}',
)
scanner(
    "cil-parallel",
    '{"ray_direction": [0, 1, 0], "num_pixels": [4, 1], "pixel_size": [1, 1], "angles": [0, 1], "angle_unit": "radian"}',
)
scanner("astra-text", "0 -100 0 0 50 0 1 0 0 0 0 1\n100 0 0 -50 0 0 0 1 0 0 0 1\n", SIZES)
scanner("astra-lines", "0,1,0,-3,1,0\n1,0,0,3,0,1\n", SIZES | PARALLEL)
scanner(
    "leap",
    "geometry = cone\nnumAngles = 3\nnumRows = 2\nnumCols = 4\npixelHeight = 1\npixelWidth = 1.5\ncenterRow = 0.5\ncenterCol = 1.5\n"
    "sod = 100\nsdd = 200\ntau = 0.5\nhelicalPitch = 0.1\ntiltAngle = 1\nangularRange = 360\n",
)
scanner(
    "leap-curved",
    "geometry = cone\ndetectorType = curved\nnumAngles = 2\nnumRows = 2\nnumCols = 4\npixelHeight = 1\npixelWidth = 1.5\nsod = 100\n"
    "sdd = 200\nphis = 0, 90\n",
)


def xim(angle: float) -> bytes:
    def named(name: str, value: float) -> bytes:
        return struct.pack("<i", len(name)) + name.encode() + struct.pack("<id", 1, value)

    head = b"VMS.XI\0\0" + struct.pack("<6i", 1, 4, 2, 16, 2, 0)
    return head + struct.pack("<i", 16) + bytes(range(16)) + struct.pack("<ii", 0, 2) + named("KVSourceRtn", angle) + named("Gain", 1)


def hnd(angle: float, compressed: bool) -> bytes:
    head = bytearray(1024 if compressed else 512)
    struct.pack_into("<ii", head, 120, 4, 2)
    struct.pack_into("<dd", head, 352, 0.5, 0.5)
    struct.pack_into("<d", head, 432, angle)
    return bytes(head) + (b"\0" + struct.pack("<5i", 9, 8, 7, 6, 5) + b"\1\2\3" if compressed else bytes(range(16)))


scanner(
    "varian",
    "<Scan><SAD>1000</SAD><SID>1500</SID><ImagerSizeX>4</ImagerSizeX><ImagerSizeY>2</ImagerSizeY><ImagerResX>0.5</ImagerResX>"
    "<ImagerResY>0.5</ImagerResY><ImagerLat>-1</ImagerLat><Velocity>6</Velocity><FrameRate>1</FrameRate></Scan>",
    BELOW,
    b"\0" + part(xim(10)) + b"\0" + part(xim(20)) + b"\0" + part(xim(32)),
)
OBI = (
    "<ProjectionInfo><CalibratedSAD>1000,5</CalibratedSAD><CalibratedSID>1500</CalibratedSID><FanType>HalfFan</FanType>"
    "<CalibratedDetectorOffsetX>3</CalibratedDetectorOffsetX><DetectorPosLat>-12</DetectorPosLat></ProjectionInfo>"
)
scanner("obi", OBI, 0, b"\1" + part(hnd(10, True)) + b"\1" + part(hnd(20, True)))
scanner("obi-plain", OBI, 0, b"\2" + part(hnd(10, False)) + b"\2" + part(hnd(20, False)))


def compound(streams: dict[str, bytes], cutoff: int = 4096) -> bytes:
    """A compound file, after [MS-CFB]: sectors of 512 bytes; streams below the cutoff in sectors of 64 within the root's."""
    end, free, none = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFF
    folders = sorted({name.split("/")[0] for name in streams})
    # Entries: the root, folders, streams: [name, type, left, right, child, start, size].
    entries: list[list] = [["Root Entry", 5, none, none, none, end, 0]]
    place = {}
    for name in folders + sorted(streams):
        place[name] = len(entries)
        entries.append([name.split("/")[-1], 2 if "/" in name else 1, none, none, none, end, 0])
    for group, owner in [(folders, 0)] + [([n for n in sorted(streams) if n.startswith(f + "/")], place[f]) for f in folders]:
        entries[owner][4] = place[group[0]]
        for a, b in zip(group, group[1:]):
            entries[place[a]][3] = place[b]
    sectors: list[bytes] = []
    chain: list[int] = []
    small, small_chain = b"", []

    def put(data: bytes) -> int:
        first = len(sectors)
        pieces = [data[i : i + 512].ljust(512, b"\0") for i in range(0, len(data), 512)]
        sectors.extend(pieces)
        chain.extend(list(range(first + 1, first + len(pieces))) + [end])
        return first

    for name, data in sorted(streams.items()):
        entry = entries[place[name]]
        entry[6] = len(data)
        if len(data) >= cutoff:
            entry[5] = put(data)
        else:
            n, first = (len(data) + 63) // 64, len(small_chain)
            entry[5] = first
            small += data.ljust(64 * n, b"\0")
            small_chain += list(range(first + 1, first + n)) + [end]
    if small:
        entries[0][5], entries[0][6] = put(small), len(small)
    directory = b""
    for name, kind, left, right, child, start, size in entries:
        wide = (name + "\0").encode("utf-16-le")
        directory += wide.ljust(64, b"\0") + struct.pack("<HBBIII", len(wide), kind, 1, left, right, child) + bytes(36)
        directory += struct.pack("<III", start, size, 0)
    directory_at = put(directory)
    small_at = put(struct.pack(f"<{len(small_chain)}I", *small_chain).ljust((len(small_chain) * 4 + 511) // 512 * 512, b"\xff")) if small_chain else end
    table_at = len(sectors)
    tables = (len(sectors) + 128) // 128
    chain += [0xFFFFFFFD] * tables
    table = struct.pack(f"<{len(chain)}I", *chain).ljust(512 * tables, b"\xff")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += struct.pack("<9I", 0, tables, directory_at, 0, cutoff, small_at, 1, end, 0)
    head += struct.pack("<109I", *[table_at + i if i < tables else free for i in range(109)])
    return head + b"".join(sectors) + table


def txrm(kind: int, parallel: bool, shifts: bool, reference: bool, cutoff: int = 4096) -> bytes:
    views, rows, columns = 3, 2, 4
    streams = {
        "ImageInfo/NoOfImages": struct.pack("<i", views),
        "ImageInfo/ImagesTaken": struct.pack("<i", views),
        "ImageInfo/ImageHeight": struct.pack("<i", rows),
        "ImageInfo/ImageWidth": struct.pack("<i", columns),
        "ImageInfo/DataType": struct.pack("<i", kind),
        "ImageInfo/PixelSize": struct.pack("<f", 2.5),
        "ImageInfo/XrayGeometry": struct.pack("<i", 0 if parallel else 1),
        "ImageInfo/StoRADistance": struct.pack("<3f", -100, -100, -100),
        "ImageInfo/DtoRADistance": struct.pack("<3f", 50, 50, 50),
        "ImageInfo/Angles": struct.pack("<3f", -45, 15, 75),
    }
    number = "<8H" if kind == 5 else "<8f"
    for v in range(views):
        streams[f"ImageData1/Image{v + 1}"] = struct.pack(number, *[500 - 40 * v - 7 * c for c in range(8)])
    if shifts:
        streams["Alignment/X-Shifts"] = struct.pack("<3f", 0.25, -0.5, 1)
        streams["Alignment/Y-Shifts"] = struct.pack("<3f", 0.5, 0, -1)
    if reference:
        streams["ReferenceData/DataType"] = struct.pack("<i", kind)
        streams["ReferenceData/Image"] = struct.pack(number, *[900 + c for c in range(8)])
    return compound(streams, cutoff)


seed("read_txrm", "counts", b"\1" + txrm(5, False, True, True))
seed("read_txrm", "floats", b"\3" + txrm(10, True, False, False))
seed("read_txrm", "large", b"\0" + txrm(5, False, False, True, 16))
seed("read_txrm", "integrals", b"\x0d" + txrm(10, False, True, False))


def frames(name: str, said: list[str], files: dict[str, bytes]) -> None:
    """A folder of images: names and what is said of them, then the files."""
    names = "\n".join([*files, *("=" + word for word in said)]).encode()
    seed("read_frames", name, bytes([len(names)]) + names + b"".join(part(data) for data in files.values()))


def counts(view: int, views: int, columns: int = 12, rows: int = 2, white: float = 1000, kind: str = "<H", turn: float = 180) -> bytes:
    """A round body off the axis, seen by parallel rays: opposite views are mirrored."""
    angle = math.radians(turn * view / (views - 1))
    middle = (columns - 1) / 2 + 0.7 + 1.5 * math.cos(angle)
    row = [white * math.exp(-max(0.0, 1 - ((c - middle) / 3) ** 2)) for c in range(columns)]
    return b"".join(struct.pack(kind, round(x) if kind[-1] not in "fd" else x) for x in row * rows)


VIEWS = 5
angles = "".join(f"{180 * v / (VIEWS - 1)}\n" for v in range(VIEWS)).encode()
raws = {f"v{v}.raw": counts(v, VIEWS) for v in range(VIEWS)}
flat, dark = struct.pack("<24H", *[1000 + c for c in range(24)]), struct.pack("<24H", *[20] * 24)
frames("raw", ["ru16le:12x2"], {**raws, "flat.raw": flat, "dark.raw": dark, "angles.txt": angles})
dead = struct.pack("<24H", *[0 if c in (3, 15) else 65535 if c == 7 else 1000 for c in range(24)])
frames("dead", ["ru16le:12x2", "a0..180"], {**raws, "flat.raw": dead})
frames("raw-white", ["ru16be:12x2+4", "w1000", "a0:45", "i2,2", "x5.5", "p0.1"], {f"v{v}.raw": b"head" + counts(v, VIEWS, kind=">H") for v in range(3)})
frames("raw-many", ["rf32le:12x2x5", "v", "a0..180"], {"all.raw": b"".join(counts(v, VIEWS, kind="<f") for v in range(VIEWS))})
frames("raw-doubles", ["rf64be:12x2x5", "v", "s", "a0:36"], {"all.raw": b"".join(counts(v, VIEWS, kind=">d") for v in range(VIEWS))})
frames("raw-bytes", ["ru8:12x2", "w200", "a0:20", "c100", "ino", "x5"], {f"v{v}.raw": counts(v, VIEWS, white=200, kind="<B") for v in range(3)})
frames("raw-signed", ["ri16le:12x2", "w1000", "a0:72", "x6", "g"], {f"v{v}.raw": counts(v, VIEWS, kind="<h") for v in (0, 1, 3)})
frames("raw-after", ["ru16le:12x2", "a0..180", "lafter.raw", "fflat.raw", "x6"], {**raws, "flat.raw": flat, "after.raw": flat})
frames("turn", ["ru16le:12x2", "w1000", "a0:90"], {f"v{v}.raw": counts(v, VIEWS, turn=360) for v in range(4)})
frames("json", ["v", "a0:45", "rall.json"], {"all.raw": b"".join(counts(v, VIEWS) for v in range(VIEWS)), "all.json": b'{"type": "u16le", "columns": 12, "rows": 2, "views": 5, "header": 0}'})


def edf(data: bytes, kind: str, order: str = "LowByteFirst") -> bytes:
    head = f"{{ HeaderID = EH:000001 ;\nDim_1 = 12 ;\nDim_2 = 2 ;\nDataType = {kind} ;\nByteOrder = {order} ;\nSize = {len(data)} ;\n"
    return head.ljust(510).encode() + b"}\n" + data


frames("edf", ["a0..180"], {**{f"v{v}.edf": edf(counts(v, VIEWS), "UnsignedShort") for v in range(VIEWS)}, "flat.edf": edf(flat, "UnsignedShort")})
whole = edf(counts(0, VIEWS), "UnsignedShort")
frames("edf-no-line", ["a0:45", "v"], {"v0.edf": b"{ HeaderID = EH:000001 ; Dim_1 = 12 ; Dim_2 = 2 ;".ljust(512) + whole[512:]})
frames("edf-float", ["a0:45", "v"], {f"v{v}.edf": edf(counts(v, VIEWS, kind=">f"), "FloatValue", "HighByteFirst") for v in range(2)})


# Refused statements, one per line: fuzzers start near messages.
REFUSED = {
    "word": "sphere radius=1 density=1",
    "key": "box length=3 density=1",
    "no-number": "box size=1,x,3 density=1",
    "few": "box size=1,2 density=1",
    "axis": "cylinder axis=0,0,0 radius=1 length=2 density=1",
    "clip": "box size=1,1,1 clip=0,0,0,3 density=1",
    "twice": "box size=1,1,1 size=1,1,1 density=1",
    "length": "ellipsoid radii=1,2,0 density=1",
    "radius": "cylinder radius=1 radii=1,2 length=3 density=1",
    "no-size": "box density=1",
    "no-length": "cylinder radius=1 density=1",
    "no-end": "cone radius=1 length=2 density=1",
    "first": "cylinder axis=1,0,0 first=1,0,0 radii=1,2 length=3 density=1",
    "along": "cylinder axis=0,1,0 radii=1,2 length=3 density=1",
    "no-density": "box size=1,1,1",
    "angles": "cylinder axis=1,0,0 angles=3 radius=1 length=2 density=1",
    "combine": "combine both",
    "combine-late": "box size=1,1,1 density=1\ncombine add",
    "unit": "unit kg",
    "long": "box size=" + "1" * 60 + " density=1",
    "zero-byte": "box\0 size=1,1,1 density=1",
    "nothing": "# nothing",
}
for name, text in REFUSED.items():
    seed("read_phantom", "refused-" + name, text.encode())

HEADS = {
    "dims": ("NDims = 3", "NDims = 2"),
    "size": ("DimSize = 4 3 2", "DimSize = 4 0 2"),
    "spacing": ("ElementSpacing = 1 1 1", "ElementSpacing = 1 x 1"),
    "matrix": ("TransformMatrix = 1 0 0 0 1 0 0 0 1", "TransformMatrix = 1 1 0 0 1 0 0 0 1"),
    "type": ("ElementType = MET_FLOAT", "ElementType = MET_LONG_LONG_LONG"),
    "shorts": ("ElementType = MET_FLOAT", "ElementType = MET_SHORT"),
    "flipped": ("TransformMatrix = 1 0 0 0 1 0 0 0 1", "TransformMatrix = -1 0 0 0 1 0 0 0 1"),
    "packed": ("CompressedData = False", "CompressedData = True"),
    "text": ("BinaryData = True", "BinaryData = False"),
    "object": ("ObjectType = Image", "ObjectType = Mesh"),
    "channels": ("ElementNumberOfChannels = 1", "ElementNumberOfChannels = 3"),
    "list": ("ElementDataFile = a.raw", "ElementDataFile = LIST"),
    "elsewhere": ("ElementDataFile = a.raw", "ElementDataFile = ../../etc/hosts"),
    "missing": ("ElementDataFile = a.raw", "ElementDataFile = b.raw"),
    "no-end": ("ElementDataFile = a.raw", "Comment = nothing"),
    "hash": ("NDims = 3", "GantryScanHash = 12ab\nNDims = 3"),
    "whole": ("NDims = 3", "NDims = 3"),
}
HEAD = (
    "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = False\nElementNumberOfChannels = 1\n"
    "TransformMatrix = 1 0 0 0 1 0 0 0 1\nDimSize = 4 3 2\nElementSpacing = 1 1 1\nElementType = MET_FLOAT\nElementDataFile = a.raw\n"
)
for name, (was, now) in HEADS.items():
    bytes_each = 2 if name == "shorts" else 4
    seed("read_metaimage", "head-" + name, part(HEAD.replace(was, now).encode()) + part(bytes(range(96))[: 24 * bytes_each] if bytes_each == 2 else struct.pack("<24f", *range(24))))
