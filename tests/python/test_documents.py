"""The Python blocks of the pages run, each page in one namespace; the scripts for users of ASTRA and CIL give the object back."""

import pathlib
import re
import sys
import types
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import DEVICE

import gantry

DOCS = pathlib.Path(__file__).parents[2] / "docs"
PAGES = ["python.md", "guide/from-python.md", "guide/from-other-programs.md"]


def blocks(page, heading=""):
    text = (DOCS / page).read_text(encoding="utf-8")
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.M | re.S)[1] if heading else text
    return re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)


def run(source, names, page):
    exec(compile(source, str(DOCS / page), "exec"), names)
    return names


class CilGeometry:
    """A stand-in for CIL's geometries, with their documented members."""

    @classmethod
    def create_Cone3D(cls, source_position, detector_position):
        part, self = SimpleNamespace, cls()
        self.system = part(source=part(position=np.array(source_position)),
                           detector=part(position=np.array(detector_position), direction_x=np.array([1.0, 0, 0]), direction_y=np.array([0, 0, 1.0])),
                           rotation_axis=part(position=np.zeros(3), direction=np.array([0, 0, 1.0])))
        return self

    def set_angles(self, angles):
        self.angles = SimpleNamespace(angle_data=angles, initial_angle=0.0, angle_unit="degree")
        return self

    def set_panel(self, num_pixels, pixel_size):
        self.config = SimpleNamespace(system=self.system, angles=self.angles,
                                      panel=SimpleNamespace(num_pixels=num_pixels, pixel_size=pixel_size, origin="bottom-left"))
        self.shape = len(self.angles.angle_data), *num_pixels[::-1]
        return self

    def get_ImageGeometry(self):
        columns, rows = self.config.panel.num_pixels
        width = self.config.panel.pixel_size[0] / 2  # magnification
        ig = CilGeometry()
        ig.shape = rows, columns, columns
        for name, n in zip("zyx", ig.shape):
            vars(ig).update({f"voxel_num_{name}": n, f"voxel_size_{name}": width, f"center_{name}": 0.0})
        return ig

    def allocate(self, value=0.0):
        array = np.full(self.shape, value, np.float32)
        return SimpleNamespace(as_array=lambda: array, fill=lambda values: array.__setitem__(..., values))


@pytest.fixture
def cil(monkeypatch):
    framework = types.ModuleType("cil.framework")
    framework.AcquisitionGeometry = CilGeometry
    monkeypatch.setitem(sys.modules, "cil", types.ModuleType("cil"))
    monkeypatch.setitem(sys.modules, "cil.framework", framework)


@pytest.mark.filterwarnings("ignore::gantry.Remark")
@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, cil, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="pages draw")
    monkeypatch.chdir(tmp_path)
    scan = gantry.circular(60, (8, 32), 4.0, source_to_axis=300, source_to_detector=600)
    p = gantry.Projections(gantry.Phantom("shepp-logan", scale=0.3).project(scan), scan)
    turn = gantry.parallel(np.arange(60) * np.pi / 60, (8, 32), 2.0)
    gantry.write("tooth.nc", gantry.Projections(gantry.Phantom("shepp-logan", scale=0.3).project(turn), turn))
    names = {"gantry": gantry, "np": np, "p": p, "scan": scan, "grid": gantry.Grid((8, 32, 32), 2.0)}
    found = blocks(page)
    assert found
    for source in found:
        if "torch" in source and not has("torch"):
            continue
        if "torch" in source:
            names.update(network_of(names["grid"]))
        run(source.replace('"tooth.h5"', '"tooth.nc"').replace('"cuda:0"', repr(DEVICE)), names, page)


def network_of(grid):
    """The names of the user's network on the tested device: net(z) has the shape of the grid, y that of any projections."""
    import torch

    on = {"device": DEVICE if DEVICE.startswith("cuda") else "cpu"}
    return {"net": lambda z: z * torch.ones(grid.shape, **on), "z": torch.ones((), requires_grad=True, **on), "y": torch.zeros((), **on)}


def has(module):
    try:
        return bool(__import__(module))
    except ImportError:
        return False


def test_first_lines_of_a_user_of_astra():
    (source,) = blocks("guide/from-other-programs.md", "ASTRA")
    assert len([line for line in source.splitlines() if line.strip()]) <= 10
    names = run(source, {}, "ASTRA")
    x, found, v = names["x"], names["r"].x, names["v"]
    alike = lambda a, b: np.corrcoef(a.ravel(), b.ravel())[0, 1]
    assert alike(x, found) > 0.8 and alike(x[6], v[6]) > 0.75 and alike(x[6], v[6, ::-1]) < 0.7
    assert np.linalg.norm(names["A"](found) - names["y"]) < 0.1 * np.linalg.norm(names["y"]) and names["y"].shape == (90, 16, 64)


def test_first_lines_of_a_user_of_cil(cil):
    (source,) = blocks("guide/from-other-programs.md", "CIL")
    names = run(source, {}, "CIL")
    assert names["image"].as_array().shape == (16, 64, 64) and names["r"].iterations == 20
    assert np.array_equal(names["image"].as_array(), names["r"].x) and names["A"].scan.source_to_axis == pytest.approx(300)


def test_a_wrong_block_fails():
    with pytest.raises(gantry.UnknownNameError):
        run("import gantry\ngantry.read_options(pixle=3)", {}, "wrong")
