"""Arrays of PyTorch, CuPy, JAX and other libraries: used in place, without a copy, on the stream of their library."""

from __future__ import annotations

import ctypes
import math
import sys
from typing import Any

import numpy as np

from ._c import ffi, lib
from .arguments import refuse_gradients
from .backend import HOST_DEVICES, c_type, check_shape, host_array
from .errors import ArgumentError, check

CUDA = 2  # DLPack device type


def is_foreign(x: Any) -> bool:
    """Whether x is an array of another library with DLPack."""
    return not isinstance(x, np.ndarray) and hasattr(x, "__dlpack_device__")


def _name(x: Any) -> str:
    name = type(x).__module__.partition(".")[0]
    return "jax" if name == "jaxlib" else name


def _library(x: Any) -> Any:
    name = _name(x)
    if name == "jax":
        return sys.modules["jax"].numpy
    if name in ("torch", "cupy"):
        return sys.modules[name]
    if hasattr(x, "__array_namespace__"):
        return x.__array_namespace__()
    raise ArgumentError(f"x: a {type(x).__module__}.{type(x).__name__}, whose library cannot allocate the result: pass out= or a NumPy array")


def _place(x: Any) -> tuple[int, int]:
    """Returns the DLPack device of x. For PyTorch the attributes are faster than __dlpack_device__()."""
    if _name(x) == "torch" and x.is_cuda:
        return CUDA, x.device.index
    try:
        device, number = x.__dlpack_device__()
    except (ValueError, BufferError) as error:
        raise ArgumentError(f"x: is on {getattr(x, 'device', 'an unknown device')}, expected host memory or a GPU ({error})") from None
    return int(device), int(number)


def apply(op: Any, x: Any, out: Any = None) -> Any:
    """An Operator applied to an array of another library."""
    refuse_gradients(x, "x")
    refuse_gradients(out, "out")
    device, number = _place(x)
    if device in HOST_DEVICES:
        return _on_host(op, x, out)
    if device != CUDA:
        raise ArgumentError(f"x: DLPack device {int(device)}, expected memory of the host or of CUDA")
    if op.backend.name != f"cuda:{number}":
        here = op.backend.name
        raise ArgumentError(f"x: is on cuda:{number}, expected {here}: make the operator with device='cuda:{number}', or move x")
    return _on_cuda(op, x, out)


def _on_host(op: Any, x: Any, out: Any) -> Any:
    array = host_array(x, op.dtype, "x")
    if out is None:
        return _library(x).from_dlpack(op(array))
    if isinstance(out, np.ndarray):
        return op(array, out)
    if _name(out) != "torch" or out.__dlpack_device__()[0] not in HOST_DEVICES:
        raise ArgumentError(f"out: a {type(out).__module__}.{type(out).__name__}, expected an array of NumPy or a tensor on the host")
    op(array, out.numpy())
    return out


def _on_cuda(op: Any, x: Any, out: Any) -> Any:
    library, name = _library(x), _name(x)
    batch = op.batch(tuple(x.shape))
    shape = batch + op.range_shape
    if name == "jax":
        return _of_jax(op, x, out, shape)
    if name not in ("torch", "cupy"):
        raise ArgumentError(f"x: an array of {name} on a GPU, expected one of PyTorch, CuPy or JAX: convert it by DLPack")
    dtype = library.float32 if op.dtype.itemsize == 4 else library.float64
    if name == "torch":
        if x.dtype != dtype or not x.is_contiguous():
            x = x.to(dtype).contiguous()
        stream = library.cuda.current_stream(x.device).cuda_stream
        result = library.empty(shape, dtype=dtype, device=x.device) if out is None else out
    else:
        with x.device:
            x = library.ascontiguousarray(x, dtype)
            stream = library.cuda.get_current_stream().ptr
            result = library.empty(shape, dtype) if out is None else out
    if out is not None:
        _check_out(x, out, shape, dtype)
        if _address(x) < _address(out) + op.dtype.itemsize * math.prod(shape) and _address(out) < _address(x) + op.dtype.itemsize * math.prod(x.shape):
            raise ArgumentError("out: shares memory with x, expected an array of its own")
    pointers = [ffi.cast("void *", address) for address in (_address(x), _address(result), stream)]
    check(lib.gt_py_apply_on_stream(op.c, op.transposed, math.prod(batch), *pointers))
    return result


class _Lender:
    """Exports an array of the library by DLPack, once; an unused capsule frees it."""

    def __init__(self, managed: Any, device: int) -> None:
        self.managed, self.device = managed, device

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self.device

    def __dlpack__(self, **_: Any) -> Any:
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        managed, self.managed = self.managed, None
        return new(int(ffi.cast("uintptr_t", managed)), b"dltensor", None)

    def __del__(self) -> None:
        if self.managed is not None:
            lib.gt_py_dlpack_free(self.managed)


def _of_jax(op: Any, x: Any, out: Any, shape: tuple[int, ...]) -> Any:
    """Applies an operator to an array of JAX. These are immutable and state no stream: the host waits for the result."""
    if out is not None:
        raise ArgumentError("out: arrays of JAX cannot be written, expected none")
    jax = sys.modules["jax"]
    x = x.astype(op.dtype)
    if x.dtype != op.dtype:
        raise ArgumentError(f"x: JAX makes {x.dtype} of it, expected {op.dtype}: the operator's type (jax_enable_x64 allows float64)")
    capsule = x.__dlpack__(stream=int(ffi.cast("uintptr_t", lib.gt_backend_stream(op.backend.c))))
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    given = lib.gt_py_dlpack_data(ffi.cast("void *", get(capsule, b"dltensor")))
    if given == ffi.NULL:
        raise ArgumentError("x: not in C order, expected its last axis to be the fastest")
    made = ffi.new("gt_array **")
    check(lib.gt_array_new(op.backend.c, c_type(op.dtype), math.prod(shape), made))
    managed = lib.gt_py_dlpack_new(made[0], x.__dlpack_device__()[1], len(shape), list(shape))
    if managed == ffi.NULL:
        raise MemoryError
    lender = _Lender(managed, x.__dlpack_device__()[1])
    check(lib.gt_py_apply(op.c, op.transposed, math.prod(op.batch(tuple(x.shape))), given, lib.gt_array_data(made[0])))
    return jax.dlpack.from_dlpack(lender)


def _address(array: Any) -> int:
    return int(array.data_ptr() if _name(array) == "torch" else array.data.ptr)


def _check_out(x: Any, out: Any, shape: tuple[int, ...], dtype: Any) -> None:
    if _name(out) != _name(x) or _place(out) != _place(x):
        raise ArgumentError(f"out: a {type(out).__module__}.{type(out).__name__}, expected an array of {_name(x)} on the device of x")
    check_shape("out", tuple(out.shape), shape, "that of the result")
    contiguous = out.is_contiguous() if _name(out) == "torch" else out.flags.c_contiguous
    if out.dtype != dtype or not contiguous:
        raise ArgumentError(f"out: of type {out.dtype}{'' if contiguous else ', not contiguous'}, expected a contiguous one of {dtype}")
