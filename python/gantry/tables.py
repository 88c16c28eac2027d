"""Tables of the library: solvers, analytic methods, regularizers, projectors and formats with their parameters."""

from __future__ import annotations

import keyword
import os
from typing import Any, NamedTuple

from ._c import ffi, lib
from .errors import ArgumentError, UnknownNameError, check, text

KINDS = ("projector", "analytic", "solver", "regularizer", "format")


class Parameter(NamedTuple):
    """One parameter of a module. kind: "int", "float", "choice", "flag", or "attenuation", which is mm^-1 or a text such as "10HU"."""

    key: str
    name: str  # the key in Python's spelling
    help: str
    kind: str
    default: int | float | str | bool
    min: float
    max: float
    choices: tuple[str, ...]


def python_name(key: str) -> str:
    """Converts a name to Python's spelling: "os-sart" becomes os_sart."""
    name = key.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def class_name(key: str) -> str:
    """Returns the class name of a method: OSSART for "os-sart"."""
    return key.replace("-", "").upper()


def names(kind: str) -> list[str]:
    """Returns the modules of a kind: "projector", "analytic", "solver", "regularizer" or "format".

    Examples
    --------
    >>> gantry.names("analytic")
    ['fdk', 'fbp', 'wfbp']
    """
    if kind not in (*KINDS, "preparation"):
        raise UnknownNameError(f"kind {kind!r}: expected one of {', '.join(KINDS)}")
    found: list[str] = []
    while (module := lib.gt_modules(os.fsencode(kind), len(found))) != ffi.NULL:
        found.append(text(module.name))
    return found


def _module(kind: str, name: str) -> Any:
    """Returns the module of a name, also in Python's spelling without hyphens."""
    if not isinstance(name, str):
        raise ArgumentError(f"name: {name!r}, expected a text such as 'os-sart'")
    known = names(kind)
    exact = next((n for n in known if name in (n, python_name(n))), name)
    module, options = ffi.new("const gt_module **"), ffi.new("void **")
    check(lib.gt_module_parse(os.fsencode(kind), os.fsencode(exact), module, options))
    lib.gt_free(options[0])
    return module[0]


def about(kind: str, name: str) -> str:
    """Returns the description of a module."""
    return text(_module(kind, name).about)


def _choices(p: Any) -> tuple[str, ...]:
    found: list[str] = []
    while p.names != ffi.NULL and p.names[len(found)] != ffi.NULL:
        found.append(text(p.names[len(found)]))
    return tuple(found)


def _default(kind: str, printed: str) -> int | float | str | bool:
    if kind == "flag":
        return printed == "yes"
    if kind == "choice":
        return int(printed) if printed.isdigit() else printed
    if kind == "text":
        return printed
    return int(printed) if kind == "int" else float(printed)


def parameters(kind: str, name: str) -> list[Parameter]:
    """Returns the parameters of a module.

    Parameters
    ----------
    kind : str
        "projector", "analytic", "solver", "regularizer" or "format".
    name : str
        A name of names(kind).

    Returns
    -------
    list of Parameter

    Examples
    --------
    >>> [p.name for p in gantry.parameters("solver", "cgls")]
    ['iterations', 'tolerance']
    """
    module = _module(kind, name)
    if module.params == ffi.NULL:
        return []
    printed = ffi.gc(lib.gt_module_print(module, ffi.NULL), lib.gt_free)
    defaults = dict(item.split("=", 1) for item in text(printed).partition(":")[2].split(",") if item)
    words = {lib.GT_INT: "int", lib.GT_REAL: "float", lib.GT_CHOICE: "choice", lib.GT_FLAG: "flag", lib.GT_MU: "attenuation",
             lib.GT_TEXT: "text"}
    found: list[Parameter] = []
    while module.params[len(found)].key != ffi.NULL:
        p = module.params[len(found)]
        key, word = text(p.key), words[p.kind]
        found.append(Parameter(key, python_name(key), text(p.help), word, _default(word, defaults.get(key, "")), p.min, p.max, _choices(p)))
    return found


def _value(value: Any) -> str:
    if getattr(value, "ndim", None) == 0:  # a number of NumPy, which a build of the package need not have
        value = value.item()
    return str({True: "yes", False: "no"}[value]) if isinstance(value, bool) else repr(value) if isinstance(value, float) else str(value)


def joined(name: str, given: dict[str, Any]) -> str:
    """Formats "NAME:key=value,..." with the keys of the library."""
    items = [f"{key}={_value(value)}" for key, value in given.items()]
    for item in items:
        if "," in item:
            raise ArgumentError(f"{name}: {item}: expected a value without a comma")
    return name + (":" + ",".join(items) if items else "")


def spec(kind: str, name: str, given: dict[str, Any]) -> str:
    """Formats "NAME:key=value,..." for the command, checked by the library. Omits values that are None."""
    module = _module(kind, name)
    keys = {p.name: p.key for p in parameters(kind, name)}
    words = joined(text(module.name), {keys.get(k, k): v for k, v in given.items() if v is not None})
    options(kind, words)
    return words


def options(kind: str, words: str) -> tuple[Any, Any]:
    """Returns the module of "NAME:key=value,..." and its options."""
    module, out = ffi.new("const gt_module **"), ffi.new("void **")
    check(lib.gt_module_parse(os.fsencode(kind), os.fsencode(words), module, out))
    return module[0], ffi.gc(out[0], lib.gt_free) if out[0] != ffi.NULL else ffi.NULL
