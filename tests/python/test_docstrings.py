"""Examples of docstrings run; the most used names have one, with parameters and results."""

import doctest
import importlib
import inspect
import pkgutil
import re
import warnings

import numpy as np
import pytest

import gantry

OPTIONAL = {"gantry.torch", "gantry.napari", "gantry.interop.deepinv", "gantry._c"}
MODULES = sorted(m.name for m in pkgutil.walk_packages(gantry.__path__, "gantry.") if m.name not in OPTIONAL)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gantry.Remark)
        for example in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name), extraglobs={"gantry": gantry, "np": np}):
            runner.run(example)
    assert runner.failures == 0


MOST_USED = """Analytic Denoiser FDK Grid OSSART Penalty Phantom Projections Projector Result Scan Solver Volume add_noise analytic backend calibrate
check circular cgls compare correct_geometry denoise devices fbp fdk formats from_matrices from_views helical huber names open os_sart parallel
parameters pcg phantoms preparations prepare profile qggmrf read read_projections read_volume reconstruct reconstruct_to roi scanner scanners sirt
solve tv write write_geometry""".split()


@pytest.mark.parametrize("name", MOST_USED)
def test_the_most_used_names_have_sections(name):
    thing = getattr(gantry, name)
    text = inspect.getdoc(thing)
    first = text.split("\n\n")[0]
    assert "\n" not in first and first.endswith("."), first
    assert re.search(r"^Examples\n-{8}\n(.*\n)*?>>> ", text, re.M)
    keywords = [p.name for p in inspect.signature(thing).parameters.values() if p.kind is not p.VAR_KEYWORD]
    for keyword in keywords if len(keywords) > 2 and name != "Scan" else []:
        assert re.search(rf"^(\S+, )*{keyword}(, \S+)*( : .*)?$", text, re.M), keyword


UNITS = {"pitch": "mm", "source_to_axis": "mm", "source_to_detector": "mm", "table_feed": "mm", "z_center": "mm", "radius": "mm", "pixel": "mm",
         "span": "mm", "voxel": "mm", "x0": r"mm\^-1", "water": r"mm\^-1", "delta": r"mm\^-1", "bounds": r"mm\^-1", "angles": "radians|FIRST",
         "offset": "[Pp]ixel", "column_offset": "[Pp]ixel", "roll": "rad"}


def rows_without_unit(text):
    """Returns the parameters of a docstring whose rows name no unit."""
    rows = re.findall(r"^(\S[^\n]*?) : ([^\n]*\n(?:    [^\n]*\n?)+)", text, re.M)
    return [name for names, row in rows for name in names.split(", ") if "{" not in row and name in UNITS and not re.search(UNITS[name], row)]


def test_quantities_have_units():
    for name in gantry.__all__:
        assert not rows_without_unit(inspect.getdoc(getattr(gantry, name)) or ""), name
    assert rows_without_unit("pitch : float\n    Pixel pitch.\n") == ["pitch"]


def test_examples_are_found_and_can_fail():
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = [e for name in MODULES for t in finder.find(importlib.import_module(name)) for e in t.examples]
    assert len(examples) > 100
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda _: None).failed == 1
