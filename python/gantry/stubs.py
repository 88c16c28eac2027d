"""Writes methods.pyi from the library's tables: python -m gantry.stubs > methods.pyi. A test compares the two."""

from __future__ import annotations

from . import tables
from .choices import class_name

TYPES = {"int": "int", "float": "float", "flag": "bool", "attenuation": "float | str", "text": "str"}
HEAD = '''# Made by gantry.stubs from the library's tables.
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


def _type(p: tables.Parameter) -> str:
    if p.kind == "choice":
        return f"Literal[{', '.join(c if c.isdigit() else repr(c) for c in p.choices)}]"
    return TYPES[p.kind]


def stub() -> str:
    """Returns the text of methods.pyi."""
    parts = [HEAD]
    for kind, common in COMMON.items():
        for name in tables.names(kind):
            rows = [f"    {p.name}: {_type(p)} = ...," for p in tables.parameters(kind, name)]
            parts.append("\n".join([f"def {tables.python_name(name)}(", "    " + common.replace(", ", ",\n    ") + ",", *rows, f") -> {RESULTS[kind]}: ..."]))
    for kind in ("analytic", "solver"):
        for name in tables.names(kind):
            rows = [f"        {p.name}: {_type(p)} = ...," for p in tables.parameters(kind, name)]
            parts.append("\n".join([f"class {class_name(name)}(Solver):", "    def __init__(", "        self,", *(["        *,", *rows] if rows else []),
                                    "    ) -> None: ..."]))
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    print(stub(), end="")
