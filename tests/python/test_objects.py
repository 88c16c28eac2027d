"""Solvers as objects, keywords and their types, and volumes and projections as arrays."""

import inspect
import os
import pickle
import site
import subprocess
import sys

import numpy as np
import pytest
from conftest import DEVICE, GRID, tiny

import gantry


@pytest.fixture(scope="module")
def scene():
    scan = gantry.circular(24, (9, 31), (2.5, 4.0), 500, 1000, offset=(0.4, -0.7))
    return gantry.Projections(gantry.Phantom("shepp-logan", scale=0.2).project(scan), scan)


def refused(words):
    return pytest.raises(gantry.ArgumentError, match=words)


@pytest.mark.filterwarnings("ignore::gantry.Remark")
def test_a_solver_in_three_forms(scene, tmp_path):
    forms = ("os-sart:iterations=3,subsets=4", gantry.OSSART(iterations=3, subsets=4), gantry.Solver("os_sart", iterations=3, subsets=4),
             ("os-sart", {"iterations": 3, "subsets": 4}))
    volumes = [gantry.reconstruct(scene, grid=GRID, solver=form, backend=DEVICE) for form in forms]
    gantry.reconstruct_to(scene, tmp_path / "v.nc", GRID, solver=forms[1], backend=DEVICE)
    assert volumes[0].result.iterations == 3 and volumes[0].data.any()
    for v in (*volumes[1:], gantry.read(tmp_path / "v.nc")):
        assert np.array_equal(v, volumes[0])
    penalties = "huber:strength=30,delta=5HU", gantry.huber(strength=30, delta="5HU"), ("huber", {"strength": 30, "delta": "5HU"})
    first, *others = [gantry.reconstruct(scene, grid=GRID, solver=gantry.PCG(iterations=3), penalty=p, backend=DEVICE).data for p in penalties]
    assert all(np.array_equal(first, other) for other in others)
    assert not np.array_equal(first, gantry.reconstruct(scene, grid=GRID, solver=gantry.PCG(iterations=3), backend=DEVICE).data)
    assert np.array_equal(gantry.denoise(volumes[0], penalties[1]), gantry.denoise(volumes[0], penalties[2]))


def test_solver_objects_on_arrays(scene):
    A = gantry.Projector(scene.scan, GRID, device=DEVICE)
    assert np.array_equal(gantry.solve(gantry.CGLS(iterations=4), A, scene).x, gantry.cgls(A, scene, iterations=4).x)
    assert np.array_equal(gantry.analytic(gantry.FDK(filter="hann"), scene, None, GRID, device="cpu:2"),
                          gantry.Analytic(scene.scan, GRID, gantry.FDK(filter="hann"), device="cpu:2")(scene))
    with refused("iterations: given in addition to gantry.CGLS"):
        gantry.solve(gantry.CGLS(), A, scene, iterations=3)
    with pytest.raises(gantry.UnknownNameError, match="fdk"):
        gantry.solve(gantry.FDK(), A, scene)


def test_every_method_has_a_class():
    for kind in ("analytic", "solver"):
        for name in gantry.names(kind):
            made = getattr(gantry, name.replace("-", "").upper())()
            assert isinstance(made, gantry.Solver) and (made.name, made.kind, made.spec) == (name, kind, name)
            for p in gantry.parameters(kind, name):
                assert type(made)(**{p.name: p.default}).spec.startswith(f"{name}:{p.key}=")
    one = gantry.OSSART(iterations=3, nonneg=True)
    assert repr(one) == "gantry.OSSART(iterations=3, nonneg=True)" and one.spec == "os-sart:iterations=3,nonneg=yes"
    assert pickle.loads(pickle.dumps(one)) == one != gantry.OSSART(iterations=4) and len({one, gantry.OSSART(iterations=3, nonneg=True)}) == 1
    penalty = gantry.joint_tv(strength=3)
    assert repr(penalty) == "gantry.joint_tv(strength=3)" and repr(gantry.huber(noise="9HU", delta="5HU")) == "gantry.huber(noise='9HU', delta='5HU')"
    assert pickle.loads(pickle.dumps(penalty)) == penalty != gantry.joint_tv(strength=4) and len({penalty, gantry.joint_tv(strength=3)}) == 1
    assert gantry.huber(noise="9HU") != gantry.huber(noise="8HU") and one != penalty and gantry.Denoiser(abs) != gantry.Denoiser(abs)


def test_keywords_that_do_not_exist(scene, tmp_path):
    run = lambda **k: gantry.reconstruct(scene, grid=GRID, **k)
    for call, words in ((lambda: run(solver="os-sart", iterations=5), r"iterations: a parameter of the solver, expected solver=gantry.OSSART\(iterations=5\) or "
                                                                      "solver='os-sart:iterations=5'"),
                        (lambda: run(solver=gantry.FDK(), filter="hann"), r"expected solver=gantry.FDK\(filter='hann'\)"),
                        (lambda: run(sovler="fdk"), r"sovler: unknown keyword, did you mean solver=\?"),
                        (lambda: gantry.reconstruct_to(scene, tmp_path / "v.nc", sovler="fdk"), r"did you mean solver=\?"),
                        (lambda: run(output="v.nc"), "output: unknown keyword, expected one of solver, "),
                        (lambda: run(solver=gantry.os_sart), "solver: os_sart, which is not called, expected"),
                        (lambda: run(solver=3), "solver: an int, expected 'os-sart:iterations=5', gantry.OSSART"),
                        (lambda: run(penalty=gantry.OSSART()), "penalty: a gantry.OSSART, expected 'huber"),
                        (lambda: run(solver=gantry.huber(strength=3)), "solver: a gantry.Penalty, expected"),
                        (lambda: gantry.denoise(gantry.Volume(np.zeros(GRID.shape), GRID), None), "penalty: None"),
                        (lambda: gantry.Solver(3), "name: an int"), (lambda: gantry.OSSART(iteration=3), "iteration")):
        with pytest.raises(gantry.UnknownNameError if "unknown keyword" in words or "did you" in words else gantry.ArgumentError, match=words):
            call()
    with pytest.raises(gantry.UnknownNameError, match=r"pixle: unknown keyword, did you mean pixel=\?"):
        gantry.read_options(pixle=3.0)
    with pytest.raises(gantry.UnknownNameError, match=r"unti: unknown keyword, did you mean unit=\?"):
        gantry.write(tmp_path / "v.nc", gantry.Volume(np.zeros(GRID.shape), GRID), unti="HU")


