"""Projections and volumes: arrays with metadata."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import DTypeLike

from ._c import ffi, lib
from .arguments import expect, real
from .backend import Array, as_array, borrowed, check_shape, host_array, pointer
from .errors import ArgumentError, check, text
from .geometry import Grid, Scan, same

POSITIONS = ("HFS", "HFP", "FFS", "FFP")
UNITS = ("mm-1", "HU", "auto")


def position_index(position: str) -> int:
    """Returns the library's code of a patient position."""
    if position not in POSITIONS:
        raise ArgumentError(f"position {position!r}: expected one of {', '.join(POSITIONS)}")
    return POSITIONS.index(position)


class Provenance:
    """The command line and the parameters that made the data; "" if unknown."""

    def __init__(self, c: Any) -> None:
        self.command, self.parameters = text(c.command), text(c.parameters)

    def __repr__(self) -> str:
        return f"Provenance(command={self.command!r}, parameters={self.parameters!r})"


class _Labelled(NDArrayOperatorsMixin):
    """The array interface of volumes and projections: shape, dtype, indexing, arithmetic. Results are plain arrays.

    Arithmetic of two volumes, or of two projections, needs one grid or scan.
    """

    data: Any
    __hash__ = None  # type: ignore[assignment]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Slices, rows and columns of the array."""
        n, rows, columns = self._space.shape
        return n, rows, columns

    @property
    def dtype(self) -> np.dtype[np.float32]:
        """The type of the array: float32."""
        return np.dtype(np.float32)

    @property
    def ndim(self) -> int:
        """3."""
        return 3

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape))

    @property
    def _space(self) -> Grid | Scan:
        raise NotImplementedError

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        return self.data[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.data[index] = value

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return as_array(self.data, dtype, copy)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = (), **keywords: Any) -> Any:
        labelled = [x for x in (*inputs, *out) if isinstance(x, _Labelled)]
        for other in labelled[1:]:
            if type(other) is type(labelled[0]):
                same(ufunc.__name__, other._space, labelled[0]._space, "the first operand")
        given = [x.data if isinstance(x, _Labelled) else x for x in inputs]
        if out:
            keywords["out"] = tuple(x.data if isinstance(x, _Labelled) else x for x in out)
        found = getattr(ufunc, method)(*given, **keywords)
        return out[0] if len(out) == 1 else found


