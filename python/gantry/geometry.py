"""Geometry of scans and grids. Lengths in mm, angles in radians, right-handed axes, z along the axis of rotation.

Shapes, pitches and centres go in the order of the arrays: (z, y, x) of volumes, (view, row, column) of projections.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._c import ffi, lib
from .arguments import expect, real, reals
from .errors import ArgumentError, check, text

SHAPES = ("flat", "arc", "parallel")
VECTORS = ("source", "detector", "column_axis", "row_axis", "arc_center")
# Memory layout of a view in the library.
VIEW = np.dtype([(name, np.float64, 3) for name in VECTORS] + [("angle", np.float64)])
NUMBERS = ("column_pitch", "row_pitch", "column_center", "row_center", "source_to_detector", "source_to_axis", "pitch_per_turn")
Pair = float | Sequence[float]
Sizes = int | Sequence[int]


def three(values: Any, what: str) -> list[float]:
    """Returns one value per axis, x first as in the library."""
    array = reals(values, what)
    if array.shape not in ((), (3,)):
        raise ArgumentError(f"{what}: {values!r}, expected one number or three: z, y, x")
    return [float(v) for v in np.broadcast_to(array, 3)[::-1]]


def two(values: Any, what: str) -> list[float]:
    """Returns one value for the rows and one for the columns."""
    array = reals(values, what)
    if array.shape not in ((), (2,)):
        raise ArgumentError(f"{what}: {values!r}, expected one number or two: row, column")
    return [float(v) for v in np.broadcast_to(array, 2)]


def sizes(values: list[float], what: str) -> list[int]:
    """Returns integers, and refuses negative ones."""
    if any(not np.isfinite(v) or int(v) != v or v < 0 for v in values):
        raise ArgumentError(f"{what}: {', '.join(f'{v:g}' for v in values)}, expected whole numbers")
    return [int(v) for v in values]


class Grid:
    """The voxels of a volume [z][y][x].

    Parameters
    ----------
    shape : int or (int, int, int)
        Voxels along z, y, x.
    pitch : float or (float, float, float)
        Voxel size along z, y, x, mm.
    center : (float, float, float)
        Centre of the grid, z, y, x, mm.

    Examples
    --------
    >>> gantry.Grid((20, 128, 128), (2.5, 2, 2))
    Grid('128x128x20@2x2x2.5')
    >>> gantry.Grid(64, 1.0).axis("x")[:3]
    array([-31.5, -30.5, -29.5])
    """

    def __init__(self, shape: Sizes, pitch: Pair, center: Pair = (0, 0, 0)) -> None:
        n = sizes(three(shape, "shape"), "shape")
        self.c = ffi.new("gt_grid *", {"n": n, "pitch": three(pitch, "pitch"), "center": three(center, "center")})
        check(lib.gt_grid_check(self.c, ffi.NULL))

    @classmethod
    def from_c(cls, c: Any) -> Grid:
        """Returns a copy of a grid of the library."""
        return cls(list(c.n)[::-1], list(c.pitch)[::-1], list(c.center)[::-1])

    @classmethod
    def parse(cls, spec: str) -> Grid:
        """Makes a grid from the text of the command, "NXxNYxNZ@DXxDYxDZ+CX,CY,CZ" in mm, x first.

        Examples
        --------
        >>> gantry.Grid.parse("128x128x20@2x2x2.5").shape
        (20, 128, 128)
        """
        expect(spec, str, "spec", 'a text as "128x128x20@2x2x2.5"')
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
        """Voxel size along z, y, x, mm."""
        dx, dy, dz = (float(v) for v in self.c.pitch)
        return dz, dy, dx

    @property
    def center(self) -> tuple[float, float, float]:
        """The centre of the grid, z, y, x, mm."""
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
    """The views of a scan. The table keeps the scan alive."""

    scan: Any = None

    def __array_finalize__(self, other: Any) -> None:
        self.scan = getattr(other, "scan", None)


class Scan:
    """The geometry of each view: positions of source and detector (mm), and the pixels.

    Scans come from circular(), helical(), parallel(), from_views(), from_matrices() and files.

    Attributes
    ----------
    column_pitch, row_pitch : float
        Pixel pitch at the detector, mm.
    column_center, row_center : float
        Pixel index of the detector point of each view.
    source_to_detector, source_to_axis, pitch_per_turn : float
        Nominal distances and table feed per rotation, mm; 0: unknown.

    Examples
    --------
    >>> scan = gantry.circular(360, (64, 256), 1.0, source_to_axis=500, source_to_detector=1000)
    >>> scan.shape, scan.detector, scan.is_helical
    ((360, 64, 256), 'flat', False)
    >>> scan.views["source"][0].tolist()
    [-0.0, 500.0, 0.0]
    """

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
        """Refuses an invalid table of views, with field and view; else returns the scan."""
        check(lib.gt_scan_check(self.c))
        return self

    @property
    def detector(self) -> str:
        """The shape of the detector: "flat", "arc" or "parallel"."""
        return SHAPES[self.c.shape]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Views, rows, columns: the shape of the projections."""
        return int(self.c.views), int(self.c.rows), int(self.c.columns)

    def __len__(self) -> int:
        return int(self.c.views)

    @property
    def views(self) -> NDArray[Any]:
        """Table of the views: a structured array [views] with x, y, z of each vector. Call check() after changes."""
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
        """The angular range of all views, radians; nan if angles are unknown."""
        return float(lib.gt_scan_angular_range(self.c))

    @property
    def field_of_view(self) -> tuple[float, float, float]:
        """Radius of the field of view, and lowest and highest z of the rows at the axis, mm."""
        z = ffi.new("double[2]")
        radius = lib.gt_scan_field_of_view(self.c, z, z + 1)
        return float(radius), float(z[0]), float(z[1])

    def grid(self) -> Grid:
        """Returns the grid of a reconstruction that states none.

        Examples
        --------
        >>> gantry.parallel(np.arange(100) * np.pi / 100, (1, 64), 1.0).grid().shape
        (1, 64, 64)
        """
        c = ffi.new("gt_grid *")
        check(lib.gt_recon_default_grid(self.c, c, ffi.NULL, ffi.NULL))
        return Grid.from_c(c)

    def matrices(self) -> NDArray[np.float64]:
        """Returns 3x4 matrices [views][3][4] of flat detectors: (column w, row w, w) = M (x, y, z, 1)."""
        m = np.empty((len(self), 3, 4))
        for v in range(len(self)):
            check(lib.gt_matrix_from_view(self.c, v, ffi.from_buffer("double[]", m[v])))
        return m

    def subset(self, first: int, stride: int) -> Scan:
        """Returns the scan of the views first, first + stride, ...: one ordered subset.

        Examples
        --------
        >>> len(gantry.circular(90, 8, 1.0, 100, 200).subset(0, 3))
        30
        """
        first, stride = sizes([real(first, "first"), real(stride, "stride")], "first, stride")
        return made(lambda out: lib.gt_scan_subset(self.c, first, stride, out))

    def run(self, first: int, end: int) -> Scan:
        """Returns the scan of the views first to end - 1."""
        first, end = sizes([real(first, "first"), real(end, "end")], "first, end")
        if not 0 <= first < end <= len(self):
            raise ArgumentError(f"views {first} to {end}: expected a part of the {len(self)} views of the scan")
        numbers = {name: getattr(self, name) for name in NUMBERS}
        return from_table(self.detector, (end - first, *self.shape[1:]), numbers, np.array(self.views[first:end]).tobytes())

    def copy(self) -> Scan:
        """Returns an independent copy."""
        return made(lambda out: lib.gt_scan_clone(self.c, out))

    def __getattr__(self, name: str) -> float:
        if name in NUMBERS:
            return float(getattr(self.c, name))
        raise AttributeError(f"a Scan has no {name!r}")

    def difference(self, other: Scan) -> str:
        """Describes the first property in which two scans differ by more than 1e-4 pixels; "" without one."""
        expect(other, Scan, "other", "a gantry.Scan")
        return _difference(self, other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scan) and self.shape == other.shape and lib.gt_scan_hash(self.c) == lib.gt_scan_hash(other.c)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        views, rows, columns = self.shape
        pitch = f"{self.row_pitch:g} x {self.column_pitch:g} mm"
        return f"<gantry.Scan {self.detector}: {views} views of {rows} rows x {columns} columns, pitch {pitch}>"

    def __reduce__(self) -> tuple[Any, ...]:
        numbers = {name: getattr(self, name) for name in NUMBERS}
        return from_table, (self.detector, self.shape, numbers, np.array(self.views).tobytes())


