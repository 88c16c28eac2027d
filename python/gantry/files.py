"""Reading and writing of projections and volumes."""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from ._c import ffi, lib
from .arguments import completed, expect, keywords
from .data import UNITS, Projections, Volume
from .errors import ArgumentError, check, settle, text
from .geometry import Grid, Scan

if TYPE_CHECKING:
    from .arguments import Unpack

Path = str | os.PathLike[str]


def _name(path: Path) -> bytes:
    expect(path, (str, bytes, os.PathLike), "path", "a path")
    return os.fsencode(path)


def _options(defaults: Any, kind: str) -> Any:
    options = ffi.new(kind, defaults)
    options.progress = lib.gt_py_fraction
    options.notes.say = lib.gt_py_message
    return options


def _unit(unit: str) -> int:
    if unit not in UNITS:
        raise ArgumentError(f"unit {unit!r}: expected one of {', '.join(UNITS)}")
    return int(getattr(lib, ("GT_PER_MM", "GT_HU", "GT_UNIT_AUTO")[UNITS.index(unit)]))


class ReadOptions(TypedDict, total=False):
    """Keywords of read_options() and of the functions that read."""

    geometry_only: bool
    without_statistics: bool
    axis: float | None
    pixel: float | None
    water: float | None
    unit: str
    center: bool
    flat: Path | None
    flat_after: Path | None
    dark: Path | None
    white: float | None
    angles: Path | None
    angle_unit: str
    air: str | None
    values: str
    sinogram: bool
    gaps: bool
    source_to_axis: float | None
    source_to_detector: float | None
    geometry: Path | None
    direction: str
    axis_side: str
    raw: str | None
    flat_at: str | None
    entry: str | None


# Defaults of the reading options that are not None.
_READ = {"geometry_only": False, "without_statistics": False, "unit": "auto", "center": False, "angle_unit": "auto", "values": "counts",
         "sinogram": False, "gaps": False, "direction": "auto", "axis_side": "auto"}
_OF_ALL = ("geometry_only", "without_statistics", "axis", "pixel", "water", "unit", "center")
_IMAGES = {name: _READ.get(name) for name in ReadOptions.__annotations__ if name not in _OF_ALL}
_APPLY = {**{name: ("frames", "nxtomo", "dataexchange") for name in _IMAGES}, "pixel": ("frames", "nxtomo", "dataexchange", "rabbitct"),
          "entry": ("nxtomo", "dataexchange")}
_SIGNS = {"auto": "GT_SIGN_OPEN", "as-file": "GT_SIGN_AS_FILE", "reversed": "GT_SIGN_REVERSED"}
_lent: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()  # memory that C options point to, for their lifetime


def sign(what: str, word: str) -> int:
    """Returns the code of a sign that a geometry file leaves open."""
    if word not in _SIGNS:
        raise ArgumentError(f"{what} {word!r}: expected one of {', '.join(_SIGNS)}")
    return int(getattr(lib, _SIGNS[word]))


def _one_of(what: str, word: str, known: tuple[str, ...]) -> int:
    if word not in known:
        raise ArgumentError(f"{what} {word!r}: expected one of {', '.join(known)}")
    return known.index(word)


def _image_options(held: list[Any], given: dict[str, Any]) -> Any:
    """Returns the options that convert counts to line integrals."""
    f = ffi.new("gt_frames_options *", lib.gt_frames_defaults)
    held.append(f)
    for name in ("flat", "flat_after", "dark", "angles", "air", "geometry", "raw", "flat_at", "entry"):
        if given[name] is not None:
            held.append(ffi.new("char[]", os.fsencode(given[name])))
            setattr(f, name, held[-1])
    for name in ("white", "source_to_axis", "source_to_detector"):
        if given[name] is not None:
            setattr(f, name, given[name])
    f.radians = (0, -1, 1)[_one_of("angle_unit", given["angle_unit"], ("auto", "deg", "rad"))]
    f.values = _one_of("values", given["values"], ("counts", "line-integrals"))
    f.sinogram, f.gaps = int(given["sinogram"]), int(given["gaps"])
    f.direction, f.axis_side = sign("direction", given["direction"]), sign("axis_side", given["axis_side"])
    return f


