"""Geometries of other packages: gantry.interop.astra, .cil, .leap, .odl, .tigre; gantry.interop.deepinv makes a physics of a projector.

The functions use documented members of the objects, so these modules import without the other packages.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

_MODULES = ("astra", "cil", "deepinv", "leap", "odl", "tigre")


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _import_module(f".{name}", __name__)
    raise AttributeError(f"module 'gantry.interop' has no attribute {name!r}: expected one of {', '.join(_MODULES)}")


def __dir__() -> list[str]:
    return sorted(_MODULES)