class Projections(_Labelled):
    """Line integrals [view][row][column] with their scan, weights and photons.

    Projections behave as an array: shape, dtype, indexing and arithmetic.

    Parameters
    ----------
    data : array_like
        Line integrals, dimensionless. C-contiguous float32 is not copied.
    scan : Scan
        The geometry.
    weights : array_like, optional
        Statistical weights of each pixel; copied.
    photons : array_like, optional
        Photons of each pixel without an object; copied.
    water : float
        Attenuation of water that the scanner states, mm^-1; 0: unknown.
    position : {"HFS", "HFP", "FFS", "FFP"}, optional
        Patient position.

    Examples
    --------
    >>> scan = gantry.circular(30, (8, 32), 4.0, source_to_axis=300, source_to_detector=600)
    >>> p = gantry.Projections(np.zeros(scan.shape), scan)
    >>> p.shape, p.dtype, p[3:5, 0].shape
    ((30, 8, 32), dtype('float32'), (2, 32))
    """

    def __init__(self, data: Any, scan: Scan, *, weights: Any = None, photons: Any = None, water: float = 0.0, position: str | None = None) -> None:
        expect(scan, Scan, "scan", "a gantry.Scan")
        array = host_array(data, np.float32, "data")
        check_shape("data", array.shape, scan.shape, "[view][row][column]")
        out = ffi.new("gt_projections **")
        check(lib.gt_projections_wrap(scan.c, pointer(array), ffi.NULL, ffi.NULL, out))
        self._keep(out[0], array)
        for what, values, give in (("weights", weights, lib.gt_projections_set_weights), ("photons", photons, lib.gt_projections_set_photons)):
            if values is not None:
                given = host_array(values, np.float32, what)
                check_shape(what, given.shape, scan.shape, "[view][row][column]")
                check(give(self.c, pointer(given)))
        check(lib.gt_projections_set_water(self.c, real(water, "water")))
        if position is not None:
            check(lib.gt_projections_set_position(self.c, position_index(position)))

    @classmethod
    def from_c(cls, c: Any) -> Projections:
        """Takes ownership of a handle of the library."""
        p = cls.__new__(cls)
        p._keep(c, None)
        return p

    def _keep(self, c: Any, array: Array | None) -> None:
        self.c = ffi.gc(c, lib.gt_projections_free)
        self.scan = Scan(lib.gt_projections_scan(self.c), owner=self.c)
        self._data = borrowed(lib.gt_projections_data(self.c), self.scan.shape, self.c) if array is None else array

    @property
    def data(self) -> Array:
        """Line integrals [view][row][column]. The array can be changed."""
        if self._data is None:
            raise ArgumentError("projections: found a geometry without data")
        return self._data

    @property
    def _space(self) -> Scan:
        return self.scan

    @property
    def has_data(self) -> bool:
        """Whether there are line integrals in addition to the geometry."""
        return self._data is not None

    @property
    def weights(self) -> Array | None:
        """Statistical weights [view][row][column], or None."""
        return borrowed(lib.gt_projections_weights(self.c), self.scan.shape, self.c, writeable=False)

    @property
    def photons(self) -> Array | None:
        """Photons of each pixel without an object (I0), or None if unknown."""
        return borrowed(lib.gt_projections_photons(self.c), self.scan.shape, self.c, writeable=False)

    @property
    def filtered(self) -> bool:
        """Whether the file states that the projections are already weighted and filtered."""
        return bool(lib.gt_projections_filtered(self.c))

    @property
    def water(self) -> float:
        """Attenuation of water that the scanner states, mm^-1; 0: unknown."""
        return float(lib.gt_projections_water(self.c))

    @property
    def position(self) -> str:
        """Patient position: "HFS", "HFP", "FFS" or "FFP"."""
        return POSITIONS[lib.gt_projections_position(self.c)]

    @property
    def provenance(self) -> Provenance:
        """The command and the parameters that made the projections."""
        return Provenance(lib.gt_projections_provenance(self.c))

    def __repr__(self) -> str:
        return f"<gantry.Projections {self.scan.shape} of {self.scan!r}>"

    def to_xarray(self) -> Any:
        """Returns a DataArray of xarray over the same memory, with axes view, row, column and the angles in radians."""
        xarray = _xarray()
        return xarray.DataArray(self.data, dims=("view", "row", "column"), coords={"angle": ("view", self.scan.views["angle"], {"units": "rad"})},
                                name="line_integral", attrs={"position": self.position})

    def _repr_html_(self) -> str:
        from .pictures import as_html

        return as_html(self)

    def __reduce__(self) -> tuple[Any, ...]:
        copied = [None if a is None else np.array(a) for a in (self.weights, self.photons)]
        return _projections_again, (np.array(self.data), self.scan.copy(), *copied, self.water,
                                    self.position if lib.gt_projections_position_known(self.c) else None)


def _projections_again(data: Array, scan: Scan, weights: Array | None, photons: Array | None, water: float, position: str | None) -> Projections:
    return Projections(data, scan, weights=weights, photons=photons, water=water, position=position)


def values_of(values: Any, space: Grid | Scan, what: str, whose: str) -> Any:
    """Returns the array of a Volume or Projections with the expected grid or scan, and other values unchanged."""
    if isinstance(values, (Volume, Projections)):
        found = values.grid if isinstance(values, Volume) else values.scan
        if type(found) is not type(space):
            raise ArgumentError(f"{what}: a gantry.{type(values).__name__}, expected {'a volume' if isinstance(space, Grid) else 'projections'}")
        same(what, found, space, whose)
        return values.data
    return values


def _xarray() -> Any:
    try:
        import xarray
    except ImportError as missing:
        raise ImportError("to_xarray() needs xarray: pip install 'gantry-ct[all]', or xarray alone") from missing
    return xarray


def _middles(n: int, step: float, middle: float) -> Array:
    return (np.arange(n) - 0.5 * (n - 1)) * step + middle


