"""What cannot be is refused with a sentence: the thing, what was found, what was expected."""

import threading

import numpy as np
import pytest
from conftest import DEVICE, GRID, tiny

import gantry


def small():
    return gantry.Projector(tiny(), GRID, device=DEVICE)


def refused(kind, words):
    return pytest.raises(kind, match=words)


def test_shapes_types_and_orders():
    A = small()
    with refused(gantry.ArgumentError, r"x: shape \(3, 3, 3\), expected \(\.\.\., 7, 20, 23\): \[z\]\[y\]\[x\]"):
        A(np.zeros((3, 3, 3), np.float32))
    with refused(gantry.ArgumentError, r"\[view\]\[row\]\[column\]"):
        A.T(np.zeros(A.domain_shape, np.float32))
    with refused(gantry.ArgumentError, "dtype complex128, expected real numbers"):
        A(np.zeros(A.domain_shape, complex))
    with refused(gantry.ArgumentError, "dtype object"):
        A(np.full(A.domain_shape, None))
    with refused(gantry.ArgumentError, "float16: expected float32 or float64"):
        gantry.Projector(tiny(), GRID, dtype=np.float16)
    with pytest.raises(ValueError, match="shape"):
        A @ np.zeros(5, np.float32)


@pytest.mark.parametrize("fault", ["type", "shape", "order", "read-only", "list", "same"])
def test_out_must_fit_as_it_is(fault):
    A = small()
    x = np.ones(A.domain_shape, np.float32)
    out = np.zeros(A.range_shape, np.float32)
    if fault == "read-only":
        out.flags.writeable = False
    wrong = {"type": out.astype(np.float64), "shape": out[1:], "order": np.asfortranarray(out), "list": out.tolist()}.get(fault, out)
    with refused(gantry.ArgumentError, "out: a .*" + ("read-only" if fault == "read-only" else "") if fault != "same" else "shares memory"):
        if fault == "same":
            square = gantry.Projector(gantry.parallel(np.arange(4.0), (4, 4), 1.0), gantry.Grid(4, 1.0), device=DEVICE)
            both = np.zeros((5, 4, 4, 4), np.float32)
            square(both[:4], out=both[1:])
        else:
            A(x, out=wrong)


def test_names():
    with refused(gantry.UnknownNameError, "nonsense"):
        gantry.Projector(tiny(), GRID, "nonsense")
    with refused(gantry.UnknownNameError, "pcg"):
        gantry.solve("pcgg", small(), np.zeros(tiny().shape))
    with refused(gantry.ArgumentError, "iterations"):
        gantry.pcg(small(), np.zeros(tiny().shape), iterations=-3)
    with refused(gantry.ArgumentError, "iteration"):
        gantry.pcg(small(), np.zeros(tiny().shape), iteration=3)
    with refused(gantry.ArgumentError, "strength"):
        gantry.huber(strength="large")
    with refused(gantry.ArgumentError, "comma"):
        gantry.huber(delta="5HU,strength=3")
    with refused(gantry.UnknownNameError, "cpu"):
        gantry.Projector(tiny(), GRID, device="abacus")
    with refused(gantry.UnknownNameError, "wardrobe"):
        gantry.Phantom("wardrobe")
    with pytest.raises(TypeError, match="solvr"):
        gantry.reconstruct(gantry.Projections(np.zeros(tiny().shape), tiny()), solvr="pcg")


def test_scans_and_grids():
    with refused(gantry.ArgumentError, "detector 'round': expected one of flat, arc, parallel"):
        gantry.circular(3, 4, 1.0, 50, 100, detector="round")
    with refused(gantry.ArgumentError, "one number or two: row, column"):
        gantry.circular(3, (4, 5, 6), 1.0, 50, 100)
    with refused(gantry.ArgumentError, "one number or three: z, y, x"):
        gantry.Grid((3, 4), 1.0)
    with refused(gantry.ArgumentError, "whole numbers"):
        gantry.Grid((3, 4.5, 4), 1.0)
    with refused(gantry.ArgumentError, "pitch"):
        gantry.Grid((3, 4, 4), (1, 0, 1))
    with refused(gantry.FormatError, "view 1"):
        scan = tiny().copy()
        scan.views["row_axis"][1] = 3
        scan.check()
    with refused(gantry.ArgumentError, r"row_axis: shape \(4, 3\), expected \(3, 3\)"):
        gantry.from_views(np.zeros((3, 3)), np.ones((3, 3)), np.ones((3, 3)), np.ones((4, 3)), 4, 1.0)
    with refused(gantry.FormatError, "view 0"):
        gantry.from_matrices(np.zeros((2, 3, 4)), (4, 4), 100)
    with refused(gantry.ArgumentError, "source"):
        gantry.Projector(tiny(), gantry.Grid(50, 40.0), device=DEVICE)


def test_projections_and_volumes():
    with refused(gantry.ArgumentError, r"data: shape \(3,\), expected \(24, 9, 31\)"):
        gantry.Projections(np.zeros(3), tiny())
    with refused(gantry.ArgumentError, r"weight 0 \(view 0\) is -1"):
        gantry.Projections(np.zeros(tiny().shape), tiny(), weights=-np.ones(tiny().shape))
    with refused(gantry.ArgumentError, "position 'up': expected one of HFS"):
        gantry.Volume(np.zeros(GRID.shape), GRID, position="up")
    with refused(gantry.ArgumentError, "scan: None"):
        gantry.reconstruct(np.zeros(tiny().shape))
    with refused(gantry.ArgumentError, "photons: -1"):
        gantry.add_noise(np.zeros(4), -1)
    with refused(gantry.ArgumentError, "expected a gantry.Projector"):
        gantry.pcg(np.eye(3), np.zeros(3))
    with refused(gantry.ArgumentError, "expected a gantry.Penalty"):
        gantry.pcg(small(), np.zeros(tiny().shape), penalty="huber")
    with refused(gantry.ArgumentError, "cannot take a penalty"):
        gantry.cgls(small(), np.zeros(tiny().shape), penalty=gantry.huber())


def test_files(tmp_path):
    with refused(gantry.FileError, "nowhere.nc"):
        gantry.read(tmp_path / "nowhere.nc")
    (tmp_path / "no.nc").write_text("nothing of this kind")
    with refused(gantry.FormatError, "no.nc"):
        gantry.read(tmp_path / "no.nc")
    volume = gantry.Volume(np.zeros(GRID.shape), GRID)
    with refused(gantry.ArgumentError, "xyz"):
        gantry.write(tmp_path / "v.xyz", volume)
    with refused(gantry.ArgumentError, "expected gantry.Projections or gantry.Volume"):
        gantry.write(tmp_path / "v.nc", volume.data)
    with refused(gantry.ArgumentError, "unit 'kg': expected one of mm-1, HU, auto"):
        gantry.write(tmp_path / "v.nc", volume, unit="kg")
    assert not list(tmp_path.glob("v.*"))


def test_messages_are_of_the_thread_that_failed(tmp_path):
    found = []

    def fail(k):
        try:
            gantry.read(tmp_path / f"nowhere-{k}.nc")
        except gantry.FileError as error:
            found.append(f"nowhere-{k}.nc" in str(error))

    threads = [threading.Thread(target=fail, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [True] * 8
