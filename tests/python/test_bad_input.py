"""Invalid input is refused with a message: the thing, the value found, the value expected."""

import gc
import subprocess
import sys
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
    with refused(gantry.ArgumentError, "dtype complex128, expected an array of real numbers"):
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


class Elsewhere:
    """The interface description that an array of another library gives before its memory is read."""

    def __init__(self, device, requires_grad=False):
        self.device, self.requires_grad = device, requires_grad

    def __dlpack_device__(self):
        return self.device


def test_arrays_of_other_devices_and_tensors_that_record():
    A = small()
    with refused(gantry.ArgumentError, f"x: is on cuda:7, expected {A.backend.name}: make the operator with device='cuda:7', or move x"):
        A(Elsewhere((2, 7)))
    with refused(gantry.ArgumentError, "x: DLPack device 4, expected memory of the host or of CUDA"):
        A(Elsewhere((4, 0)))
    with refused(gantry.ArgumentError, "x: a tensor that records gradients, .*gantry.torch.layer"):
        A(Elsewhere((1, 0), requires_grad=True))
    with refused(gantry.ArgumentError, "angles: a tensor that records gradients, .*gantry.torch.MovingProjector by the positions"):
        gantry.parallel(Elsewhere((1, 0), requires_grad=True), (4, 6), 1.0)
    for given in ({"b": Elsewhere((2, 0))}, {"b": np.zeros(A.range_shape), "x0": Elsewhere((2, 0))}):
        with refused(gantry.ArgumentError, "is on a GPU, expected host memory"):
            gantry.cgls(A, **given)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_that_are_not_finite(value, dtype, tmp_path):
    A = small().astype(dtype)
    x, p = np.ones(A.domain_shape, dtype), np.ones(A.range_shape, dtype)
    for good in (x, -x, 1e38 * x):  # what is large and finite goes through
        A(good)
    x[3, 4, 5], p[23, 8, 30] = value, value
    with refused(gantry.ArgumentError, r"x: element \[3, 4, 5\] is"):
        A(x)
    with refused(gantry.ArgumentError, "x: "):
        A.T(np.stack([np.ones_like(p), p]))
    with refused(gantry.ArgumentError, rf"b: element \[23, 8, 30\] is {value}, expected finite numbers"):
        gantry.cgls(A, p)
    with refused(gantry.ArgumentError, r"x0: element \[3, 4, 5\] is"):
        gantry.cgls(A, np.ones_like(p), x0=x)
    with refused(gantry.ArgumentError, r"data: element \[23, 8, 30\] is"):
        gantry.fdk(p, tiny(), GRID, device=DEVICE)
    with refused(gantry.FormatError, "1 values are not finite"):
        gantry.reconstruct(p, tiny(), GRID, backend=DEVICE)
    with refused(gantry.ArgumentError, r"voxel \[3\]\[4\]\[5\] is"):
        gantry.reconstruct(np.ones_like(p), tiny(), GRID, solver="cgls", init=x, backend=DEVICE)
    with refused(gantry.UnsupportedError, "values are not finite"):
        gantry.write(tmp_path / "v.nc", gantry.Volume(x, GRID))
    assert A(np.ones_like(x)).any()


def test_one_number_in_many(rng):
    """Large arrays are checked in chunks, by several threads."""
    scan, grid = gantry.parallel([0.3], (2, 9), 8.0), gantry.Grid((7, 150, 151), 1.0)
    A = gantry.Projector(scan, grid, device="cpu:2")
    for number in (0, 65535, 65536, grid.shape[0] * 150 * 151 - 1):
        x = rng.random(grid.shape, np.float32)
        assert A(x).any()
        x.flat[number] = np.nan
        with refused(gantry.ArgumentError, rf"x: element \[{', '.join(map(str, np.unravel_index(number, x.shape)))}\] is nan"):
            A(x)


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
    with refused(gantry.UnknownNameError, r"solvr: unknown keyword, did you mean solver=\?"):
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
    with refused(gantry.ArgumentError, r"penalty: a function, expected gantry.Denoiser\(function\)"):
        gantry.pcg(small(), np.zeros(tiny().shape), penalty=lambda z, t: z)
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


