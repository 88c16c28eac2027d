"""The scripts that the documents show run, and say what they promise."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

GALLERY = pathlib.Path(__file__).parents[2] / "docs" / "gallery"


def numbers(printed, pattern):
    return [float(n) for n in re.findall(pattern, printed)]


def first_is_less(found, factor):
    return len(found) == 2 and found[0] < factor * found[1]


PROMISES = {
    "quick_start": lambda out: first_is_less(numbers(out, r"(\d+) HU rms")[::-1], 0.9),
    "plug_and_play": lambda out: first_is_less(numbers(out, r"(\d+) HU rms")[::-1], 0.9),
    "learned_primal_dual": lambda out: first_is_less(numbers(out, r"error ([\d.]+)"), 0.8),
    "your_geometry": lambda out: first_is_less(numbers(out, r"rmse ([\d.]+)"), 0.95),
}


def test_every_script_has_a_promise():
    assert {path.stem for path in GALLERY.glob("*.py")} == set(PROMISES)


@pytest.mark.parametrize("name", list(PROMISES))
def test_script(name, tmp_path):
    pytest.importorskip("matplotlib", reason=f"{name}.py draws")
    if name == "learned_primal_dual":
        pytest.importorskip("torch", reason="PyTorch is not installed here")
    done = subprocess.run([sys.executable, str(GALLERY / f"{name}.py")], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONWARNINGS": "ignore"})
    assert done.returncode == 0, done.stderr
    assert PROMISES[name](done.stdout), done.stdout
    assert (tmp_path / f"{name}.png").stat().st_size > 5000
