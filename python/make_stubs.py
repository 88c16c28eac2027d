"""Writes methods.pyi, the types of the functions and classes of all methods, from the tables of the library.

make_stubs.py PACKAGE FOLDER OUT.pyi     PACKAGE holds tables.py, FOLDER the extension _c

The build needs no NumPy: it imports the tables without the rest of the package.
"""
import importlib
import sys
import types

TYPES = {"int": "int", "float": "float", "flag": "bool", "attenuation": "float | str", "text": "str"}
HEAD = '''# Made by make_stubs.py from the library's tables.
from typing import Any, Literal

from numpy.typing import DTypeLike

from .backend import Array, Backend
from .choices import Solver
from .geometry import Grid, Scan
from .penalties import Penalty
from .progress import Callback
from .projector import Projector
from .solvers import Bounds, Result

'''
COMMON = {
    "analytic": "data: Any, scan: Scan | None = ..., grid: Grid | None = ..., *, device: str | Backend | None = ..., "
                "dtype: DTypeLike = ..., out: Array | None = ...",
    "solver": "A: Projector, b: Any, *, x0: Any = ..., weights: Any = ..., penalty: Penalty | None = ..., bounds: Bounds = ..., "
              "callback: Callback | None = ..., progress: bool = ..., on_interrupt: str = ..., out: Array | None = ...",
    "regularizer": "*, noise: str | None = ...",
}
RESULTS = {"analytic": "Array", "solver": "Result", "regularizer": "Penalty"}


def type_of(p):
    if p.kind == "choice":
        return f"Literal[{', '.join(c if c.isdigit() else repr(c) for c in p.choices)}]"
    return TYPES[p.kind]


def stub(tables):
    """Returns the text of methods.pyi."""
    parts = [HEAD]
    for kind, common in COMMON.items():
        for name in tables.names(kind):
            rows = [f"    {p.name}: {type_of(p)} = ...," for p in tables.parameters(kind, name)]
            parts.append("\n".join([f"def {tables.python_name(name)}(", "    " + common.replace(", ", ",\n    ") + ",", *rows, f") -> {RESULTS[kind]}: ..."]))
    for kind in ("analytic", "solver"):
        for name in tables.names(kind):
            rows = [f"        {p.name}: {type_of(p)} = ...," for p in tables.parameters(kind, name)]
            parts.append("\n".join([f"class {tables.class_name(name)}(Solver):", "    def __init__(", "        self,", *(["        *,", *rows] if rows else []),
                                    "    ) -> None: ..."]))
    return "\n".join(parts) + "\n"


def tables_of(*folders):
    """Returns the module gantry.tables from these folders, without gantry/__init__.py."""
    package = types.ModuleType("gantry")
    package.__path__ = list(folders)
    sys.modules["gantry"] = package
    return importlib.import_module("gantry.tables")


def main(package, folder, out):
    with open(out, "w", encoding="utf-8") as f:
        f.write(stub(tables_of(package, folder)))


if __name__ == "__main__":
    main(*sys.argv[1:])
