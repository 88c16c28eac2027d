"""Images of counts: fields, angles and geometry as in the command, and integer output."""

import numpy as np
import pytest
from conftest import tiny

import gantry

pytestmark = pytest.mark.filterwarnings("ignore::gantry.Remark")
SIZE = (24, 6, 32)


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    """A folder with raw images, whose flat field darkens during the scan, and the options to read them."""
    folder = tmp_path_factory.mktemp("counts")
    rng = np.random.default_rng(5)
    scan = gantry.parallel(np.linspace(0, np.pi, SIZE[0], endpoint=False), SIZE[1:], 1.0)
    body = gantry.Phantom("water-cylinder", scale=0.08).project(scan)
    gain = 1 + 0.1 * rng.random(SIZE[1:])
    light = np.linspace(40000, 30000, SIZE[0])[:, None, None]
    for name, image in (("scan", 100 + light * gain * np.exp(-body)), ("before", 100 + 40000 * gain + rng.normal(0, 9, (3, *SIZE[1:]))),
                        ("after", 100 + 30000 * gain + rng.normal(0, 9, (2, *SIZE[1:]))), ("dark", np.full((2, *SIZE[1:]), 100.0))):
        np.round(image).astype("<u2").tofile(folder / f"{name}.raw")
    fields = {name: folder / f"{file}.raw" for name, file in (("flat", "before"), ("flat_after", "after"), ("dark", "dark"))}
    return folder / "scan.raw", {"raw": "u16le:32x6", "angles": "0:7.5", "pixel": 0.5, "air": "no", **fields}


def options_of(reading):
    return [word for key, value in reading.items() for word in (f"--{key.replace('_', '-')}", value)]


def test_counts_as_by_the_command(counts, command, tmp_path):
    path, reading = counts
    command("import", path, "-o", "p.nc", *options_of(reading), cwd=tmp_path)
    expected = gantry.read_projections(tmp_path / "p.nc")
    found = gantry.read_projections(path, **reading)
    assert found.scan == expected.scan and found.data.tobytes() == expected.data.tobytes() and found.scan.column_pitch == 0.5
    assert np.array_equal(gantry.open(path, **reading)[5:9], found.data[5:9])
    drifts = gantry.read_projections(path, **{**reading, "flat_after": None})
    assert np.ptp(found.data[:, :, 0]) < 0.01 < 0.2 < np.ptp(drifts.data[:, :, 0])


def test_reconstructed_from_counts_as_by_the_command(counts, command, tmp_path):
    path, reading = counts
    settings = {"grid": "12x10x4@1x1.1x1", "solver": "fbp", "backend": "cpu:2"}
    command("recon", path, "-o", "v.nc", "-q", *options_of({**reading, **settings}), cwd=tmp_path)
    expected = gantry.read_volume(tmp_path / "v.nc").data.tobytes()
    assert gantry.reconstruct(path, reading=reading, **settings).data.tobytes() == expected
    gantry.reconstruct_to(path, tmp_path / "w.nc", reading=reading, **settings)
    assert gantry.read_volume(tmp_path / "w.nc").data.tobytes() == expected


def test_what_reading_refuses(counts, tmp_path):
    path, reading = counts
    with pytest.raises(gantry.ArgumentError, match="expected both"):
        gantry.read_projections(path, **{**reading, "flat": None, "white": 4e4})
    with pytest.raises(gantry.ArgumentError, match="angle_unit 'turn': expected one of auto, deg, rad"):
        gantry.read_projections(path, **reading, angle_unit="turn")
    scan = tiny()
    gantry.write(tmp_path / "scan.nc", gantry.Projections(np.ones(scan.shape), scan))
    for name, value in (("flat_after", path), ("sinogram", True), ("pixel", 2.0)):
        with pytest.raises(gantry.ArgumentError, match=f"^{name} does not apply to a .*scan.nc"):
            gantry.read_projections(tmp_path / "scan.nc", **{name: value})
    gantry.write(tmp_path / "v.nc", gantry.Volume(np.ones((2, 3, 4)), gantry.Grid((2, 3, 4), 1.0)))
    with pytest.raises(gantry.ArgumentError, match="^axis does not apply to a .*v.nc"):
        gantry.read(tmp_path / "v.nc", axis=1.0)
    with pytest.raises(gantry.ArgumentError, match="reading: applies to files"):
        gantry.reconstruct(np.ones(scan.shape), scan, reading={"pixel": 2.0})


def test_axis_of_a_scan(tmp_path):
    scan = tiny()
    gantry.write(tmp_path / "scan.nc", gantry.Projections(np.ones(scan.shape), scan))
    moved = gantry.read(tmp_path / "scan.nc", axis=1.5)
    assert moved.scan.column_center == 1.5 != scan.column_center and moved.scan.row_center == scan.row_center
    v = gantry.reconstruct(tmp_path / "scan.nc", solver="sirt:iterations=2", reading={"axis": 1.5})
    assert v.data.tobytes() == gantry.reconstruct(moved, solver="sirt:iterations=2").data.tobytes()
    with pytest.raises(gantry.ArgumentError, match="^axis=.*99.*: expected one of"):
        gantry.read(tmp_path / "scan.nc", axis=99)


def test_volumes_as_whole_numbers(command, tmp_path, rng):
    v = gantry.Volume(0.02 * rng.random((3, 5, 6), np.float32), gantry.Grid((3, 5, 6), 1.5))
    gantry.write(tmp_path / "v.nc", v)
    gantry.write(tmp_path / "v.tif", v, number="u16", range=(0, 0.02), unit="mm-1")
    command("convert", "v.nc", "-o", "w.tif", "--number", "u16", "--range", "0:0.02", "--unit", "mm-1", cwd=tmp_path)
    assert (tmp_path / "v.tif").read_bytes() == (tmp_path / "w.tif").read_bytes()
    back = gantry.read(tmp_path / "v.tif")
    assert isinstance(back, gantry.Volume) and np.allclose(back.data, v.data, atol=0.02 / 65535)
    with pytest.raises(gantry.ArgumentError, match="range: applies to integers"):
        gantry.write(tmp_path / "x.tif", v, range=(0, 1))
    with pytest.raises(gantry.ArgumentError, match="the smaller one first"):
        gantry.write(tmp_path / "x.tif", v, number="u8", range=(1, 0))
    with pytest.raises(gantry.ArgumentError, match="number 'i16': expected one of f32, u16, u8"):
        gantry.write(tmp_path / "x.tif", v, number="i16")


def test_room_is_asked_for_before(tmp_path):
    scan, grid = tiny(), gantry.Grid((3, 5, 6), 1.5)
    for name, what in (("x.nc", scan), ("x.nc", gantry.Projections(np.ones(scan.shape), scan)), ("x.mha", grid),
                       ("x.mha", gantry.Volume(np.zeros(grid.shape), grid)), ("x", 1000)):
        gantry.check_room(tmp_path / name, what)
    for what in (10**18, gantry.Grid((10**5, 10**5, 10**5), 1.0)):
        with pytest.raises(gantry.FileError, match="x.mha"):
            gantry.check_room(tmp_path / "x.mha", what)
    with pytest.raises(gantry.ArgumentError, match="a str: expected projections"):
        gantry.check_room(tmp_path / "x.mha", "much")
