"""The scripts in the documents run and print the promised results."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import gantry

GALLERY = pathlib.Path(__file__).parents[2] / "docs" / "gallery"


def numbers(printed, pattern):
    return [float(n) for n in re.findall(pattern, printed)]


def first_is_less(found, factor):
    return len(found) == 2 and found[0] < factor * found[1]


PROMISES = {
    "quick_start": lambda out: first_is_less(numbers(out, r"(\d+) HU rms")[::-1], 0.9),
    "plug_and_play": lambda out: first_is_less(numbers(out, r"(\d+) HU rms")[::-1], 0.9),
    "learned_denoiser": lambda out: first_is_less(numbers(out, r"(\d+) HU rms")[::-1], 0.9),
    "learned_primal_dual": lambda out: first_is_less(numbers(out, r"error ([\d.]+)"), 0.9),
    "helix": lambda out: first_is_less(numbers(out, r"noise of ([\d.]+) HU")[::-1], 0.5) and 2 < numbers(out, r"pcg: noise of ([\d.]+)")[0] < 7,
    "own_solver": lambda out: numbers(out, r"numpy: rmse ([\d.]+)")[0] < 0.8 * numbers(out, r"fdk: rmse ([\d.]+)")[0],
    "self_calibration": lambda out: first_is_less(numbers(out, r"([\d.]+) mm")[::-1], 0.1) and first_is_less(numbers(out, r"([\d.]+) degrees")[::-1], 0.45),
    "your_geometry": lambda out: first_is_less(numbers(out, r"rmse ([\d.]+)"), 0.95),
}


def test_every_script_has_a_promise():
    assert {path.stem for path in GALLERY.glob("*.py")} == set(PROMISES)


@pytest.mark.parametrize("name", list(PROMISES))
def test_script(name, tmp_path):
    pytest.importorskip("matplotlib", reason=f"{name}.py draws")
    if name in ("learned_denoiser", "learned_primal_dual", "self_calibration"):
        pytest.importorskip("torch", reason="PyTorch is not installed here")
    done = subprocess.run([sys.executable, str(GALLERY / f"{name}.py")], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONWARNINGS": "ignore"})
    assert done.returncode == 0, done.stderr
    assert PROMISES[name](done.stdout), done.stdout
    assert (tmp_path / f"{name}.png").stat().st_size > 5000


def test_notebook(tmp_path, monkeypatch):
    """All notebook cells but the first, which installs the package: figures in at most 8 lines each."""
    pytest.importorskip("matplotlib", reason="first_pictures.ipynb draws")
    cells = [c["source"] for c in json.loads((GALLERY / "first_pictures.ipynb").read_text())["cells"] if c["cell_type"] == "code"]
    lines = [line for source in cells for line in source if line.strip()]
    assert len(lines) <= 8 and lines[0].startswith("%pip install")
    monkeypatch.chdir(tmp_path)
    real = pathlib.Path(os.environ.get("GT_DATA", "")) / "tooth.h5"
    if real.is_file():
        (tmp_path / "tooth.h5").symlink_to(real)
    names = {}
    for source in cells[1:] if real.is_file() else [cells[1][:1], *cells[2:]]:
        *before, last = source
        exec("".join(before if len(source) > 1 else source), names)
        if len(source) > 1:
            assert eval(last, names)._repr_png_().startswith(b"\x89PNG")
    assert 20 < gantry.roi(names["head"], (0, -30, 0), radius=20, unit="HU").mean < 60  # the brain's 50
