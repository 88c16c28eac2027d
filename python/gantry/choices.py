"""Solvers, analytic methods and penalties as objects, which reconstruct(), solve() and denoise() accept in place of texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import tables
from .arguments import kind_of
from .errors import ArgumentError
from .penalties import Penalty


class Solver:
    """A solver or an analytic method with its parameters.

    Each method of the library also has a class of its own, whose keywords are typed: gantry.OSSART, gantry.FDK ...

    Parameters
    ----------
    name : str
        Name in the library, such as "os-sart".
    **parameters
        Parameters of the method; gantry.parameters("solver", name) lists them.

    Examples
    --------
    >>> gantry.Solver("os-sart", iterations=5, subsets=12).spec
    'os-sart:iterations=5,subsets=12'
    >>> gantry.OSSART(iterations=5)
    gantry.OSSART(iterations=5)
    """

    def __init__(self, name: str, **parameters: Any) -> None:
        if not isinstance(name, str):
            raise ArgumentError(f"name: {kind_of(name)}, expected the name of a solver, as 'os-sart'")
        self.kind = "analytic" if any(name in (n, tables.python_name(n)) for n in tables.names("analytic")) else "solver"
        self.parameters = {key: value for key, value in parameters.items() if value is not None}
        self.spec = tables.spec(self.kind, name, self.parameters)
        self.name = self.spec.partition(":")[0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Solver) and self.spec == other.spec

    def __hash__(self) -> int:
        return hash(self.spec)

    def __repr__(self) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in self.parameters.items())
        if type(self) is Solver:
            return f"gantry.Solver({self.name!r}{', ' if given else ''}{given})"
        return f"gantry.{type(self).__name__}({given})"


Named = tuple[str, Mapping[str, Any]]


def text_of(value: Any, what: str) -> str | None:
    """Returns the text of a solver or a penalty, given as a text, an object, or a pair of name and parameters."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (Solver, Penalty)) and isinstance(value, Penalty) == (what == "penalty"):
        return value.spec
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], Mapping):
        return tables.joined(value[0], {key.replace("_", "-"): given for key, given in value[1].items() if given is not None})
    example = "huber:strength=30", "gantry.huber(strength=30)", "('huber', {'strength': 30})"
    if what != "penalty":
        example = "os-sart:iterations=5", "gantry.OSSART(iterations=5)", "('os-sart', {'iterations': 5})"
    found = f"{value.__name__}, which is not called" if callable(value) and hasattr(value, "__name__") else kind_of(value)
    raise ArgumentError(f"{what}: {found}, expected {example[0]!r}, {example[1]} or {example[2]}")


def refuse_parameters(given: Mapping[str, Any], known: Mapping[str, Any], solver: str | None) -> None:
    """Refuses keywords of reconstruct() that are parameters of the solver; the message shows the right call."""
    name = (solver or "os-sart").partition(":")[0]
    kind = "analytic" if name in tables.names("analytic") else "solver"
    if all(key in known for key in given) or name not in tables.names(kind):
        return
    own = [p.name for p in tables.parameters(kind, name)]
    for key, value in given.items():
        if key not in known and key in own:
            raise ArgumentError(f"{key}: a parameter of the solver, expected solver=gantry.{tables.class_name(name)}({key}={value!r}) or "
                                f"solver='{name}:{key.replace('_', '-')}={value}'")