def _rays(scan: Scan) -> dict[str, NDArray[np.float64]]:
    """Positions (mm) and directions of each view that determine its rays."""
    t = scan.views
    columns, rows = t["column_axis"], t["row_axis"]
    if scan.detector == "arc":
        return {"source": t["source"], "detector": t["detector"], "arc_center": t["arc_center"], "column_axis": columns, "row_axis": rows}
    first = t["detector"] - scan.column_center * scan.column_pitch * columns - scan.row_center * scan.row_pitch * rows
    if scan.detector == "flat":
        return {"source": t["source"], "detector": first, "column_axis": columns, "row_axis": rows}
    along = t["detector"] - t["source"]
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return {"direction": along, "detector": first - along * np.sum(first * along, axis=1, keepdims=True), "column_axis": columns, "row_axis": rows}


def _difference(a: Scan, b: Scan) -> str:
    if a == b:
        return ""
    for name in ("detector", "shape"):
        if getattr(a, name) != getattr(b, name):
            return f"{name} {getattr(a, name)} and {getattr(b, name)}"
    for name in ("column_pitch", "row_pitch"):
        if abs(getattr(a, name) - getattr(b, name)) > 1e-4 / max(a.shape) * getattr(b, name):
            return f"{name} {getattr(a, name):g} mm and {getattr(b, name):g} mm"
    for name in ("column_center", "row_center") if a.detector == "arc" else ():
        if abs(getattr(a, name) - getattr(b, name)) > 1e-4:
            return f"{name} {getattr(a, name):g} and {getattr(b, name):g} pixels"
    pixel, here, there = 1e-4 * min(b.column_pitch, b.row_pitch), _rays(a), _rays(b)
    for name, one in here.items():
        is_length = name in ("source", "detector", "arc_center")
        away = np.abs(one - there[name]).max(axis=1)
        view = int(np.argmax(away))
        if away[view] > (pixel if is_length else 1e-4 / max(a.shape[1:])):
            values = " and ".join("(" + ", ".join(f"{v:.6g}" for v in rays[name][view]) + ")" for rays in (here, there))
            return f"{name} of view {view} {values}{' mm' if is_length else ''}"
    return ""


