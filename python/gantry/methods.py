"""A function for each line of the library's tables: gantry.fdk, gantry.os_sart, gantry.qggmrf ... and a class for each method: gantry.OSSART.

methods.pyi has the types.
"""

import functools
import inspect

from . import tables
from .choices import Solver, class_name
from .penalties import Penalty
from .solvers import analytic, help_text, solve


def _made(kind, name, function, own):
    """`function` with the parameters of the table in its signature and its help."""

    @functools.wraps(function)
    def call(*given, **keywords):
        return function(name, *given, **keywords)

    rows = [inspect.Parameter(p.name, inspect.Parameter.KEYWORD_ONLY, default=p.default) for p in tables.parameters(kind, name)]
    common = [p for p in inspect.signature(own).parameters.values() if p.name not in ("name", "self", "parameters")]
    taken = {p.name for p in common}
    call.__signature__ = inspect.Signature(common + [p for p in rows if p.name not in taken])
    call.__name__ = call.__qualname__ = tables.python_name(name)
    call.__module__ = __name__
    call.__doc__ = help_text(kind, name) + "\n\n" + (inspect.getdoc(own) or "")
    return call


def _class(kind, name):
    """A subclass of Solver with the parameters of the table in its signature and its help."""

    def __init__(self, **parameters):
        Solver.__init__(self, name, **parameters)

    rows = [inspect.Parameter(p.name, inspect.Parameter.KEYWORD_ONLY, default=p.default) for p in tables.parameters(kind, name)]
    return type(class_name(name), (Solver,), {"__init__": __init__, "__signature__": inspect.Signature(rows), "__module__": __name__,
                                              "__doc__": help_text(kind, name)})


_KINDS = {"analytic": (analytic, analytic), "solver": (solve, solve), "regularizer": (Penalty, Penalty.__init__)}
__all__ = []
for _kind, (_function, _own) in _KINDS.items():
    for _name in tables.names(_kind):
        __all__.append(tables.python_name(_name))
        globals()[__all__[-1]] = _made(_kind, _name, _function, _own)
for _kind in ("analytic", "solver"):
    for _name in tables.names(_kind):
        __all__.append(class_name(_name))
        globals()[__all__[-1]] = _class(_kind, _name)
