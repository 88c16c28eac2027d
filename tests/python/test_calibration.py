"""Calibration as in `gantry calibrate`: from an unknown object, from beads, and of jittered views."""

import json
import subprocess

import numpy as np
import pytest
from conftest import COMMAND

import gantry

PLACES = np.array([(20, 0, -25), (3, 19, -18), (-17, 9, -11), (-13, -16, -3), (9, -18, 4), (19, 7, 12), (-3, 20, 19)], float)


def same(found):
    """Values of a JSON text, to its digits."""
    return pytest.approx(found, rel=1e-12, abs=0)


def told(*arguments, cwd):
    """JSON output of the command."""
    done = subprocess.run([COMMAND, *map(str, arguments), "--json"], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def beads(tmp_path_factory):
    """A folder with a scan of seven beads, a central ray displaced by 2.25 columns, and the bead positions."""
    folder = tmp_path_factory.mktemp("beads")
    balls = "".join(f"ellipsoid center={x:g},{y:g},{z:g} radius=1.2 density=0.6\n" for x, y, z in PLACES)
    (folder / "balls.shapes").write_text("unit mm-1\n" + balls)
    (folder / "places.txt").write_text("".join("{} {} {}\n".format(*at) for at in PLACES))
    scan = gantry.circular(24, (110, 90), 0.8, 400, 600)
    right = gantry.correct_geometry(scan, column_offset=2.25)
    data = gantry.add_noise(gantry.Phantom(str(folder / "balls.shapes")).project(right, rays=2), 1e5, seed=2)
    gantry.write(folder / "balls.nc", gantry.Projections(data, scan))
    return folder


def test_beads_as_by_the_command(beads, tmp_path):
    p = gantry.read_projections(beads / "balls.nc")
    expected = told("calibrate", beads / "balls.nc", "--beads", 7, "--each-view", "-o", "mended.nc", cwd=tmp_path)
    c = gantry.calibrate_beads(p, 7, each_view=True)
    assert c.scan == gantry.read_projections(tmp_path / "mended.nc", geometry_only=True).scan
    assert p.scan.column_center == 44.5 and abs(c.scan.column_center - 46.75) < 0.05
    assert c.corrections["row"].value == same(expected["corrections"]["row"]["value"])
    assert (c.before, c.after, c.views_alone) == same((expected["residual_before"], expected["residual_after"], expected["views_alone"]))
    assert [list(at) for at in c.places] == [same(bead["place"]) for bead in expected["beads"]]
    assert [list(at) for at in c.place_errors] == [same(bead["standard_error"]) for bead in expected["beads"]]
    assert np.isfinite(c.shadows[..., 0]).sum() == expected["shadows"]
    assert np.nanmax(np.hypot(*np.moveaxis(c.shadows - c.model, -1, 0))) < 1
    assert c.view_residual.shape == (24,) and c.view_errors.shape == (24, 2)


def test_beads_whose_places_are_known(beads):
    p = gantry.read_projections(beads / "balls.nc")
    by_file, by_array = gantry.calibrate_beads(p, beads / "places.txt"), gantry.calibrate_beads(p, PLACES)
    assert by_file.scan == by_array.scan and np.array_equal(by_file.places, by_array.places)
    assert by_array.corrections["axis"].identifiable and not gantry.calibrate_beads(p, 7).corrections["axis"].identifiable
    span = np.linalg.norm(PLACES[:, None] - PLACES, axis=2).max()
    assert gantry.calibrate_beads(p, 7, span=span).corrections["axis"].identifiable


def test_what_beads_refuse(beads):
    p = gantry.read_projections(beads / "balls.nc")
    for given, kind, words in ((6, gantry.UnsupportedError, "expected 6"), (3, gantry.ArgumentError, "4 to 64"), (-1, gantry.ArgumentError, "4 to 64"),
                               (PLACES[:, :2], gantry.ArgumentError, r"beads: shape \(7, 2\)"), ("none.txt", gantry.FileError, "none.txt")):
        with pytest.raises(kind, match=words):
            gantry.calibrate_beads(p, given)
    with pytest.raises(gantry.ArgumentError, match="span: found positions of the beads"):
        gantry.calibrate_beads(p, PLACES, span=50)


@pytest.fixture(scope="module")
def shaken(tmp_path_factory):
    """A scan with random shifts of some pixels per view."""
    scan = gantry.parallel(np.linspace(0, np.pi, 24, endpoint=False), (8, 32), 2.5)
    real, off = scan.copy(), np.random.default_rng(1).normal(0, 0.8, 24)
    real.views["detector"][:] += (off * 2.5)[:, None] * real.views["column_axis"]
    body = gantry.Phantom("shepp-logan", scale=0.3)
    path = tmp_path_factory.mktemp("jitter") / "scan.nc"
    gantry.write(path, gantry.Projections(gantry.add_noise(body.project(real), 1e6, seed=3), scan))
    return path, off


def test_jitter_as_by_the_command(shaken, tmp_path):
    path, off = shaken
    p = gantry.read_projections(path)
    expected = told("calibrate", path, "--jitter", "--backend", "cpu:2", "-o", "mended.nc", cwd=tmp_path)
    c = gantry.calibrate_jitter(p, backend="cpu:2")
    assert c.scan == gantry.read_projections(tmp_path / "mended.nc", geometry_only=True).scan != p.scan
    assert list(c.shifts[:, 0]) == same(expected["columns"]["shift"]) and c.shifts.shape == c.errors.shape == (24, 2)
    assert c.identifiable == (expected["columns"]["told"], expected["rows"]["told"])
    assert (c.before, c.after, c.rounds) == same((expected["residual_before"], expected["residual_after"], expected["rounds"]))
    assert c.converged and abs(np.corrcoef(c.shifts[:, 0], off)[0, 1]) > 0.7
    assert not gantry.calibrate_jitter(p, rounds=1).converged
    with pytest.raises(gantry.UnsupportedError):
        gantry.calibrate_jitter(gantry.Projections(np.zeros_like(p.data), p.scan))
    with pytest.raises(gantry.UnknownNameError, match="cpux"):
        gantry.calibrate(p, backend="cpux")