def test_denoising(tmp_path):
    v, p = gantry.Volume(np.ones(GRID.shape), GRID), gantry.Projections(np.ones(tiny().shape), tiny())
    for wrong in (v.data, [], [v, p], None):
        with refused(gantry.ArgumentError, "expected a gantry.Volume, a list of them, or gantry.Projections"):
            gantry.denoise(wrong, "tv:strength=1e-3")
    with refused(gantry.UnknownNameError, "wardrobe"):
        gantry.denoise(v, "wardrobe")
    with refused(gantry.ArgumentError, "strength"):
        gantry.denoise(v, gantry.tv())
    with refused(gantry.ArgumentError, "precision 'half': expected 'single' or 'double'"):
        gantry.denoise(v, "tv:strength=1e-3", precision="half")
    with refused(gantry.ArgumentError, "0 iterations"):
        gantry.denoise(v, "huber:strength=1e-3", iterations=0)
    with refused(gantry.ArgumentError, "does not accept functions"):
        gantry.denoise(v, gantry.Denoiser(lambda z, t: z))


@pytest.mark.skipif(DEVICE.startswith("cuda"), reason="of a GPU: test_devices.py")
def test_an_operator_after_its_device_failed(rng):
    """A sticky device failure from queued work is reported once with its message; then the device continues."""
    A, B, x = small(), gantry.Analytic(tiny(), GRID, device=DEVICE), rng.random(GRID.shape, np.float32)
    y, out = np.ones(A.range_shape, np.float32), gantry._c.ffi.new("gt_array **")
    calls = [lambda: A(x), lambda: A.T(y), lambda: A(np.stack([x, x])), lambda: B(y), lambda: gantry.cgls(A, y, iterations=3),
             lambda: gantry.fdk(y, tiny(), GRID, device=DEVICE), lambda: gantry.Projector(tiny(), GRID, device=DEVICE), A.mismatch]
    for call in calls:
        call()
    gc.collect()
    expected, held = A(x), A.backend.counters()["bytes"]
    for call in calls:
        gantry._c.lib.gt_array_new(A.backend.c, gantry._c.lib.GT_F32, 5, out)
        gantry._c.lib.gt_forward(A.c, out[0], out[0])  # an array that does not fit
        gantry._c.lib.gt_array_free(out[0])
        with refused(gantry.ArgumentError, "5"):
            call()
        gc.collect()  # exceptions hold what was computed
        assert np.array_equal(A(x), expected) and A.backend.counters()["bytes"] == held


