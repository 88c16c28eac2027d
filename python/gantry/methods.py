"""Functions for all methods and penalties of the library (gantry.fdk, gantry.qggmrf), and classes for the methods (gantry.OSSART).

methods.pyi has the types.
"""

import functools
import inspect
import re

from . import tables
from .choices import Solver
from .penalties import Penalty
from .solvers import analytic, parameter_rows, solve


def _made(kind, name, function, own):
    """Adds the parameters of the table to the signature and the docstring of `function`."""

    @functools.wraps(function)
    def call(*given, **keywords):
        return function(name, *given, **keywords)

    rows = [inspect.Parameter(p.name, inspect.Parameter.KEYWORD_ONLY, default=p.default) for p in tables.parameters(kind, name)]
    common = [p for p in inspect.signature(own).parameters.values() if p.name not in ("name", "self", "parameters")]
    taken = {p.name for p in common}
    call.__signature__ = inspect.Signature(common + [p for p in rows if p.name not in taken])
    call.__name__ = call.__qualname__ = tables.python_name(name)
    call.__module__ = __name__
    call.__doc__ = _sections(kind, name, own)
    return call


_EXAMPLES = {
    "analytic": """>>> scan = gantry.{scan}
>>> gantry.{name}(np.zeros(scan.shape), scan, gantry.Grid((4, 16, 16), 2.0)).shape
(4, 16, 16)""",
    "solver": """>>> A = gantry.Projector(gantry.circular(12, (4, 16), 4.0, 100, 200), gantry.Grid((4, 8, 8), 4.0))
>>> r = gantry.{name}(A, A(np.full(A.domain_shape, 0.02)){penalty}, iterations=2)
>>> r.x.shape
(4, 8, 8)""",
    "regularizer": """>>> gantry.{name}().name
'{key}'""",
}
_SCANS = {"fbp": "parallel(np.arange(60) * np.pi / 60, (4, 32), 2.0)", "wfbp": "helical(240, 4, 8.0, (8, 32), 3.0, 300, 600)"}
_PENALTIES = {"asd-pocs": "tv", "pnp-fista": "nlm", "pnp-admm": "nlm", "red": "nlm"}


def _line(kind, name):
    about = tables.about(kind, name).rstrip(".")
    return (about[0].upper() + about[1:] if about[:2].islower() else about) + "."


def _sections(kind, name, own):
    """Composes the docstring of a method: description, common parameters, own parameters, example."""
    common = inspect.getdoc(Penalty if kind == "regularizer" else own) or ""
    head, sections = common.split("\n\nParameters\n", 1) if "\n\nParameters\n" in common else ("", "")
    sections = sections.partition("\n\nExamples\n")[0]
    kept = [part for part in re.split(r"\n(?=\S)", sections) if not re.match(r"(name|\*\*parameters)\b", part)]
    shared, _, returns = "\n".join(kept).partition("\n\nReturns\n")
    penalty = f", penalty=gantry.{_PENALTIES[name]}()" if name in _PENALTIES else ""
    example = _EXAMPLES[kind].format(name=tables.python_name(name), key=name, penalty=penalty,
                                     scan=_SCANS.get(name, "circular(60, (4, 32), 2.0, 300, 600)"))
    rows = parameter_rows(kind, name)
    return (f"{_line(kind, name)}\n\nParameters\n{shared or '-' * 10}\n{rows}".rstrip()
            + (f"\n\nReturns\n{returns}" if returns else "\n\nReturns\n-------\nPenalty") + f"\n\nExamples\n--------\n{example}\n")


def _class(kind, name):
    """Makes a subclass of Solver with the parameters of the table in its signature and docstring."""

    def __init__(self, **parameters):
        Solver.__init__(self, name, **parameters)

    rows = [inspect.Parameter(p.name, inspect.Parameter.KEYWORD_ONLY, default=p.default) for p in tables.parameters(kind, name)]
    return type(tables.class_name(name), (Solver,), {"__init__": __init__, "__signature__": inspect.Signature(rows), "__module__": __name__,
                                              "__doc__": _class_doc(kind, name)})


def _class_doc(kind, name):
    return (f"{_line(kind, name)}\n\nAn object for reconstruct(solver=...), solve() and analytic().\n\nParameters\n----------\n"
            f"{parameter_rows(kind, name)}\n\nExamples\n--------\n>>> gantry.{tables.class_name(name)}().spec\n'{name}'\n")


_KINDS = {"analytic": (analytic, analytic), "solver": (solve, solve), "regularizer": (Penalty, Penalty.__init__)}
__all__ = []
for _kind, (_function, _own) in _KINDS.items():
    for _name in tables.names(_kind):
        __all__.append(tables.python_name(_name))
        globals()[__all__[-1]] = _made(_kind, _name, _function, _own)
for _kind in ("analytic", "solver"):
    for _name in tables.names(_kind):
        __all__.append(tables.class_name(_name))
        globals()[__all__[-1]] = _class(_kind, _name)