class Volume(_Labelled):
    """Voxels [z][y][x] in mm^-1 on a grid.

    A volume behaves as an array: shape, dtype, indexing and arithmetic.

    Parameters
    ----------
    data : array_like
        Attenuation, mm^-1. C-contiguous float32 is not copied.
    grid : Grid
        The voxels.
    water : float, optional
        Attenuation of water for HU, mm^-1; the default of the library if not given.
    position : {"HFS", "HFP", "FFS", "FFP"}, optional
        Patient position.

    Attributes
    ----------
    result : Outcome or None
        How a reconstruction went.

    Examples
    --------
    >>> v = gantry.Volume(np.full((2, 3, 4), 0.03), gantry.Grid((2, 3, 4), 1.0), water=0.02)
    >>> v.shape, v[0, 1, 2], float(v.hu.mean().round())
    ((2, 3, 4), np.float32(0.03), 500.0)
    >>> (v - v).max()
    np.float32(0.0)
    """

    def __init__(self, data: Any, grid: Grid, *, water: float | None = None, position: str | None = None) -> None:
        expect(grid, Grid, "grid", "a gantry.Grid")
        array = host_array(data, np.float32, "data")
        check_shape("data", array.shape, grid.shape, "[z][y][x]")
        out = ffi.new("gt_volume **")
        check(lib.gt_volume_wrap(grid.c, pointer(array), ffi.NULL, ffi.NULL, out))
        self._keep(out[0], array)
        if water is not None:
            check(lib.gt_volume_set_water(self.c, real(water, "water")))
        if position is not None:
            check(lib.gt_volume_set_position(self.c, position_index(position)))

    @classmethod
    def from_c(cls, c: Any) -> Volume:
        """Takes ownership of a handle of the library."""
        v = cls.__new__(cls)
        v._keep(c, None)
        return v

    def _keep(self, c: Any, array: Array | None) -> None:
        self.c = ffi.gc(c, lib.gt_volume_free)
        self.grid = Grid.from_c(lib.gt_volume_grid(self.c))
        found = borrowed(lib.gt_volume_data(self.c), self.grid.shape, self.c) if array is None else array
        if found is None:
            raise ArgumentError("a volume without voxels")
        self.data: Array = found
        self.result: Any = None

    @property
    def _space(self) -> Grid:
        return self.grid

    @property
    def hu(self) -> Array:
        """A copy in Hounsfield units."""
        water = np.float32(self.water or lib.gt_phantom_defaults.water)
        return np.asarray((self.data - water) * (np.float32(1000) / water))

    @property
    def water(self) -> float:
        """Attenuation of water for HU, mm^-1."""
        return float(lib.gt_volume_water(self.c))

    @property
    def position(self) -> str:
        """Patient position: "HFS", "HFP", "FFS" or "FFP"."""
        return POSITIONS[lib.gt_volume_position(self.c)]

    @property
    def provenance(self) -> Provenance:
        """The command and the parameters that made the volume."""
        return Provenance(lib.gt_volume_provenance(self.c))

    def __repr__(self) -> str:
        return f"<gantry.Volume {self.grid.shape} in mm^-1 on {self.grid!r}>"

    def to_xarray(self) -> Any:
        """Returns a DataArray of xarray over the same memory, with axes z, y, x in mm, unit and water."""
        xarray = _xarray()
        axes = [(name, _middles(n, step, middle), {"units": "mm"})
                for name, n, step, middle in zip("zyx", self.grid.shape, self.grid.pitch, self.grid.center)]
        return xarray.DataArray(self.data, coords=axes, name="attenuation", attrs={"units": "mm-1", "water": self.water, "position": self.position})

    def _repr_html_(self) -> str:
        from .pictures import as_html

        return as_html(self)

    def __reduce__(self) -> tuple[Any, ...]:
        known = self.position if lib.gt_volume_position_known(self.c) else None
        return _volume_again, (np.array(self.data), self.grid, self.water, known), {"result": self.result}


def _volume_again(data: Array, grid: Grid, water: float, position: str | None) -> Volume:
    return Volume(data, grid, water=water, position=position)
