"""Preparation, calibration, measurements, geometry files and pages: equal to the command."""

import json
import os
import re
import signal
import subprocess
import threading
import urllib.request

import numpy as np
import pytest
from conftest import COMMAND, DEVICE, GRID, tiny

import gantry


def same(found):
    """Values of a JSON text, to its digits."""
    return pytest.approx(found, rel=1e-12, abs=0)


def told(*arguments, cwd):
    """JSON output of the command."""
    done = subprocess.run([COMMAND, *map(str, arguments), "--json"], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def scan():
    return gantry.circular(40, (6, 48), (4.0, 5.0), 500, 1000, offset=(0, 0.6))


@pytest.fixture(scope="module")
def data(scan):
    body = gantry.Phantom("shepp-logan", scale=0.5, shift=(9, 14, 0)).project(scan)
    noisy = np.array(gantry.add_noise(body, 1e4, seed=4))
    noisy[:, 2, 20] += 0.4  # a ring
    noisy[7, 3, 11] = -2.0  # a zinger
    return gantry.Projections(noisy, scan, photons=np.full(scan.shape, 1e4), water=0.021, position="FFS")


@pytest.mark.parametrize("steps, options", [
    ({"rings": "gain", "zingers": "auto"}, ["--rings", "gain", "--zingers", "auto"]),
    ({"bin": 2, "views": "1:-2:3"}, ["--bin", "2", "--views", "1:-2:3"]),
    ({"beam_hardening": {"polynomial": "1.0:0.05"}, "scatter": "fraction=0.02"},
     ["--beam-hardening", "polynomial=1.0:0.05", "--scatter", "fraction=0.02"]),
    ({"bad_pixels": "views", "crop": "first-columns=3"}, ["--bad-pixels", "views", "--crop", "first-columns=3"]),
    ({"auto": True}, ["--auto"]),
], ids=lambda v: "" if isinstance(v, list) else "-".join(v))
def test_prepared_as_by_the_command(data, command, tmp_path, steps, options):
    gantry.write(tmp_path / "scan.nc", data)
    command("prepare", "scan.nc", "-o", "p.nc", *options, cwd=tmp_path)
    expected = gantry.read_projections(tmp_path / "p.nc")
    before = data.data.copy()
    found = gantry.prepare(gantry.read_projections(tmp_path / "scan.nc"), **steps)
    assert found.scan == expected.scan and found.data.tobytes() == expected.data.tobytes()
    assert np.array_equal(gantry.prepare(data, **steps).data, found.data) and np.array_equal(data.data, before)
    assert found.water == expected.water and found.position == "FFS" and found.photons.tobytes() == expected.photons.tobytes()


def test_what_prepare_refuses(data):
    with pytest.raises(gantry.ArgumentError, match="step 'ring': expected one of lag, views, crop"):
        gantry.prepare(data, ring="gain")
    with pytest.raises(gantry.Error, match="gian"):
        gantry.prepare(data, rings="gian")
    with pytest.raises(gantry.ArgumentError, match="flats: shape"):
        gantry.prepare(data, bad_pixels="fields", flats=np.ones((2, 3, 3)))


def test_fields_find_bad_pixels(data, rng):
    flats = rng.normal(1000, 10, (6, *data.scan.shape[1:]))
    flats[:, 4, 33] = 3.0
    found = gantry.prepare(data, bad_pixels="fields", flats=flats, darks=rng.normal(10, 1, (6, *data.scan.shape[1:])))
    assert np.all(found.weights[:, 4, 33] == 0) and np.all(found.weights[:, 4, 30] > 0)


def test_fields_are_those_of_what_a_crop_leaves(data, rng):
    """A dead pixel of the flat fields is also found after a crop, at its new position, but not after binning."""
    flats = rng.normal(1000, 10, (6, *data.scan.shape[1:]))
    flats[:, 4, 33] = 3.0
    darks = rng.normal(10, 1, (6, *data.scan.shape[1:]))
    found = gantry.prepare(data, crop="first-columns=3", bad_pixels="fields", flats=flats, darks=darks)
    assert found.scan.shape[2] == data.scan.shape[2] - 3
    assert np.all(found.weights[:, 4, 30] == 0) and np.all(found.weights[:, 4, 33] > 0)


def test_what_follows_each_step_of_a_preparation(data):
    told = []
    done = gantry.prepare(data, auto=True, bin=2, after=lambda step, p: told.append((step, p)))
    names = [step for step, _ in told]
    assert names[-1] == "bin" and len(names) > 1 and set(names) <= set(gantry.preparations())
    assert np.array_equal(told[-1][1].data, done.data) and told[0][1].scan.shape == data.scan.shape
    assert told[0][1].position == "FFS" and not np.array_equal(told[0][1].data, data.data)

    def refuse(step, p):
        raise KeyError(step)

    for steps in ({"auto": True}, {"bin": 2}):
        with pytest.raises(KeyError):
            gantry.prepare(data, after=refuse, **steps)
    assert np.array_equal(gantry.prepare(data, bin=2).data, gantry.prepare(data, bin=2, backend="cpu:1").data)


def test_calibrated_as_by_the_command(data, tmp_path):
    shifted = gantry.correct_geometry(data.scan, column_offset=1.8)
    wrong = gantry.Projections(data.data, shifted)
    gantry.write(tmp_path / "scan.nc", wrong)
    settings = {"find": "axis,roll", "columns": 32, "views": 20}
    expected = told("calibrate", "scan.nc", *[f"--{k}={v}" for k, v in settings.items()], cwd=tmp_path)
    c = gantry.calibrate(gantry.read_projections(tmp_path / "scan.nc"), **settings)
    assert c.scan.column_center == same(expected["column_center"]) and c.converged
    assert c.corrections["center"].value == same(expected["corrections"]["center"]["value"])
    assert np.isclose(np.degrees(c.corrections["roll"].error), expected["corrections"]["roll"]["standard_error"], rtol=1e-12)
    assert (c.before, c.after, c.iterations) == same((expected["residual_before"], expected["residual_after"], expected["iterations"]))
    assert abs(c.scan.column_center - data.scan.column_center) < 0.3 and wrong.scan.column_center == shifted.column_center
    with pytest.raises(gantry.ArgumentError, match="find: 'centre', expected names out of center, roll"):
        gantry.calibrate(data, find="centre")


def test_figures_of_the_command(tmp_path, rng):
    grid = gantry.Grid((9, 72, 70), (2.0, 1.0, 1.1), (0.5, 1, -2))
    z, y, x = np.meshgrid(*(grid.axis(a) for a in "zyx"), indexing="ij")
    soft = 1 / (1 + np.exp((np.hypot(x - 2, y + 3) - 18) / 0.8))
    volumes = [gantry.Volume(0.02 * soft + 0.002 * rng.normal(size=grid.shape), grid) for _ in range(2)]
    for name, v in zip("ab", volumes):
        gantry.write(tmp_path / f"{name}.nc", v)
    a, b = (gantry.read_volume(tmp_path / f"{name}.nc") for name in "ab")
    report = told("measure", "a.nc", "b.nc", "--roi", "2,-3,1,9,6;-22,20,1,6", "--profile", "2,-3,0,30,-3,2", "--points", 17, "--mtf", "2,-3,18",
                  "--nps", "2,-3,0,14,6", "--side", 8, "--fsc", "b.nc", cwd=tmp_path)
    curves = {c["name"]: c["y"] for c in report["curves"]}
    inner, outer = gantry.roi(a, (2, -3, 1), 9, 6), gantry.roi(a, (-22, 20, 1), 6)
    assert inner.mean == same(report["regions"][0]["mean"]) and inner.voxels > 500
    assert gantry.contrast_to_noise(inner, outer) == same(report["regions"][1]["contrast_to_noise"])
    assert np.isclose(gantry.roi(a, (2, -3, 1), 9, 6, unit="HU").mean, 1000 * (inner.mean / a.water - 1), atol=0.5)
    assert list(gantry.profile(a, (2, -3, 0), (30, -3, 2), 17)[1]) == same(curves["profile"])
    m, s, f = gantry.mtf(a, (2, -3), 18), gantry.nps(a, (2, -3, 0), 14, 6, other=b, side=8), gantry.fsc(a, b)
    assert list(m.value) == same(curves["MTF"]) and m.f50 == same(report["mtf"]["f50"]) and abs(m.radius - 18) < 0.5
    assert list(s.value) == same(curves["NPS"]) and s.variance == same(report["nps"]["variance"])
    assert list(f.value) == same(curves["FSC"]) and list(f.half_bit) == same(curves["half bit"])
    with pytest.raises(gantry.Error, match="no voxel of the volume lies in it"):
        gantry.roi(a, (500, 0, 0), 5)
    with pytest.raises(gantry.ArgumentError, match="expected one grid"):
        gantry.fsc(a, gantry.Volume(np.zeros(GRID.shape), GRID))


@pytest.mark.parametrize("name", ["scan.xml", "scan.json", "scan.leap"])
def test_geometry_files(command, tmp_path, name):
    scan = gantry.circular(7, (9, 13), (2.5, 4.0), 500, 1000, offset=(0.4, -0.7), start_angle=0.2)
    gantry.write_geometry(tmp_path / name, scan)
    lacks = {"rows": 9, "columns": 13, "row_pitch": 2.5, "column_pitch": 4.0} if name == "scan.xml" else {}  # RTK's file says less
    command("geometry", name, "-o", "back.nc", *[f"--{k.replace('_', '-')}={v}" for k, v in lacks.items()], cwd=tmp_path)
    back = gantry.read_geometry(tmp_path / name, **lacks)
    assert back == gantry.read_projections(tmp_path / "back.nc", geometry_only=True).scan
    x = np.random.default_rng(3).random(GRID.shape).astype(np.float32)
    # RTK's columns are reversed, as the written file states
    y = [gantry.Projector(s, GRID, device=DEVICE)(x) for s in (scan, back)]
    assert np.allclose(y[0], y[1][:, :, ::-1] if name == "scan.xml" else y[1], atol=1e-3 * y[0].max())
    assert {"rtk", "astra", "leap", "nikon"} <= set(gantry.geometry_formats())


def test_geometries_are_corrected_and_refused(tmp_path):
    scan = tiny()
    c = gantry.correct_geometry(scan, roll=0.1, source_to_detector=1100.0, reverse_rows=True)
    assert c.source_to_detector == 1100 and scan.source_to_detector == 1000
    assert np.allclose((c.views["column_axis"] * scan.views["column_axis"]).sum(1), np.cos(0.1))
    assert np.allclose(c.views["row_axis"][:, 2], -np.cos(0.1)) and c.row_center == pytest.approx(8 - scan.row_center)
    with pytest.raises(gantry.UnknownNameError, match="geometry format"):
        gantry.read_geometry(__file__, format="rtc")
    with pytest.raises(gantry.ArgumentError, match="direction 'back': expected one of auto, as-file, reversed"):
        gantry.read_geometry(__file__, direction="back")
    with pytest.raises(gantry.Error):
        gantry.write_geometry(tmp_path / "arc.leap", tiny("arc"))
    assert not os.path.exists(tmp_path / "arc.leap")


def test_pages(tmp_path, rng):
    v = gantry.Volume(0.02 * rng.random(GRID.shape, np.float32), GRID)
    gantry.page(tmp_path / "p.html", ("before & after", v), gantry.Projections(rng.random(tiny().shape, np.float32), tiny()), title="A <page>", window=(0, 0.02))
    written = (tmp_path / "p.html").read_text()
    assert "A &lt;page&gt;" in written and "before" in written and len(written) > 10000
    with pytest.raises(gantry.ArgumentError, match="expected a gantry.Volume or"):
        gantry.page(tmp_path / "q.html", v.data)
    with pytest.raises(gantry.Error):
        gantry.page(tmp_path / "q.html")


def test_served_page(rng):
    """The page is served until it is interrupted; an exception in `ready` ends it too."""
    v = gantry.Volume(0.02 * rng.random(GRID.shape, np.float32), GRID)
    told = []

    def visit(address):
        told.append(address)

        def ask():
            with urllib.request.urlopen(address) as page:
                told.append(page.read().decode())
            with urllib.request.urlopen(f"{address}plane/0/2/1/1/slice") as plane:
                told.append(plane.read())
            signal.raise_signal(signal.SIGINT)

        threading.Thread(target=ask).start()

    gantry.serve(("before & after", v), ready=visit)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", told[0])
    assert "before" in told[1]
    plane = np.frombuffer(told[2], "<f4")[-v.data[1].size:].reshape(v.data[1].shape)
    assert np.array_equal(plane, v.data[1])

    def refuse(address):
        raise ValueError(address)

    with pytest.raises(ValueError, match="http://127"):
        gantry.serve(v, ready=refuse)
    with pytest.raises(gantry.ArgumentError, match="expected a gantry.Volume or"):
        gantry.serve(v.data)