def same(what: str, found: Grid | Scan, expected: Grid | Scan, whose: str) -> None:
    """Refuses a grid or a scan that differs from the expected one, with both."""
    if found is expected:
        return
    if isinstance(found, Grid):
        if found != expected:
            raise ArgumentError(f"{what}: a volume on the grid {found}, expected {expected}: the grid of {whose}; "
                                ".data is the array without its grid")
    elif isinstance(expected, Scan):
        difference = found.difference(expected)
        if difference:
            raise ArgumentError(f"{what}: projections of another scan than {whose}: {difference}; .data is the array without its scan")


def made(make: Any) -> Scan:
    """Wraps the scan that a function of the library returns."""
    out = ffi.new("gt_scan **")
    check(make(out))
    return Scan(out[0])


def empty(detector: str, shape: tuple[int, int, int]) -> Any:
    if detector not in SHAPES:
        raise ArgumentError(f"detector {detector!r}: expected one of {', '.join(SHAPES)}")
    out = ffi.new("gt_scan **")
    check(lib.gt_scan_new(SHAPES.index(detector), *shape, out))
    return ffi.gc(out[0], lib.gt_scan_free)


def table_of(c: Any) -> NDArray[Any]:
    return np.frombuffer(ffi.buffer(c.view, c.views * VIEW.itemsize), VIEW)


def from_table(detector: str, shape: tuple[int, int, int], numbers: dict[str, float], table: bytes) -> Scan:
    c = empty(detector, shape)
    for name, value in numbers.items():
        setattr(c, name, value)
    table_of(c)[:] = np.frombuffer(table, VIEW)
    return Scan(c, c)
