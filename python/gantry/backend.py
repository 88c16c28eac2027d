"""Devices, and arrays that the library uses without a copy."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from ._c import ffi, lib
from .arguments import kind_of, refuse_gradients, refuse_mask
from .errors import ArgumentError, check, text

if TYPE_CHECKING:  # `import numpy` does not load numpy.typing
    from numpy.typing import DTypeLike, NDArray

    Array = NDArray[Any]
else:
    Array = np.ndarray
TYPES = {np.dtype(np.float32): int(lib.GT_F32), np.dtype(np.float64): int(lib.GT_F64)}
HOST_DEVICES = (1, 3)  # DLPack: host memory, and host memory pinned by CUDA


class Backend:
    """One device with one queue. Python threads may share it; a lock serialises its use.

    Parameters
    ----------
    name : str
        "cpu", "cpu:8" (threads), "cuda", "cuda:1", or "auto".

    Examples
    --------
    >>> gantry.Backend("cpu:2").name
    'cpu:2'
    """

    def __init__(self, name: str = "auto") -> None:
        out = ffi.new("gt_backend **")
        check(lib.gt_backend_open(os.fsencode(name), out))
        self.c = ffi.gc(out[0], lib.gt_backend_close)
        lib.gt_backend_poll(self.c, lib.gt_py_interrupted, ffi.NULL)
        self.name = text(lib.gt_backend_name(self.c))
        self.about = text(lib.gt_backend_describe(self.c))
        self.is_gpu = bool(lib.gt_backend_is_gpu(self.c))

    def __repr__(self) -> str:
        return f"<gantry.Backend {self.name}: {self.about}>"

    def counters(self) -> dict[str, int]:
        """Returns counts since the backend was opened: allocations, bytes held, copies to and from the device, waits."""
        count = ffi.new("gt_counters *")
        check(lib.gt_backend_counters(self.c, count))
        return {name: int(getattr(count, name)) for name, _ in ffi.typeof("gt_counters").fields}


_opened: dict[str, Backend] = {}
_lock = threading.Lock()


def backend(device: str | Backend | None = None) -> Backend:
    """Returns the backend of a name, opened once and shared; None: "auto".

    Examples
    --------
    >>> gantry.backend("cpu:2") is gantry.backend("cpu:2")
    True
    """
    if isinstance(device, Backend):
        return device
    name = "auto" if device is None else str(device)
    with _lock:
        if name not in _opened:
            opened = Backend(name)
            _opened[name] = _opened.setdefault(opened.name, opened)
        return _opened[name]


def devices() -> list[str]:
    """Returns the available GPUs: "cuda:0: NAME, memory, compute capability".

    Examples
    --------
    >>> isinstance(gantry.devices(), list)
    True
    """
    return [text(lib.gt_device_text(i)) for i in range(lib.gt_device_count())]


def pool() -> Any:
    """Opens a pool of host threads."""
    return lib.gt_backend_pool(backend("cpu").c)


def c_type(dtype: DTypeLike) -> int:
    """Returns the type code of a dtype."""
    try:
        return TYPES[np.dtype(dtype)]
    except KeyError:
        raise ArgumentError(f"dtype {np.dtype(dtype)}: expected float32 or float64") from None


def check_shape(what: str, found: tuple[int, ...], expected: tuple[int, ...], axes: str) -> None:
    """Refuses an array of another shape."""
    if tuple(found) != tuple(expected):
        raise ArgumentError(f"{what}: shape {tuple(found)}, expected {tuple(expected)}: {axes}{shape_hint(what, tuple(found), tuple(expected))}")


def shape_hint(what: str, found: tuple[int, ...], expected: tuple[int, ...]) -> str:
    """Returns a hint for frequent mistakes: a missing axis of the only row or slice, or axes in another order."""
    if len(found) == 2 and expected == (found[0], 1, found[1]):
        return f"; {what}[:, None] adds the axis of the only row"
    if len(found) == 2 and expected == (1, *found):
        return f"; {what}[None] adds the axis of the only slice"
    if len(found) == 3 and found != expected and sorted(found) == sorted(expected):
        order = next(p for p in ((1, 0, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0), (2, 0, 1)) if tuple(found[i] for i in p) == expected)
        return f"; np.transpose({what}, {order}) has this shape"
    return ""


def as_array(array: Array, dtype: DTypeLike | None, copy: bool | None) -> Array:
    """Returns an array for __array__() of NumPy 2, without a copy if possible. copy: True always copies; False refuses to copy."""
    found = np.array(array, dtype) if copy else np.asarray(array, dtype)
    if copy is False and found is not array:
        raise ValueError(f"copy=False: {np.dtype(dtype)} differs from {array.dtype}, expected copy=None or True")
    return found


def host_array(values: Any, dtype: DTypeLike, what: str) -> Array:
    """Returns `values` as a C-contiguous array of a type in host memory, without a copy if possible."""
    refuse_mask(values, what)
    if not isinstance(values, np.ndarray) and hasattr(values, "__dlpack_device__"):
        refuse_gradients(values, what)
        if values.__dlpack_device__()[0] not in HOST_DEVICES:
            raise ArgumentError(f"{what}: is on a GPU, expected host memory: copy it there first")
        values = np.from_dlpack(values)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{what}: {kind_of(values)}, expected an array of real numbers ({error})") from None
    if array.dtype.kind not in "fiub":
        raise ArgumentError(f"{what}: {kind_of(values)} of dtype {array.dtype}, expected an array of real numbers"
                            + (f": {what}.real is the real part" if array.dtype.kind == "c" else ""))
    return np.ascontiguousarray(array, dtype=dtype)


def finite(array: Array, be: Backend, what: str) -> Array:
    """Returns `array` (float32 or float64, C order), or refuses it with the index of the first value that is not finite."""
    if lib.gt_py_finite(be.c, c_type(array.dtype), pointer(array, "void *"), array.size):
        first = np.unravel_index(int(np.argmin(np.isfinite(array))), array.shape)
        raise ArgumentError(f"{what}: element {list(map(int, first))} is {array[first]}, expected finite numbers")
    return array


def result_array(out: Any, dtype: DTypeLike, shape: tuple[int, ...]) -> Array:
    """Returns `out` if it has the required shape and type, or a new array for None."""
    if out is None:
        return np.empty(shape, dtype)
    refuse_mask(out, "out")
    fits = isinstance(out, np.ndarray) and out.dtype == dtype and out.shape == shape and out.flags.c_contiguous
    if not fits or not out.flags.writeable:
        found = f"a {out.dtype} array of shape {out.shape}" if isinstance(out, np.ndarray) else kind_of(out)
        if fits:
            found = found.replace("a ", "a read-only ", 1)
        raise ArgumentError(f"out: {found}, expected a writeable C-contiguous {np.dtype(dtype)} array of shape {shape}")
    return np.asarray(out)


def pointer(array: Array | None, kind: str = "float *") -> Any:
    """Returns the memory of a C-contiguous array."""
    return ffi.NULL if array is None else ffi.cast(kind, array.__array_interface__["data"][0])


class _Memory:
    """Array interface of library memory, which keeps its owner alive."""

    def __init__(self, address: int, shape: tuple[int, ...], owner: object, writeable: bool, dtype: DTypeLike) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "typestr": np.dtype(dtype).str, "shape": shape, "data": (address, not writeable)}


def borrowed(c: Any, shape: tuple[int, ...], owner: object, writeable: bool = True,
             dtype: DTypeLike = np.float32) -> Array | None:
    """Returns an array over memory of `owner`, without a copy; None for NULL."""
    if c == ffi.NULL:
        return None
    return np.asarray(_Memory(int(ffi.cast("uintptr_t", c)), shape, owner, writeable, dtype))


class Lent:
    """A NumPy array as a library array: its memory on the CPU, or a copy on a GPU, which get() copies back."""

    def __init__(self, be: Backend, array: Array, put: bool = True) -> None:
        self.array, self.on_gpu = array, be.is_gpu
        out = ffi.new("gt_array **")
        kind = c_type(array.dtype)
        if be.is_gpu:
            check(lib.gt_array_new(be.c, kind, array.size, out))
        else:
            check(lib.gt_array_wrap(be.c, kind, array.size, pointer(array, "void *"), out))
        self.c = ffi.gc(out[0], lib.gt_array_free)
        if be.is_gpu and put:
            lib.gt_array_put(pointer(array, "void *"), self.c)

    def get(self) -> Array:
        """Returns the array with the results of the library."""
        if self.on_gpu:
            lib.gt_array_get(self.c, pointer(self.array, "void *"))
        return self.array