@keywords(ReadOptions, _READ)
def read_options(**options: Unpack[ReadOptions]) -> Any:
    """Returns options for reading files.

    Parameters
    ----------
    geometry_only : bool
        Reads the scan without its data.
    without_statistics : bool
        Reads neither weights nor photons.
    axis : float, optional
        Detector column of the projected axis of rotation.
    pixel : float, optional
        Pixel pitch, mm, of images and HDF5 Data Exchange.
    water : float, optional
        Attenuation of water of a volume file that states none, mm^-1.
    unit : {"auto", "mm-1", "HU"}
        Unit of a volume file that states none.
    center : bool
        Moves the centre of the volume to (0, 0, 0).
    flat, dark : path, optional
        File or folder of flat or dark fields, or "none"; by default files with such names in the folder.
    flat_after : path, optional
        Flat fields after the scan. A view is divided by the interpolation in time.
    white : float, optional
        Blank-scan counts (I0) in place of flat fields.
    angles : path or str, optional
        A file, "FIRST:STEP" or "FIRST..LAST".
    angle_unit : {"auto", "deg", "rad"}
        Unit of the angles. "auto": angles of a file that span half a rotation or a rotation in radians are radians, others degrees.
    air : str, optional
        "auto", "no" or "LEFT,RIGHT": columns without the object.
    values : {"counts", "line-integrals"}
        Kind of the values.
    sinogram : bool
        Each image is one detector row in all views.
    gaps : bool
        Accepts missing numbers among the files.
    source_to_axis, source_to_detector : float, optional
        Distances of cone beams, mm.
    geometry : path, optional
        Geometry file in place of angles.
    direction, axis_side : {"auto", "as-file", "reversed"}
        Signs that the geometry file leaves open.
    raw : str, optional
        "TYPE:COLUMNSxROWS[xVIEWS][+HEADER]" of images without a header.
    flat_at : str, optional
        "0,300,600": view counts after which equal numbers of flat fields were taken.
    entry : str, optional
        Group of the scan in an HDF5 file with several.

    Examples
    --------
    >>> gantry.write("hu.nc", gantry.Volume(np.full((2, 3, 4), 0.02), gantry.Grid((2, 3, 4), 1.0, (5, 0, 0))))
    >>> gantry.read("hu.nc", center=True).grid.center            # the options are keywords of the functions that read
    (0.0, 0.0, 0.0)
    """
    given = completed(options, ReadOptions, _READ)
    images = {name: given[name] for name in _IMAGES}
    o = _options(lib.gt_read_defaults, "gt_read_options *")
    o.geometry_only = o.may_lack_data = int(given["geometry_only"])
    o.without_statistics, o.center, o.unit = int(given["without_statistics"]), int(given["center"]), _unit(given["unit"])
    o.axis, o.pixel = (np.nan if given[name] is None else given[name] for name in ("axis", "pixel"))
    o.water = given["water"] or 0
    if images != _IMAGES:
        held = _lent[o] = []
        o.frames = _image_options(held, images)
    return o


def options_for(path: Path, options: dict[str, Any]) -> Any:
    """Returns the read options of a file or folder, and refuses options that do not apply to its format."""
    o = read_options(**options)
    said = [name for name, value in options.items() if name in ("axis", *_APPLY) and value != _IMAGES.get(name)]
    found, projections = ffi.new("const gt_format **"), ffi.new("int *")
    if said and lib.gt_file_kind(_name(path), found, projections) == 0:  # else reading reports the reason
        for name in said:
            if not projections[0] if name == "axis" else text(found[0].name) not in _APPLY[name]:
                raise ArgumentError(f"{name} does not apply to a {text(found[0].about)} file: {os.fsdecode(path)}")
    return o


def read(path: Path, **options: Unpack[ReadOptions]) -> Projections | Volume:
    """Reads projections or a volume, by the contents of the file or folder.

    Parameters
    ----------
    path : path
        A file or folder in one of formats().
    **options
        Options of read_options(), such as pixel=0.01.

    Returns
    -------
    Projections or Volume

    Examples
    --------
    >>> gantry.write("ones.nc", gantry.Volume(np.ones((2, 3, 4)), gantry.Grid((2, 3, 4), 1.0)))
    >>> gantry.read("ones.nc")
    <gantry.Volume (2, 3, 4) in mm^-1 on Grid('4x3x2@1x1x1')>
    """
    found, kind = ffi.new("const gt_format **"), ffi.new("int *")
    check(lib.gt_file_kind(_name(path), found, kind))
    return read_projections(path, **options) if kind[0] else read_volume(path, **options)


def read_projections(path: Path, **options: Unpack[ReadOptions]) -> Projections:
    """Reads projections, with the options of read_options().

    Examples
    --------
    >>> scan = gantry.circular(6, (2, 4), 1.0, 50, 100)
    >>> gantry.write("scan.nc", gantry.Projections(np.ones(scan.shape), scan))
    >>> gantry.read_projections("scan.nc").shape
    (6, 2, 4)
    """
    out = ffi.new("gt_projections **")
    check(lib.gt_read_projections(_name(path), options_for(path, dict(options)), out))
    p = Projections.from_c(out[0])
    settle()
    return p


