"""Functions, help and stubs match the library's tables."""

import inspect
import pathlib

import pytest

import gantry
from gantry import recon, stubs, tables

KINDS = ("analytic", "solver", "regularizer")


def test_the_stubs_are_those_of_the_tables():
    stub = pathlib.Path(gantry.__file__).with_name("methods.pyi").read_text(encoding="utf-8")
    assert stub == stubs.stub(), "python -m gantry.stubs > python/gantry/methods.pyi"


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
    own = {"data", "scan", "callback", "progress", "on-interrupt", "unknown", "reading"}
    taken = {name.replace("_", "-") for name in inspect.signature(gantry.reconstruct).parameters}
    assert taken - own <= set(recon.keys())


def test_names_and_their_words():
    assert gantry.Penalty("huber", strength=3, delta="5HU").spec == "huber:strength=3,delta=5HU"
    assert gantry.qggmrf(noise="10HU").spec == "qggmrf:noise=10HU"
    assert tables.spec("solver", "os_sart", {"iterations": 3, "nonneg": False}) == "os-sart:iterations=3,nonneg=no"


def test_all_that_is_public_is_there():
    for name in gantry.__all__:
        assert hasattr(gantry, name)
        assert inspect.getdoc(getattr(gantry, name)), name
