"""Where a scan looks from and where the voxels are. Lengths in mm, angles in radians, right-handed, z along the rotation axis.

Shapes, pitches and centres go in the order of the arrays: (z, y, x) of volumes, (view, row, column) of projections.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._c import ffi, lib
from .errors import ArgumentError, check, text

SHAPES = ("flat", "arc", "parallel")
VECTORS = ("source", "detector", "column_axis", "row_axis", "arc_center")
# One view, as the library keeps it.
VIEW = np.dtype([(name, np.float64, 3) for name in VECTORS] + [("angle", np.float64)])
NUMBERS = ("column_pitch", "row_pitch", "column_center", "row_center", "source_to_detector", "source_to_axis", "pitch_per_turn")
Pair = float | Sequence[float]
Sizes = int | Sequence[int]


def _three(values: Any, what: str) -> list[Any]:
    """One value for each axis, x first as the library has them."""
    array = np.asarray(values)
    if array.shape not in ((), (3,)):
        raise ArgumentError(f"{what}: {values!r}, expected one number or three: z, y, x")
    return list(np.broadcast_to(array, 3)[::-1].tolist())


def _two(values: Any, what: str) -> list[Any]:
    array = np.asarray(values)
    if array.shape not in ((), (2,)):
        raise ArgumentError(f"{what}: {values!r}, expected one number or two: row, column")
    return list(np.broadcast_to(array, 2).tolist())


def _sizes(values: list[Any], what: str) -> list[int]:
    if any(int(v) != v or v < 0 for v in values):
        raise ArgumentError(f"{what}: {values}, expected whole numbers")
    return [int(v) for v in values]


class Grid:
    """The voxels of a volume [z][y][x]: shape, pitch (mm) and center (mm), each in the order z, y, x.

    >>> Grid((20, 128, 128), (2.5, 2, 2))
    Grid('128x128x20@2x2x2.5')
    """

    def __init__(self, shape: Sizes, pitch: Pair, center: Pair = (0, 0, 0)) -> None:
        n = _sizes(_three(shape, "shape"), "shape")
        self.c = ffi.new("gt_grid *", {"n": n, "pitch": _three(pitch, "pitch"), "center": _three(center, "center")})
        check(lib.gt_grid_check(self.c, ffi.NULL))

    @classmethod
    def from_c(cls, c: Any) -> Grid:
        """A copy of the library's."""
        return cls(list(c.n)[::-1], list(c.pitch)[::-1], list(c.center)[::-1])

    @classmethod
    def parse(cls, spec: str) -> Grid:
        """The command's text, "NXxNYxNZ@DXxDYxDZ+CX,CY,CZ": there x comes first."""
        c = ffi.new("gt_grid *")
        check(lib.gt_grid_parse(os.fsencode(spec), c))
        return cls.from_c(c)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Voxels along z, y, x."""
        nx, ny, nz = (int(v) for v in self.c.n)
        return nz, ny, nx

    @property
    def pitch(self) -> tuple[float, float, float]:
        """Distance of voxels along z, y, x, mm."""
        dx, dy, dz = (float(v) for v in self.c.pitch)
        return dz, dy, dx

    @property
    def center(self) -> tuple[float, float, float]:
        """The middle of the grid: z, y, x, mm."""
        x, y, z = (float(v) for v in self.c.center)
        return z, y, x

    def axis(self, name: str) -> NDArray[np.float64]:
        """The centres of the voxels along "x", "y" or "z", mm."""
        if name not in ("x", "y", "z"):
            raise ArgumentError(f"axis {name!r}: expected 'x', 'y' or 'z'")
        a = "xyz".index(name)
        return np.asarray(lib.gt_grid_first(self.c, a) + self.c.pitch[a] * np.arange(self.c.n[a]), np.float64)

    def __str__(self) -> str:
        out = ffi.new("char[256]")
        lib.gt_grid_print(self.c, out, 256)
        return text(out)

    def __repr__(self) -> str:
        return f"Grid('{self}')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grid) and bool(lib.gt_grid_same(self.c, other.c))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Grid, (self.shape, self.pitch, self.center)


class _Table(np.ndarray[Any, np.dtype[Any]]):
    """The views of a scan, which it keeps alive."""

    scan: Any = None

    def __array_finalize__(self, other: Any) -> None:
        self.scan = getattr(other, "scan", None)


class Scan:
    """Where each view looks from: made by circular(), helical(), parallel(), from_views(), from_matrices(), or read from a file."""

    column_pitch: float
    row_pitch: float
    column_center: float
    row_center: float
    source_to_detector: float
    source_to_axis: float
    pitch_per_turn: float

    def __init__(self, c: Any, owner: object = None) -> None:
        self.c = ffi.gc(c, lib.gt_scan_free) if owner is None else c
        self._owner = owner
        self.check()

    def check(self) -> Scan:
        """Refuses a table of views that cannot be, naming field and view; else returns the scan itself."""
        check(lib.gt_scan_check(self.c))
        return self

    @property
    def detector(self) -> str:
        """The detector's form: "flat", "arc" or "parallel"."""
        return SHAPES[self.c.shape]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Views, rows, columns: the shape of the projections."""
        return int(self.c.views), int(self.c.rows), int(self.c.columns)

    def __len__(self) -> int:
        return int(self.c.views)

    @property
    def views(self) -> NDArray[Any]:
        """The table itself, a structured array [views] with x, y, z of each vector. What is written to it changes the scan: call check()."""
        memory = ffi.buffer(self.c.view, len(self) * VIEW.itemsize)
        table = np.frombuffer(memory, VIEW).view(_Table)
        table.scan = self
        return table

    @property
    def is_helical(self) -> bool:
        """Whether the source moves along z from view to view."""
        return bool(lib.gt_scan_is_helical(self.c))

    @property
    def angular_range(self) -> float:
        """What all views cover, radians; nan where angles are not known."""
        return float(lib.gt_scan_angular_range(self.c))

    @property
    def field_of_view(self) -> tuple[float, float, float]:
        """Radius around the axis that is measured, and the lowest and highest z of the rows at the axis, mm."""
        z = ffi.new("double[2]")
        radius = lib.gt_scan_field_of_view(self.c, z, z + 1)
        return float(radius), float(z[0]), float(z[1])

    def grid(self) -> Grid:
        """The grid that a reconstruction takes where none is asked for."""
        c = ffi.new("gt_grid *")
        check(lib.gt_recon_default_grid(self.c, c, ffi.NULL, ffi.NULL))
        return Grid.from_c(c)

    def matrices(self) -> NDArray[np.float64]:
        """3x4 matrices [views][3][4]: (column w, row w, w) = M (x, y, z, 1). Flat detectors alone."""
        m = np.empty((len(self), 3, 4))
        for v in range(len(self)):
            check(lib.gt_matrix_from_view(self.c, v, ffi.from_buffer("double[]", m[v])))
        return m

    def subset(self, first: int, stride: int) -> Scan:
        """Views first, first + stride, ...: one ordered subset."""
        return made(lambda out: lib.gt_scan_subset(self.c, first, stride, out))

    def run(self, first: int, end: int) -> Scan:
        """Views first ... end - 1."""
        if not 0 <= first < end <= len(self):
            raise ArgumentError(f"views {first} to {end}: expected some of the {len(self)} of the scan")
        numbers = {name: getattr(self, name) for name in NUMBERS}
        return _from_table(self.detector, (end - first, *self.shape[1:]), numbers, np.array(self.views[first:end]).tobytes())

    def copy(self) -> Scan:
        """A scan of its own."""
        return made(lambda out: lib.gt_scan_clone(self.c, out))

    def __getattr__(self, name: str) -> float:
        if name in NUMBERS:
            return float(getattr(self.c, name))
        raise AttributeError(f"a Scan has no {name!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scan) and self.shape == other.shape and lib.gt_scan_hash(self.c) == lib.gt_scan_hash(other.c)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        views, rows, columns = self.shape
        pitch = f"{self.row_pitch:g} x {self.column_pitch:g} mm"
        return f"<gantry.Scan {self.detector}: {views} views of {rows} rows x {columns} columns, pitch {pitch}>"

    def __reduce__(self) -> tuple[Any, ...]:
        numbers = {name: getattr(self, name) for name in NUMBERS}
        return _from_table, (self.detector, self.shape, numbers, np.array(self.views).tobytes())


def made(make: Any) -> Scan:
    """The scan that a function of the library gives out."""
    out = ffi.new("gt_scan **")
    check(make(out))
    return Scan(out[0])


def _empty(detector: str, shape: tuple[int, int, int]) -> Any:
    if detector not in SHAPES:
        raise ArgumentError(f"detector {detector!r}: expected one of {', '.join(SHAPES)}")
    out = ffi.new("gt_scan **")
    check(lib.gt_scan_new(SHAPES.index(detector), *shape, out))
    return ffi.gc(out[0], lib.gt_scan_free)


def _table(c: Any) -> NDArray[Any]:
    return np.frombuffer(ffi.buffer(c.view, c.views * VIEW.itemsize), VIEW)


def _from_table(detector: str, shape: tuple[int, int, int], numbers: dict[str, float], table: bytes) -> Scan:
    c = _empty(detector, shape)
    for name, value in numbers.items():
        setattr(c, name, value)
    _table(c)[:] = np.frombuffer(table, VIEW)
    return Scan(c, c)


def _orbit(detector: str, views: int, shape: Any, pitch: Any, offset: Any, numbers: dict[str, float]) -> Scan:
    if detector not in SHAPES:
        raise ArgumentError(f"detector {detector!r}: expected one of {', '.join(SHAPES)}")
    rows, columns = _sizes(_two(shape, "shape"), "shape")
    row_pitch, column_pitch = _two(pitch, "pitch")
    row_offset, column_offset = _two(offset, "offset")
    (count,) = _sizes([views], "views")
    orbit = ffi.new("gt_orbit *", {"shape": SHAPES.index(detector), "views": count, "rows": rows, "columns": columns,
                                   "row_pitch": row_pitch, "column_pitch": column_pitch, "row_offset": row_offset,
                                   "column_offset": column_offset, **numbers})
    return made(lambda out: lib.gt_scan_orbit(orbit, out))


def circular(views: int, shape: Sizes, pitch: Pair, source_to_axis: float, source_to_detector: float, *, detector: str = "flat",
             offset: Pair = 0.0, start_angle: float = 0.0, turn: float = 2 * np.pi, end_view: bool = False) -> Scan:
    """A circle around z of cone beams. shape: (rows, columns); pitch: of the pixels at the detector, mm, one or (row, column);
    offset: of the detector's middle, pixels, one or (row, column); end_view: the last view is at start_angle + turn.

    >>> circular(360, (64, 256), 1.0, source_to_axis=500, source_to_detector=1000)
    <gantry.Scan flat: 360 views of 64 rows x 256 columns, pitch 1 x 1 mm>
    """
    return _orbit(detector, views, shape, pitch, offset,
                  {"source_to_axis": source_to_axis, "source_to_detector": source_to_detector, "start_angle": start_angle,
                   "turn": turn, "end_view": int(end_view)})


def helical(views: int, turns: float, table_feed: float, shape: Sizes, pitch: Pair, source_to_axis: float, source_to_detector: float,
            *, detector: str = "arc", offset: Pair = 0.0, start_angle: float = 0.0, z_center: float = 0.0) -> Scan:
    """A helix of so many views in all; table_feed: mm of z per turn; the middle of all views is at z_center."""
    return _orbit(detector, views, shape, pitch, offset,
                  {"source_to_axis": source_to_axis, "source_to_detector": source_to_detector, "start_angle": start_angle,
                   "turn": 2 * np.pi * turns, "pitch_per_turn": table_feed, "z_center": z_center})


def parallel(angles: ArrayLike, shape: Sizes, pitch: Pair, *, offset: Pair = 0.0) -> Scan:
    """Parallel beams at these gantry angles (radians), in any order."""
    theta = np.asarray(angles, np.float64)
    if theta.ndim != 1:
        raise ArgumentError(f"angles: shape {theta.shape}, expected one number per view")
    scan = _orbit("parallel", theta.size, shape, pitch, offset, {"turn": 2 * np.pi})
    table, zero = scan.views, np.zeros_like(theta)
    away = float(np.linalg.norm(table["source"][0])) if theta.size else 0.0
    table["source"] = away * np.stack([-np.sin(theta), np.cos(theta), zero], 1)
    table["detector"] = -table["source"]
    table["column_axis"] = np.stack([np.cos(theta), np.sin(theta), zero], 1)
    table["angle"] = theta
    return scan.check()


def from_views(source: ArrayLike, detector: ArrayLike, column_axis: ArrayLike, row_axis: ArrayLike, shape: Sizes, pitch: Pair, *,
               kind: str = "flat", center: Pair | None = None, angle: ArrayLike | None = None, arc_center: ArrayLike | None = None,
               source_to_detector: float = 0.0, source_to_axis: float = 0.0, pitch_per_turn: float = 0.0) -> Scan:
    """Any orbit, by arrays [views][3] of x, y, z in mm. `detector` is the point of the detector at the index `center` (row, column),
    by default its middle; the axes are unit vectors along which row and column indices grow. kind: "flat", "arc" or "parallel"."""
    given = {"source": source, "detector": detector, "column_axis": column_axis, "row_axis": row_axis,
             "arc_center": source if arc_center is None else arc_center}
    vectors = {name: np.asarray(values, np.float64) for name, values in given.items()}
    views = len(vectors["source"]) if vectors["source"].ndim else 0
    for name, values in vectors.items():
        if values.shape != (views, 3):
            raise ArgumentError(f"{name}: shape {values.shape}, expected ({views}, 3): x, y, z of each view")
    rows, columns = _sizes(_two(shape, "shape"), "shape")
    c = _empty(kind, (views, rows, columns))
    c.row_pitch, c.column_pitch = _two(pitch, "pitch")
    c.row_center, c.column_center = _two([(rows - 1) / 2, (columns - 1) / 2] if center is None else center, "center")
    c.source_to_detector, c.source_to_axis, c.pitch_per_turn = source_to_detector, source_to_axis, pitch_per_turn
    table = _table(c)
    for name, values in vectors.items():
        table[name] = values
    table["angle"] = np.nan if angle is None else angle
    return Scan(c, c)


def from_matrices(matrices: ArrayLike, shape: Sizes, source_to_detector: float) -> Scan:
    """Flat detectors by 3x4 matrices [views][3][4] of any scale and sign, as Scan.matrices() gives them; source_to_detector, mm,
    says how large the pixels are, which a matrix does not."""
    m = np.ascontiguousarray(matrices, np.float64)
    if m.ndim != 3 or m.shape[1:] != (3, 4):
        raise ArgumentError(f"matrices: shape {m.shape}, expected (views, 3, 4)")
    rows, columns = _sizes(_two(shape, "shape"), "shape")
    c = ffi.cast("double (*)[12]", m.__array_interface__["data"][0])
    return made(lambda out: lib.gt_scan_from_matrices(c, len(m), rows, columns, source_to_detector, out))


def scanners() -> dict[str, str]:
    """The scanners that scanner() knows, each with a line about it."""
    found, i = {}, 0
    while lib.gt_scanners[i].name != ffi.NULL:
        found[text(lib.gt_scanners[i].name)] = text(lib.gt_scanners[i].about)
        i += 1
    return found


def scanner(name: str, reduce: int = 1) -> Scan:
    """A scan of a scanner by its name. reduce: fewer views, rows and columns, and larger pixels, by this factor."""
    found = lib.gt_scanner_find(os.fsencode(name))
    if found == ffi.NULL:
        raise ArgumentError(f"scanner {name!r}: expected one of {', '.join(scanners())}")
    orbit = ffi.new("gt_orbit *", found.orbit)
    lib.gt_orbit_reduce(orbit, reduce)
    return made(lambda out: lib.gt_scan_orbit(orbit, out))