def read_volume(path: Path, **options: Unpack[ReadOptions]) -> Volume:
    """Reads a volume in mm^-1, with the options of read_options().

    Examples
    --------
    >>> gantry.write("half.mha", gantry.Volume(np.full((2, 3, 4), 0.5), gantry.Grid((2, 3, 4), 1.0)))
    >>> float(gantry.read_volume("half.mha").data.mean())
    0.5
    """
    out = ffi.new("gt_volume **")
    check(lib.gt_read_volume(_name(path), options_for(path, dict(options)), out))
    v = Volume.from_c(out[0])
    settle()
    return v


class WriteOptions(TypedDict, total=False):
    """Keywords of write()."""

    unit: str
    water: float | None
    deflate: int | None
    format: str | None
    number: str
    range: tuple[float, float] | None


_WRITE = {"unit": "auto", "number": "f32"}


def _write_options(options: WriteOptions) -> Any:
    given = completed(options, WriteOptions, _WRITE)
    o = _options(lib.gt_write_defaults, "gt_write_options *")
    o.unit, o.water = _unit(given["unit"]), given["water"] or 0
    if given["deflate"] is not None:
        o.deflate = given["deflate"]
    if given["format"] is not None:
        _lent[o] = [ffi.new("char[]", os.fsencode(given["format"]))]
        o.format = _lent[o][0]
    o.bits = (0, 16, 8)[_one_of("number", given["number"], ("f32", "u16", "u8"))]
    if given["range"] is not None:
        o.low, o.high = _range(given["range"], o.bits)
    return o


def _range(limits: Any, bits: int) -> tuple[float, float]:
    if bits == 0:
        raise ArgumentError("range: applies to integers alone, expected number='u16' or 'u8'")
    if not isinstance(limits, (tuple, list)) or len(limits) != 2:
        raise ArgumentError(f"range: {limits!r}, expected two numbers, the smaller one first")
    low, high = limits
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ArgumentError(f"range: {low:g} to {high:g}, expected two numbers, the smaller one first")
    return low, high


def check_room(path: Path, what: Projections | Volume | Scan | Grid | int, **options: Unpack[WriteOptions]) -> None:
    """Raises FileError if the disk has too little free space, with the bytes needed and available. Compressed sizes are unknown.

    Parameters
    ----------
    path : path
        The file to be written.
    what : Projections, Scan, Volume, Grid or int
        The data, their geometry, or a number of bytes.
    **options
        Options of write().

    Examples
    --------
    >>> gantry.check_room("v.nc", gantry.Grid((2, 3, 4), 1.0))
    """
    if isinstance(what, int):
        status = lib.gt_has_space(_name(path), what)
    elif isinstance(what, (Projections, Scan)):
        status = lib.gt_has_space_for_projections(_name(path), _write_options(options), (what if isinstance(what, Scan) else what.scan).c)
    elif isinstance(what, (Volume, Grid)):
        status = lib.gt_has_space_for_volume(_name(path), _write_options(options), (what if isinstance(what, Grid) else what.grid).c)
    else:
        raise ArgumentError(f"a {type(what).__name__}: expected projections, a Scan, a volume, a Grid or a number of bytes")
    check(status)


@keywords(WriteOptions, _WRITE)
def write(path: Path, what: Projections | Volume, **options: Unpack[WriteOptions]) -> None:
    """Writes a file under a temporary name and renames it, so that a failed call leaves no partial file.

    Parameters
    ----------
    path : path
        Its extension names the format. A path that ends with a slash is a new folder.
    what : Projections or Volume
        The data.
    unit : {"auto", "mm-1", "HU"}
        Unit of a volume.
    water : float, optional
        Attenuation of water for HU, mm^-1.
    deflate : int, optional
        Compression, 0 to 9.
    format : str, optional
        A name of formats() in place of the extension.
    number : {"f32", "u16", "u8"}
        Sample type of volumes as TIFF, .npy and .raw.
    range : (float, float), optional
        Values of the smallest and the largest integer, in the unit; by default the 0.1 and 99.9 percentiles.

    Examples
    --------
    >>> v = gantry.Volume(np.full((2, 3, 4), 0.02), gantry.Grid((2, 3, 4), 1.0))
    >>> gantry.write("v.nc", v)
    >>> gantry.write("v.tif", v, number="u16", range=(0, 0.05))
    """
    o = _write_options(options)
    if isinstance(what, Projections):
        check(lib.gt_write_projections(_name(path), o, what.c))
    elif isinstance(what, Volume):
        check(lib.gt_write_volume(_name(path), o, what.c))
    else:
        raise ArgumentError(f"a {type(what).__name__}: expected gantry.Projections or gantry.Volume, which know their scan or grid")
    settle()


def formats() -> dict[str, str]:
    """Returns the file formats, each with a line about it.

    Examples
    --------
    >>> "netcdf" in gantry.formats()
    True
    """
    found, i = {}, 0
    while lib.gt_formats[i] != ffi.NULL:
        found[text(lib.gt_formats[i].name)] = text(lib.gt_formats[i].about)
        i += 1
    return found