def test_memory_that_is_not_there():
    """In a process with a memory limit: a message, and work that fits continues."""
    code = """
import resource, numpy as np, gantry
s = gantry.circular(24, (9, 31), 4.0, 500, 1000)
A = gantry.Projector(s, gantry.Grid(20, 2.0), device="cpu:1")
before = A(np.ones(A.domain_shape, np.float32))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 300 * 2**20,) * 2)
for call in (lambda: gantry.fdk(np.ones(s.shape), s, gantry.Grid(800, 0.02), device="cpu:1"),
             lambda: gantry.Phantom("shepp-logan").voxelise(gantry.Grid(1000, 0.1)),
             lambda: gantry.reconstruct(np.ones(s.shape), s, gantry.Grid(800, 0.02), solver="cgls:iterations=1", init="zero", backend="cpu:1")):
    try:
        call()
    except MemoryError as error:
        print(type(error).__name__, error)
assert np.array_equal(A(np.ones(A.domain_shape, np.float32)), before)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 3, done.stdout + done.stderr


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


def test_messages_have_the_arguments_of_python():
    from gantry.errors import in_python

    for given, expected in (("use a wider --grid", "use a wider grid="), ("counts above 0, or --weights uniform", "counts above 0, or weights='uniform'"),
                            ("(--force takes them)", "(force=True takes them)"), ("--device-memory 4GiB helps", "device_memory='4GiB' helps"),
                            ("--solver os-sart:iterations=20; then", "solver='os-sart:iterations=20'; then"), ("--weights=noise", "weights='noise'"),
                            ("try gantry prepare --rings all; or --axis 3.5", "try gantry prepare --rings all; or axis=3.5"),
                            ("--projector sf-tr takes it", "projector='sf-tr' takes it"), ("use --projector joseph", "use projector='joseph'"),
                            ("(--no-check leaves it out)", "(check=False leaves it out)"), ("an iterative --solver reduces them", "an iterative solver= reduces them"),
                            ("--preset iterative: --solver os-sqs:iterations=20,subsets=7 --weights model --penalty qggmrf:c=10HU,strength=auto; then",
                             "preset='iterative': solver='os-sqs:iterations=20,subsets=7' weights='model' penalty='qggmrf:c=10HU,strength=auto'; then"),
                            ("or use --preset fast", "or use preset='fast'"), ("--axis=99: expected", "axis=99: expected"),
                            ("--scratch=/tmp/none: is not a folder", "scratch='/tmp/none': is not a folder"), ("--split=slices: one", "split='slices': one"),
                            ("--geometry counts/scan.xtekct, the file", "geometry='counts/scan.xtekct', the file"), ("--like truth.nc)", "like='truth.nc')"),
                            ("expected --raw TYPE:COLUMNSxROWS, as", "expected raw=TYPE:COLUMNSxROWS, as"), ("--grid N", "grid=N"), ("a --grid. Or", "a grid=. Or"),
                            ("--penalty joint-tv:strength=... or", "penalty='joint-tv:strength=...' or"), ("--grid holds air", "grid= holds air"),
                            ("a --x-y --bb", "a x_y= bb="), ("3--4 and co--op", "3--4 and co--op"), ("no option", "no option")):
        assert in_python(given) == expected
    assert in_python("--projector sf-tr", {"projector": "model"}) == "model='sf-tr'"
    with refused(gantry.UnsupportedError, "model='sf-tr' takes it"):
        gantry.Projector(gantry.circular(30, (1, 340), (0.28, 0.7), 80, 100), gantry.Grid((1, 64, 64), 1.0), device="cpu:1")
    p = gantry.Projections(np.full(tiny().shape, 60000.0), tiny())
    with refused(gantry.FormatError, r"are they counts.*\(force=True takes them\)"):
        gantry.reconstruct(p, grid=GRID, solver="fdk")
    with pytest.warns(gantry.Remark, match="values from 6e.04 to 6e.04, expected line integrals"):
        gantry.fdk(p, grid=GRID)
    with pytest.warns(gantry.Remark, match="use a wider grid="):
        gantry.reconstruct(np.full(tiny().shape, 2, np.float32), tiny(), GRID, solver="cgls:iterations=1")


def test_refusals_name_the_cure(monkeypatch):
    y, A = np.ones(tiny().shape, np.float32), gantry.Projector(tiny(), GRID, device=DEVICE)
    for call, words in ((lambda: gantry.circular(12, (6, 16), 4.0, 400, 200), "200 mm, expected at least source_to_axis, 400 mm: are the two exchanged"),
                        (lambda: gantry.fdk("scan.nc"), r"data: a str, expected .*: gantry.read\(\) reads a file"),
                        (lambda: A(np.ones(GRID.shape, complex)), "x: .*complex128, expected .*: x.real is the real part"),
                        (lambda: gantry.parallel(0.3, 4, 1.0), r"expected one number per view, as \[0.3\]"),
                        (lambda: gantry.pnp_fista(A, y, penalty=gantry.Denoiser(lambda z, t: z.__imul__(0.9), "mine"), iterations=2),
                         r"mine: changes its volume z in place, expected a new array, as z \* 0.9")):
        with refused(gantry.ArgumentError, words):
            call()
    gantry.circular(12, (6, 16), 4.0, 200, 200)  # a detector at the axis
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ImportError, match="needs xarray: pip install"):
        gantry.Projections(y, tiny()).to_xarray()


def test_wrong_types_name_the_argument(tmp_path):
    pytest.importorskip("matplotlib")
    with refused(gantry.UnknownNameError, "kind 3: expected one of projector"):
        gantry.names(3)
    scan, y = tiny(), np.ones(tiny().shape, np.float32)
    v = gantry.Volume(np.zeros(GRID.shape), GRID)
    for call, words in ((lambda: gantry.Projector(scan, (5, 14, 14)), r"grid: a tuple, expected a gantry.Grid"),
                        (lambda: gantry.Projector(y, GRID), "scan: a numpy.ndarray, expected a gantry.Scan"),
                        (lambda: gantry.Projector(scan, GRID, 3), "model: an int, expected"),
                        (lambda: gantry.fdk(y, scan, (5, 14, 14)), "grid: a tuple"), (lambda: gantry.fdk(scan, y), "data: a gantry.Scan, expected projections"),
                        (lambda: gantry.fdk(None, scan), "data: None"), (lambda: gantry.fdk("scan", scan), "data: a str"),
                        (lambda: gantry.fdk(v), "data: a gantry.Volume, expected projections"),
                        (lambda: gantry.reconstruct(v), "data: a gantry.Volume, expected projections"),
                        (lambda: gantry.reconstruct(y, scan, (5, 14, 14)), "grid: a tuple, expected a gantry.Grid"),
                        (lambda: gantry.reconstruct(y, "scan"), "scan: a str, expected a gantry.Scan"),
                        (lambda: gantry.Projections(y, GRID), "scan: a gantry.Grid"), (lambda: gantry.Volume(y, scan), "grid: a gantry.Scan"),
                        (lambda: gantry.Phantom("shepp-logan").project(GRID), "scan: a gantry.Grid"),
                        (lambda: gantry.Phantom("shepp-logan").voxelise(scan), "grid: a gantry.Scan"),
                        (lambda: gantry.prepare(y, auto=True), "p: a numpy.ndarray, expected gantry.Projections"),
                        (lambda: gantry.calibrate(y), "p: a numpy.ndarray, expected gantry.Projections"),
                        (lambda: gantry.calibrate_jitter(v), "p: a gantry.Volume, expected gantry.Projections"),
                        (lambda: gantry.calibrate_beads(v, 12), "p: a gantry.Volume, expected gantry.Projections"),
                        (lambda: gantry.check(v), "p: a gantry.Volume, expected gantry.Projections"),
                        (lambda: gantry.compare(v, v, (3, 4, 5)), "grid: a tuple"), (lambda: gantry.roi(y, (0, 0, 0), 3), "v: a numpy.ndarray, expected a gantry.Volume"),
                        (lambda: gantry.mtf(y, (0, 0), 3), "v: a numpy.ndarray"), (lambda: gantry.fsc(v, y), "other: a numpy.ndarray"),
                        (lambda: gantry.profile(y, (0, 0, 0), (1, 1, 1)), "v: a numpy.ndarray"), (lambda: gantry.write_geometry(tmp_path / "a.xml", y), "scan: a numpy"),
                        (lambda: gantry.correct_geometry(y), "scan: a numpy"), (lambda: gantry.cgls(y, y), "A: a ndarray, expected a gantry.Projector|A: a numpy"),
                        (lambda: gantry.cgls(gantry.Projector(scan, GRID), y, callback=3), "callback: an int"),
                        (lambda: gantry.cgls(gantry.Projector(scan, GRID), y, bounds=3), "bounds: 3, expected the lowest"),
                        (lambda: gantry.reconstruct(y, scan, GRID, callback=3), "callback: an int"), (lambda: scan.difference(3), "other: an int"),
                        (lambda: scan.subset("a", 2), "first: 'a', expected a number"), (lambda: scan.run(0.5, 3), "first, end: 0.5, 3, expected whole"),
                        (lambda: gantry.Grid.parse(3), "spec: an int"), (lambda: gantry.add_noise(y, "3"), "photons: '3', expected a number"),
                        (lambda: gantry.Volume(v.data, GRID, water="a"), "water: 'a'"), (lambda: gantry.Projections(y, scan, water="a"), "water: 'a'"),
                        (lambda: gantry.roi(v, 3, 4), "center: 3, expected x, y, z"), (lambda: gantry.profile(v, 0, (1, 1, 1)), "start: 0, expected"),
                        (lambda: gantry.reconstruct("a.nc", reading=3), "reading: an int"), (lambda: gantry.parameters("solver", 3), "name: 3"),
                        (lambda: gantry.write(tmp_path / "v.tif", v, number="u16", range=3), "range: 3, expected two"),
                        (lambda: gantry.plot_geometry(y), "scan: a numpy"), (lambda: gantry.plot_geometry(scan, (3, 4, 5)), "grid: a tuple"),
                        (lambda: gantry.read(3), "path: an int, expected a path"), (lambda: gantry.write(3, v), "path: an int"),
                        (lambda: gantry.fdk(y[:, 0], scan, GRID), r"data: shape \(24, 31\), expected \(24, 9, 31\)"),
                        (lambda: gantry.fbp(np.zeros((30, 64)), gantry.parallel(np.arange(30.0) / 10, (1, 64), 1.0)), r"data\[:, None\] adds the axis"),
                        (lambda: gantry.fdk(y.transpose(1, 0, 2), scan, GRID), r"np.transpose\(data, \(1, 0, 2\)\) has this shape")):
        with refused(gantry.ArgumentError, words):
            call()
