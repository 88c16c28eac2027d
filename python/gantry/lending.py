"""Volumes for denoisers: NumPy arrays in host memory, or arrays of other libraries in the memory of the device, by DLPack."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ._c import ffi, lib
from .arguments import kind_of, refuse_gradients
from .backend import Array, Backend, borrowed, c_type, check_shape, host_array, pointer
from .errors import ArgumentError, check

LIBRARIES = ("numpy", "torch", "cupy", "jax", "dlpack")
_LEGACY_STREAM = 1  # cudaStreamLegacy
_ANY_STREAM = -1  # DLPack: the consumer orders the access


_api = ctypes.pythonapi
_api.PyCapsule_IsValid.restype, _api.PyCapsule_IsValid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_New.restype, _api.PyCapsule_New.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_GetPointer.restype, _api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def calls(function: Callable[[Any, float], Any], name: str, arrays: str, be: Backend, dtype: Any, shape: tuple[int, ...]) -> Any:
    """Returns an object whose run(c) answers a gt_denoise_call by function(z, t); shape: the largest range of slices in a call."""
    if arrays == "numpy":
        return _HostCalls(function, name, np.dtype(dtype), shape)
    kind = _TorchCalls if arrays == "torch" else _DeviceCalls
    return kind(function, name, arrays, be, np.dtype(dtype), shape)


def _refuse_kept(name: str) -> ArgumentError:
    return ArgumentError(f"{name}: kept its argument after it returned, expected a copy, such as z.copy() or z.clone()")


class _HostCalls:
    """The function gets a read-only NumPy array and may return any real array in host memory."""

    def __init__(self, function: Callable[[Any, float], Any], name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        self.function, self.name, self.dtype, self.shape = function, name, dtype, shape
        self.given: Array | None = None

    def run(self, c: Any) -> None:
        shape = (int(c.slices), *self.shape[1:])
        if self.given is None:
            self.given = np.empty(self.shape, self.dtype)
        idle = sys.getrefcount(self.given)
        self._answer(c, shape)
        if sys.getrefcount(self.given) > idle:
            gc.collect()
            if sys.getrefcount(self.given) > idle:
                self.given = None
                raise _refuse_kept(self.name)

    def _answer(self, c: Any, shape: tuple[int, ...]) -> None:
        source = borrowed(getattr(c, "in"), shape, None, writeable=False, dtype=self.dtype)
        result = borrowed(c.out, shape, None, dtype=self.dtype)
        assert source is not None and result is not None and self.given is not None
        z = self.given[:shape[0]]
        z[...] = source
        z.flags.writeable = False
        try:
            made = self.function(z, float(c.t))
        except ValueError as error:
            if "read-only" in str(error):
                raise ArgumentError(f"{self.name}: changes its volume z in place, expected a new array, as z * 0.9") from error
            raise
        found = host_array(made, self.dtype, f"result of {self.name}")
        check_shape(f"result of {self.name}", found.shape, shape, "[z][y][x], as it was given")
        result[...] = found
        c.written = found.size


class _LentSlices:
    """Slices of a volume in the memory of a device, for one consumer of DLPack."""

    def __init__(self, loan: Any, be: Backend, place: tuple[int, int]) -> None:
        self._loan, self._backend, self._place = loan, be, place
        self._capsule: Any = None

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._place

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        if self._loan is None or self._capsule is not None:
            raise BufferError("the argument of a denoiser: expected one consumer, while the denoiser runs")
        if self._backend.is_gpu and stream != _ANY_STREAM:
            after = _LEGACY_STREAM if stream is None else int(stream)
            check(lib.gt_backend_before(self._backend.c, ffi.cast("void *", after)))
        return self.capsule()

    def capsule(self) -> Any:
        """The capsule, for a consumer whose work the queue of the backend orders."""
        tensor = lib.gt_py_loan_tensor(self._loan)
        if tensor == ffi.NULL:
            raise BufferError("the argument of a denoiser: expected one consumer")
        self._capsule = _api.PyCapsule_New(int(ffi.cast("uintptr_t", tensor)), b"dltensor", None)
        return self._capsule

    def end(self) -> None:
        """Ends the loan if nobody consumed it; later consumers are refused."""
        if self._capsule is not None and _api.PyCapsule_IsValid(self._capsule, b"dltensor"):
            lib.gt_py_loan_end(self._loan)
        self._loan = self._capsule = None


class _DeviceCalls:
    """The function gets an array of its library in device memory and returns one."""

    def __init__(self, function: Callable[[Any, float], Any], name: str, arrays: str, be: Backend, dtype: np.dtype[Any],
                 shape: tuple[int, ...]) -> None:
        self.function, self.name, self.arrays, self.backend, self.dtype, self.shape = function, name, arrays, be, dtype, shape
        self.device = int(be.name.partition(":")[2].partition(",")[0] or 0) if be.is_gpu else 0
        self.library: Any = None if arrays == "dlpack" else importlib.import_module(arrays if arrays != "jax" else "jax.dlpack")
        self.loan: Any = None
        self.what = f"result of {name}".encode()
        self.place = (2, self.device) if be.is_gpu else (1, 0)

    def run(self, c: Any) -> None:
        if self.loan is None:
            made = ffi.new("gt_py_loan **")
            check(lib.gt_py_loan_new(self.backend.c, c_type(self.dtype), self.shape, self.device, made))
            self.loan = ffi.gc(made[0], lib.gt_py_loan_free)
        check(lib.gt_py_loan_fill(self.loan, getattr(c, "in"), c.slices))
        lent = _LentSlices(self.loan, self.backend, self.place)
        try:
            self._call(lent, c)
        finally:
            lent.end()
        if lib.gt_py_loan_is_out(self.loan):
            gc.collect()
            if lib.gt_py_loan_is_out(self.loan):
                self.loan = None  # the borrower frees it
                raise _refuse_kept(self.name)
        c.written = int(c.slices) * self.shape[1] * self.shape[2]

    def _call(self, lent: _LentSlices, c: Any) -> None:
        with contextlib.ExitStack() as stack:
            if self.arrays == "cupy" and self.backend.is_gpu:  # on the queue of the backend
                stack.enter_context(self.library.cuda.Device(self.device))
                stack.enter_context(self.library.cuda.ExternalStream(int(ffi.cast("uintptr_t", c.stream)), self.device))
            self._take(self.function(lent if self.library is None else self.library.from_dlpack(lent), float(c.t)), c)

    def _take(self, result: Any, c: Any) -> None:
        what = f"result of {self.name}"
        refuse_gradients(result, what)
        if self.arrays == "jax":
            sys.modules["jax"].block_until_ready(result)
        if isinstance(result, np.ndarray) and not self.backend.is_gpu:
            self._take_numpy(result, what, c)
            return
        if not hasattr(result, "__dlpack__") or not hasattr(result, "__dlpack_device__"):
            raise ArgumentError(f"{what}: {kind_of(result)}, expected an array with DLPack on {self.backend.name}")
        on_gpu = self.backend.is_gpu and int(result.__dlpack_device__()[0]) == 2
        try:
            capsule = result.__dlpack__(stream=int(ffi.cast("uintptr_t", c.stream))) if on_gpu else result.__dlpack__()
        except BufferError as error:
            raise ArgumentError(f"{what}: {error}") from None
        self._take_capsule(capsule, c)
        if self.arrays not in ("torch", "cupy"):
            lib.gt_backend_wait(self.backend.c)  # the copy ends before another stream reuses the memory

    def _take_capsule(self, capsule: Any, c: Any) -> None:
        managed = ffi.cast("void *", _api.PyCapsule_GetPointer(capsule, b"dltensor"))
        check(lib.gt_py_loan_take(self.loan, managed, self.what, c.out))

    def _take_numpy(self, result: Array, what: str, c: Any) -> None:
        shape = (int(c.slices), *self.shape[1:])
        check_shape(what, result.shape, shape, "[z][y][x], as it was given")
        if result.dtype != self.dtype or not result.flags.c_contiguous:
            layout = "" if result.flags.c_contiguous else ", not contiguous"
            raise ArgumentError(f"{what}: of type {result.dtype}{layout}, expected a contiguous array of {self.dtype}")
        ffi.memmove(c.out, pointer(result, "char *"), result.nbytes)


class _TorchCalls(_DeviceCalls):
    """Tensors of PyTorch without gradients, on the queue of the backend. The queue orders all work, so neither side waits for a stream."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.dlpack = importlib.import_module("torch.utils.dlpack")
        self.no_grad, self.type = self.library.no_grad(), getattr(self.library, self.dtype.name)
        self.stream: Any = ffi.NULL
        self.on_stream: Any = contextlib.nullcontext()

    def _call(self, lent: _LentSlices, c: Any) -> None:
        if c.stream != self.stream:
            self.stream, cuda = c.stream, self.library.cuda
            queue = cuda.ExternalStream(int(ffi.cast("uintptr_t", c.stream)), self.device)
            self.on_stream = queue if hasattr(queue, "__enter__") else cuda.stream(queue)  # later versions enter by themselves, faster
        with self.no_grad, self.on_stream:
            self._take(self.function(self.dlpack.from_dlpack(lent.capsule()), float(c.t)), c)

    def _take(self, result: Any, c: Any) -> None:
        plain = type(result) is self.library.Tensor and result.dtype is self.type and not result.requires_grad
        if plain and result.layout is self.library.strided and result.is_cuda == self.backend.is_gpu:
            self._take_capsule(self.dlpack.to_dlpack(result), c)
        else:
            super()._take(result, c)