def test_keywords_are_listed_once():
    """Signatures show the keys of the TypedDict, and docstrings explain each."""
    from gantry.files import ReadOptions, WriteOptions
    from gantry.preparation import Steps
    from gantry.recon import Settings

    for function, listed in ((gantry.read_options, ReadOptions), (gantry.write, WriteOptions), (gantry.reconstruct, Settings)):
        shown = inspect.signature(function).parameters
        assert [name for name, p in shown.items() if p.kind is p.KEYWORD_ONLY] == list(listed.__annotations__)
        rows = {name for line in inspect.getdoc(function).splitlines() for name in line.partition(" :")[0].split(", ")}
        assert set(listed.__annotations__) <= rows
    assert inspect.signature(gantry.reconstruct).parameters["on_interrupt"].default == "raise"
    assert set(Steps.__annotations__) == {name.replace("-", "_") for name in gantry.preparations()}


def test_checkers_of_types_see_wrong_keywords(tmp_path):
    pytest.importorskip("mypy")
    right = """import numpy as np
from numpy.typing import NDArray
import gantry
scan = gantry.circular(angles=[0.0, 30.0], angle_unit="deg", shape=(4, 6), pitch=2.0, source_to_axis=100, source_to_detector=200)
A = gantry.Projector(scan, gantry.Grid(4, 1.0))
y: NDArray[np.float32] = A @ np.zeros(A.domain_shape, np.float32)
v = gantry.reconstruct(y, scan, solver=gantry.OSSART(iterations=2), penalty=("huber", {"strength": 3}))
n: int = v.shape[0] + len(v)
both = gantry.reconstruct([y, y], [scan, scan], penalty="joint-tv:strength=1")
w: gantry.Volume = both[0]
(A.T @ A).matvec(v[0].ravel())
"""
    wrong = ["gantry.reconstruct(y, scan, sovler='fdk')", "gantry.reconstruct_to('a.nc', 'b.nc', sovler='fdk')", "gantry.OSSART(iteration=3)",
             "gantry.OSSART(iterations='3')", "gantry.pcg(A, y, iteratons=3)", "gantry.circular(3, 4, 1.0, 5, 6, angle_unit='grad')", "v.shap",
             "A.forwards(y)", "gantry.read('a.nc', pixle=3.0)", "gantry.open('a.nc', axes=3.0)", "gantry.prepare(gantry.Projections(y, scan), rigns='all')", "gantry.reconstruct(y, scan).x"]
    (tmp_path / "user.py").write_text(right + "\n".join(wrong) + "\n")
    folder = os.path.dirname(os.path.dirname(gantry.__file__))
    path = {} if folder in site.getsitepackages() else {"MYPYPATH": folder}  # mypy finds installed packages itself
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "user.py"], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={**os.environ, **path})
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if line.startswith("user.py:") and ": error:" in line}
    first = right.count("\n") + 1
    assert found == set(range(first, first + len(wrong))), done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["volume", "projections"])
def test_they_are_arrays(kind, rng):
    shape = GRID.shape if kind == "volume" else tiny().shape
    data = rng.random(shape).astype(np.float32)
    v = gantry.Volume(data, GRID) if kind == "volume" else gantry.Projections(data, tiny())
    assert v.shape == shape and v.dtype == np.float32 and v.ndim == 3 and v.size == data.size and len(v) == shape[0]
    assert np.array_equal(v[2], data[2]) and np.array_equal(v[1:3, ::2, -1], data[1:3, ::2, -1]) and v[1, 2, 3] == data[1, 2, 3]
    for found, expected in ((v - v, data - data), (2 * v + 1, 2 * data + 1), (v / data, data / data), (-v, -data), (np.exp(v), np.exp(data)),
                            (v > 0.5, data > 0.5), (np.mean(v, axis=0), data.mean(axis=0)), (np.asarray(v, np.float64), data.astype(float)),
                            (np.add.reduce(v), data.sum(axis=0))):
        assert type(found) is np.ndarray and found.dtype == expected.dtype and np.allclose(found, expected)
    assert np.shares_memory(np.asarray(v), data) and not np.shares_memory(np.array(v), data)
    with pytest.raises(ValueError, match="copy=False: float64 differs from float32"):
        np.array(v, np.float64, copy=False)
    before, same = data.copy(), v
    v += 1
    v[0] = 7
    assert v is same and np.all(data[0] == 7) and np.allclose(data[1:], before[1:] + 1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(v)


@pytest.mark.filterwarnings("ignore::gantry.Remark")
def test_pickled_volumes_keep_their_result(scene):
    v = gantry.reconstruct(scene, grid=GRID, solver="cgls:iterations=3", backend=DEVICE)
    w = pickle.loads(pickle.dumps(v))
    assert np.array_equal(v, w) and w.grid == v.grid
    assert vars(w.result) == vars(v.result) and w.result.iterations == 3 and len(w.result.cost) == 3
    assert pickle.loads(pickle.dumps(gantry.Volume(v.data, GRID))).result is None
