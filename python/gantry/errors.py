"""Exceptions: the class is the kind of failure; the text is the message of the library with Python's argument names."""

from __future__ import annotations

import functools
import re
import threading
import warnings
from collections.abc import Mapping
from typing import Any

from ._c import ffi, lib


class Error(Exception):
    """Base class of the errors of the library. `status` is the name in C, such as "GT_ERR_FORMAT"."""

    status = "GT_OK"


class ArgumentError(Error, ValueError):
    """An invalid parameter, size, type or order."""


class UnknownNameError(Error, LookupError):
    """No projector, solver, format or other module has this name."""


class UnsupportedError(Error, NotImplementedError):
    """The method does not support this scan, grid or type."""


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed; the message has the bytes needed and available."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class FormatError(Error, ValueError):
    """A file or a table of views that is malformed."""


class DeviceError(Error, RuntimeError):
    """The device reported an error."""


class DivergedError(Error, ArithmeticError):
    """The iteration diverged."""


class StoppedError(Error):
    """A callback stopped the computation."""


CLASSES = {
    "GT_ERR_ARG": ArgumentError,
    "GT_ERR_UNKNOWN": UnknownNameError,
    "GT_ERR_UNSUPPORTED": UnsupportedError,
    "GT_ERR_MEMORY": OutOfMemoryError,
    "GT_ERR_IO": FileError,
    "GT_ERR_FORMAT": FormatError,
    "GT_ERR_DEVICE": DeviceError,
    "GT_ERR_DIVERGED": DivergedError,
    "GT_STOPPED": StoppedError,
}
_NAMES = {int(getattr(lib, name)): name for name in CLASSES}


class _Thread(threading.local):
    """State of a thread: callbacks set it for the library call that runs them."""

    raised: BaseException | None = None
    keeps: bool = False  # Ctrl-C ends the iterations instead of raising
    interrupted: bool = False


thread = _Thread()


def keep(kind: object, error: BaseException, traceback: object) -> int | None:
    """Stores the exception of a callback, also of a signal before its first line, which a `try` inside would miss.

    With on_interrupt="keep" the first Ctrl-C ends the iterations after the current one; the second raises at once.
    """
    if thread.keeps and not thread.interrupted and isinstance(error, KeyboardInterrupt):
        thread.interrupted = True
        return 0
    if thread.raised is None:
        thread.raised = error
    return None


def settle() -> None:
    """Raises the stored exception of a callback, if any."""
    if thread.raised is not None:
        error, thread.raised = thread.raised, None
        raise error


# Options of the command without a value, placeholders in capitals, and values after a blank; after "=" any text is a value.
_FLAGS = {"force", "check", "sinogram", "gaps", "reproducible"}
_COMMAND = re.compile(r"gantry [a-z]+ [^;,()]*")
_PLACEHOLDER = r"[A-Z][A-Z0-9:.|x\[\]+]*(?![A-Za-z])"
_VALUES = r"""[^\s;,()]*(?:/[^\s;,()]*|\.[A-Za-z][A-Za-z0-9]+)|auto|none|no|yes|uniform|file|noise|single|double|zero|off|line-integrals|counts|deg|rad|as-file|reversed|grid|fast|iterative|model
|[a-z][\w-]*:[^\s;,()]+(?:,[a-z][\w-]*=[^\s;,()]+)*|[a-z][\w-]*=[^\s;,()]+|\d[^\s;,()]*"""


@functools.cache
def _option() -> re.Pattern[str]:
    """Returns the pattern of an option with its value, which may be the name of a module."""
    names: list[str] = []
    for kind in (b"projector", b"solver", b"analytic", b"regularizer"):
        i = 0
        while (module := lib.gt_modules(kind, i)) != ffi.NULL:
            names.append(text(module.name))
            i += 1
    words = "|".join(sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])--(no-)?([a-z][a-z-]+)(?:[ ]({_VALUES}|{_PLACEHOLDER}|{words})(?<!:)|=([^\s;()]*[^\s;,():]))?"
                      r"(?![\w=-])", re.VERBOSE)


def in_python(message: str, renamed: Mapping[str, str] | None = None) -> str:
    """Converts options in a message to arguments: --force becomes force=True, --no-check check=False. Complete commands stay unchanged.

    Parameters
    ----------
    message : str
        The message of the library.
    renamed : mapping, optional
        Names of options and of the arguments in their place.
    """

    def argument(found: re.Match[str]) -> str:
        name, value = found[2].replace("-", "_"), found[3] or found[4]
        name = (renamed or {}).get(name, name)
        if found[1] or (name in _FLAGS and not value):
            return f"{name}={not found[1]}"
        if not value or re.fullmatch(rf"{_PLACEHOLDER}|-?[0-9.]+(?:e[-+]?[0-9]+)?", value):
            return f"{name}={value or ''}"
        return f"{name}={value!r}"

    parts, end = [], 0
    for command in (*_COMMAND.finditer(message), None):
        stop = len(message) if command is None else command.start()
        part = message[end:stop]
        parts.append(_option().sub(argument, part) if "--" in part else part)
        if command is not None:
            parts.append(command[0])
            end = command.end()
    return "".join(parts)


def check(status: int, renamed: Mapping[str, str] | None = None) -> None:
    """Raises the exception of a status. Call it in the thread of the failed call, which stores the message."""
    if status:
        settle()
        name = _NAMES.get(status, str(status))
        error = CLASSES.get(name, Error)(in_python(text(lib.gt_error()), renamed))
        error.status = name
        raise error


def text(c: object) -> str:
    """Converts a C string; "" for NULL."""
    return "" if c == ffi.NULL else str(ffi.string(c).decode(errors="replace"))


class Remark(UserWarning):
    """A note of the library on data or geometry."""


@ffi.def_extern(onerror=keep)  # type: ignore[untyped-decorator]
def gt_py_message(_: object, m: Any) -> None:
    """Receives a message of the library: warnings become Python warnings, others are logged."""
    if m.severity == lib.GT_WARNING:
        warnings.warn(in_python(text(m.text)), Remark, stacklevel=3)
    else:
        import logging  # takes a tenth of the import time of the package

        logging.getLogger("gantry").info("%s", in_python(text(m.text)))


@ffi.def_extern(error=1, onerror=keep)  # type: ignore[untyped-decorator]
def gt_py_fraction(_: object, done: float) -> int:
    """Called while a folder is read or a phantom is computed, so that Python handles Ctrl-C."""
    return int(thread.raised is not None)


@ffi.def_extern(error=1, onerror=keep)  # type: ignore[untyped-decorator]
def gt_py_interrupted(_: object) -> int:
    """Called during computations, so that Python handles Ctrl-C. Also stops after the exception of another callback."""
    return int(thread.raised is not None)
