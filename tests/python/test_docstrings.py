"""The examples of the docstrings run, and the most used names have one, with their parameters and results."""

import doctest
import importlib
import inspect
import pkgutil
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
