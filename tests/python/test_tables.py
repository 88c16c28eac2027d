"""Functions, help and stubs match the library's tables."""

import ast
import inspect
import pathlib

import pytest

import gantry
from gantry import recon, tables

KINDS = ("analytic", "solver", "regularizer")


def stubs():
    """Returns the keywords of each function and class of methods.pyi, with their types."""
    found = {}
    for node in ast.parse(pathlib.Path(gantry.__file__).with_name("methods.pyi").read_text(encoding="utf-8")).body:
        function = node.body[0] if isinstance(node, ast.ClassDef) else node
        if isinstance(function, ast.FunctionDef):
            rows = function.args.args + function.args.kwonlyargs
            found[node.name] = {row.arg: ast.unparse(row.annotation) for row in rows if row.annotation is not None}
    return found


def test_stubs_functions_and_tables_have_the_same_keywords():
    found = stubs()
    assert set(found) == set(gantry.methods.__all__) == set(gantry._METHODS)
    kinds = {"int": "int", "float": "float", "flag": "bool", "attenuation": "float | str", "text": "str"}
    for kind in KINDS:
        for name in tables.names(kind):
            own = {p.name: kinds.get(p.kind) or f"Literal[{', '.join(c if c.isdigit() else repr(c) for c in p.choices)}]" for p in tables.parameters(kind, name)}
            function = tables.python_name(name)
            assert own.items() <= found[function].items(), name
            assert set(found[function]) == set(inspect.signature(getattr(gantry, function)).parameters), name
            if kind != "regularizer":
                assert found[tables.class_name(name)] == own, name
                assert set(inspect.signature(getattr(gantry, tables.class_name(name))).parameters) == set(own), name


@pytest.mark.parametrize("kind", KINDS)
def test_every_parameter_is_in_signature_and_help(kind):
    assert tables.names(kind)
    for name in tables.names(kind):
        function = getattr(gantry, tables.python_name(name))
        taken = inspect.signature(function).parameters
        for p in tables.parameters(kind, name):
            assert p.name in taken and p.help.lower() in function.__doc__.lower(), (name, p.key)


@pytest.mark.parametrize("kind", KINDS)
def test_defaults_there_and_back(kind):
    for name in tables.names(kind):
        given = {p.name: p.default for p in tables.parameters(kind, name)}
        words = tables.spec(kind, name, given)
        assert words.count("=") == len(given)


def test_settings_are_those_of_the_library():
    own = {"callback", "progress", "on-interrupt", "reading"}
    taken = {name.replace("_", "-") for name in recon.Settings.__annotations__}
    assert taken - own <= set(recon.keys())
    assert set(recon.keys()) - taken <= {"grid", "data", "command", "output"}


def test_names_and_their_words():
    assert gantry.Penalty("huber", strength=3, delta="5HU").spec == "huber:strength=3,delta=5HU"
    assert gantry.qggmrf(noise="10HU").spec == "qggmrf:noise=10HU"
    assert tables.spec("solver", "os_sart", {"iterations": 3, "nonneg": False}) == "os-sart:iterations=3,nonneg=no"


def test_all_that_is_public_is_there():
    for name in gantry.__all__:
        assert hasattr(gantry, name)
        assert inspect.getdoc(getattr(gantry, name)), name
