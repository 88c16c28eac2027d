"""Calls of solvers and reconstructions: callbacks, Ctrl-C, threads, processes, messages."""

import logging
import multiprocessing
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from conftest import DEVICE, GRID, tiny

import gantry

pytestmark = pytest.mark.filterwarnings("ignore::gantry.Remark")
BODY = gantry.Phantom("shepp-logan", scale=0.35)


@pytest.fixture(scope="module")
def scene():
    scan = tiny()
    A = gantry.Projector(scan, GRID, device=DEVICE)
    return A, gantry.add_noise(BODY.project(scan), 1e5, seed=1)


def test_callbacks_see_each_iteration(scene):
    A, p = scene
    seen = []
    r = gantry.pcg(A, p, penalty=gantry.qggmrf(strength=10), iterations=5, callback=lambda s: seen.append((s.iteration, s.cost, s.volume())))
    assert [s[0] for s in seen] == [1, 2, 3, 4, 5]
    assert r.iterations == 5 and not r.stopped
    assert seen[-1][1] < seen[0][1]
    assert np.array_equal(seen[-1][2], r.x)
    assert not np.array_equal(seen[0][2], r.x)


@pytest.mark.skipif(DEVICE.startswith("cuda"), reason="a GPU has its own memory")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_solvers_use_arrays_where_they_are(dtype):
    """Data, weights and results of the operator's type are not copied; the start is unchanged. Subsets upload operator tables."""
    A = gantry.Projector(tiny(), GRID, device=DEVICE, dtype=dtype)
    p, x0, out = BODY.project(tiny()).astype(dtype), np.full(GRID.shape, 0.01, dtype), np.empty(GRID.shape, dtype)
    w = np.exp(-p)

    def moved(call):
        before = A.backend.counters()
        result, after = call(), A.backend.counters()
        return result, [after[key] - before[key] for key in ("put_bytes", "gets")]

    for solver, settings, tables in (("pcg", {}, [0, 0]), ("os-sqs", {"subsets": 3}, moved(lambda: A.subsets(3))[1])):
        r, found = moved(lambda: gantry.solve(solver, A, p, x0=x0, weights=w, iterations=2, out=out, **settings))
        assert r.x is out and found == tables
        assert (x0 == dtype(0.01)).all() and not np.array_equal(out, x0)


def test_a_callback_stops(scene):
    A, p = scene
    r = gantry.pcg(A, p, iterations=50, callback=lambda s: s.iteration == 3)
    assert r.stopped and r.iterations == 3
    assert np.array_equal(r.x, gantry.pcg(A, p, iterations=3).x)
    v = gantry.reconstruct(p, A.scan, GRID, solver="cgls:iterations=50", backend=DEVICE, callback=lambda s: s.phase == "iteration" and s.iteration == 2)
    assert v.result.stopped and v.result.iterations == 2


def test_what_a_callback_raises_comes_out(scene, tmp_path):
    A, p = scene

    def fail(s):
        if s.iteration == 2:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        gantry.cgls(A, p, iterations=50, callback=fail)
    with pytest.raises(ZeroDivisionError, match="mine"):
        gantry.reconstruct(p, A.scan, GRID, solver="cgls:iterations=50", backend=DEVICE, callback=fail)

    def fail_in_checkpoint(s):
        if s.phase == "saves":
            raise OSError("mine too")

    with pytest.raises(OSError, match="mine too"):
        gantry.reconstruct(p, A.scan, GRID, solver="cgls:iterations=9", backend=DEVICE, checkpoint=f"{tmp_path}/run.ck:every=2", callback=fail_in_checkpoint)
    assert not [f for f in tmp_path.iterdir() if f.name != "run.ck"]
    assert gantry.cgls(A, p, iterations=2).iterations == 2  # nothing of that is left behind


def test_what_is_raised_at_a_later_checkpoint_leaves_one_to_go_on_from(scene, tmp_path):
    A, p = scene
    settings, saves = {"grid": GRID, "solver": "cgls:iterations=9", "init": "zero", "backend": DEVICE}, []

    def fail(s):
        if s.phase == "saves":
            saves.append(s.iteration)
            if len(saves) == 3:
                raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        gantry.reconstruct(p, A.scan, checkpoint=f"{tmp_path}/run.ck:every=2", callback=fail, **settings)
    assert [f.name for f in tmp_path.iterdir()] == ["run.ck"]
    seen = []
    resumed = gantry.reconstruct(p, A.scan, resume=tmp_path / "run.ck", **settings,
                                 callback=lambda s: s.phase == "iteration" and seen.append(s.iteration))
    assert 1 < min(seen) <= 7 and max(seen) == 9
    assert np.array_equal(resumed.data, gantry.reconstruct(p, A.scan, **settings).data)


class Asked:
    """Replaces the thread-local state: counts the library's polls and sends Ctrl-C in one of them."""

    def __init__(self, kept, press):
        vars(self).update(kept=kept, press=press, questions=0)

    @property
    def raised(self):
        if sys._getframe(1).f_code.co_name in ("gt_py_interrupted", "gt_py_fraction"):
            vars(self)["questions"] += 1
            if self.questions in self.press:
                signal.raise_signal(signal.SIGINT)
        return self.kept.raised

    @raised.setter
    def raised(self, error):
        self.kept.raised = error

    def __getattr__(self, name):
        return getattr(self.kept, name)

    def __setattr__(self, name, value):
        if name == "raised":
            type(self).raised.__set__(self, value)
        else:
            setattr(self.kept, name, value)


@pytest.fixture
def interrupt(monkeypatch):
    """interrupt(k, ...): sends Ctrl-C in the k-th poll; returns the counter of polls."""

    def press(*k):
        asked = Asked(thread, k)
        monkeypatch.setattr(gantry.errors, "thread", asked)
        return asked

    thread = gantry.errors.thread
    return press


@pytest.mark.skipif(DEVICE.startswith("cuda"), reason="within a call only the CPU asks")
@pytest.mark.parametrize("what", ["forward", "fdk", "solver", "reconstruct", "phantom"])
def test_ctrl_c_ends_a_long_call(what, interrupt):
    scan, grid = gantry.circular(360, (100, 200), 1.5, 500, 1000), gantry.Grid((100, 160, 160), 0.8)
    data = np.zeros(scan.shape, np.float32)
    A = gantry.Projector(scan, grid, device="cpu:1")
    calls = {"forward": lambda: A(np.ones(grid.shape, np.float32)),
             "fdk": lambda: gantry.fdk(data, scan, grid, device="cpu:1"),
             "solver": lambda: gantry.cgls(A, data + 1, iterations=1000),
             "reconstruct": lambda: gantry.reconstruct(data + 1, scan, grid, solver="sirt", init="zero", backend="cpu:1"),
             "phantom": lambda: BODY.project(scan, rays=6)}
    asked = interrupt(3)
    with pytest.raises(KeyboardInterrupt):
        calls[what]()
    assert asked.questions <= 5  # a run asks once more as it ends; one that goes on, every 10 ms
    small = gantry.Projector(tiny(), GRID, device="cpu:1")
    assert small(np.ones(GRID.shape, np.float32)).any()  # and the device goes on


def test_ctrl_c_may_keep_what_there_is(scene, interrupt):
    A, p = scene
    interrupt(5)
    r = gantry.cgls(A, p, iterations=1000000, on_interrupt="keep")
    assert r.stopped and r.iterations > 0 and np.isfinite(r.x).all() and r.x.any()
    interrupt(9)
    v = gantry.reconstruct(p, A.scan, GRID, solver="sirt:iterations=1000000", backend=DEVICE, on_interrupt="keep")
    assert v.result.stopped and v.data.any()
    long = gantry.Projector(gantry.circular(360, (100, 200), 1.5, 500, 1000), gantry.Grid((100, 160, 160), 0.8), device="cpu:1")
    asked = interrupt(3, 6)  # twice within the first product
    with pytest.raises(KeyboardInterrupt):
        gantry.cgls(long, np.ones(long.range_shape, np.float32), iterations=1000, on_interrupt="keep")
    assert asked.questions <= 8
    with pytest.raises(gantry.ArgumentError, match="on_interrupt 'maybe'"):
        gantry.cgls(A, p, on_interrupt="maybe")


def test_threads_share_an_operator(scene):
    A, _ = scene
    x = [np.random.default_rng(k).random(A.domain_shape, np.float32) for k in range(8)]
    expected, wrong = [A(v) for v in x], []

    def work(k):
        for _ in range(5):
            if not np.array_equal(A(x[k]), expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_threads_reconstruct_side_by_side():
    """Each thread has its own settings, callbacks, messages and failures, as if it ran alone."""
    scan = tiny()
    p = gantry.Projections(gantry.add_noise(BODY.project(scan), 1e5, seed=1), scan)
    jobs = [{"solver": "cgls:iterations=4", "backend": "cpu:1"}, {"solver": "os-sart:iterations=2,subsets=4", "backend": "cpu:2"},
            {"solver": "fdk:filter=hann", "backend": "cpu:1"}, {"solver": "fista:iterations=3", "penalty": "tv:strength=1e-3", "backend": "cpu:1x2"},
            {"solver": "pcg:iterations=3", "backend": "cpu:2"}, {"solver": "nonsense"}]
    expected = [gantry.reconstruct(p, grid=GRID, **job).data for job in jobs[:-2]]
    wrong = []

    def work(k):
        def tell(s):
            seen.append(s)
            if jobs[k]["solver"].startswith("pcg") and s.phase == "iteration" and s.iteration == 2:
                raise ZeroDivisionError(f"of thread {k}")

        for _ in range(3):
            seen = []
            try:
                v = gantry.reconstruct(p, grid=GRID, callback=tell, **jobs[k])
                if not np.array_equal(v.data, expected[k]) or len([s for s in seen if s.phase == "iteration"]) != v.result.iterations:
                    wrong.append(k)
            except ZeroDivisionError as error:
                wrong.extend([k] * (str(error) != "of thread 4"))
            except gantry.UnknownNameError as error:
                wrong.extend([k] * (k != 5 or "nonsense" not in str(error)))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(jobs))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def _in_child(queue, A, x):
    queue.put(A(x))


@pytest.mark.skipif(DEVICE.startswith("cuda"), reason="a device cannot be used after a fork")
def test_a_child_of_fork_computes_on(scene):
    A, _ = scene
    x = np.random.default_rng(4).random(A.domain_shape, np.float32)
    expected = A(x)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue, A, x))
    child.start()
    assert np.array_equal(queue.get(timeout=1200), expected)
    child.join(1200)
    assert child.exitcode == 0


EXITS = {"solver": "gantry.cgls(A, b, iterations=10**6, callback=tell)",
         "forward": "[tell(A(x)) for _ in range(10**6)]",
         "team": "[tell(B(x)) for _ in range(10**6)]",
         "denoiser": "gantry.pnp_fista(A, b, penalty=gantry.Denoiser(lambda z, t: (tell(z), z)[1]), iterations=10**6)",
         "checkpoint": "gantry.reconstruct(b, s, A.grid, solver='cgls:iterations=1000000', backend='cpu:1', checkpoint='run.ck:every=1', callback=tell)"}


@pytest.mark.parametrize("what", list(EXITS))
def test_an_interpreter_that_exits_during_a_run(what, tmp_path):
    """Exit during computing threads and callbacks is silent, and leaves no partial checkpoint."""
    code = f"""
import gantry, logging, numpy as np, sys, threading, warnings
warnings.simplefilter("ignore")
s = gantry.circular(90, (8, 32), 1., 500, 1000)
A, begun = gantry.Projector(s, device='cpu:1'), threading.Semaphore(0)
B = gantry.Projector(s, A.grid, device='cpu:1x2')
x, b = np.ones(A.domain_shape, np.float32), np.ones(s.shape, np.float32)
def tell(p):
    begun.release()
for _ in range(2):
    threading.Thread(target=lambda: {EXITS[what]}, daemon=True).start()
for _ in range(30):
    begun.acquire(timeout=600)
sys.exit(3)
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=1200, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 3
    assert not done.stderr or what == "team"  # whose threads Python refuses by then
    if what == "checkpoint":
        assert gantry.reconstruct(np.ones((90, 8, 32)), gantry.circular(90, (8, 32), 1.0, 500, 1000), solver="cgls:iterations=1000000", backend="cpu:1",
                                  resume=tmp_path / "run.ck", callback=lambda s: s.phase == "iteration").result.stopped


def test_choices_are_logged_and_remarks_are_warnings(scene, caplog):
    A, p = scene
    with caplog.at_level(logging.INFO, "gantry"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        gantry.reconstruct(p, A.scan, gantry.Grid((60, 8, 8), 3.0), backend=DEVICE)
    assert any(issubclass(w.category, gantry.Remark) and "slices" in str(w.message) and w.filename == __file__ for w in told)
    assert any("fdk" in record.message for record in caplog.records)


def test_results_say_how_it_went(scene):
    A, p = scene
    v = gantry.reconstruct(p, A.scan, GRID, solver="pcg:iterations=4", backend=DEVICE)
    assert v.result.iterations == v.result.max == 4 and len(v.result.cost) == 4
    assert "solver=pcg:iterations=4" in v.result.parameters and "solver=pcg" in v.provenance.parameters


def test_start_by_an_array(scene):
    A, p = scene
    start = np.full(GRID.shape, 0.01, np.float32)
    v = gantry.reconstruct(p, A.scan, GRID, solver="cgls:iterations=2", init=start, padding=False, outside="no", backend=DEVICE)
    assert np.array_equal(v.data, gantry.cgls(A, p, x0=start, iterations=2).x)
    with pytest.raises(gantry.ArgumentError, match="init: shape"):
        gantry.reconstruct(p, A.scan, GRID, solver="cgls", init=start[1:], backend=DEVICE)


def test_ctrl_c_in_a_message_ends_the_run(scene):
    """A signal that arrives during a report, not during a poll."""
    A, p = scene

    class Interrupted(logging.Handler):
        def emit(self, record):
            raise KeyboardInterrupt

    handler, log = Interrupted(), logging.getLogger("gantry")
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        with pytest.raises(KeyboardInterrupt):
            gantry.reconstruct(p, A.scan, GRID, solver="sirt:iterations=1000000", backend=DEVICE)
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def test_lines_of_progress_have_a_unit(scene, capsys, monkeypatch):
    """HU if the projections give the water value, else mm-1; without tqdm, a line per iteration."""
    A, p = scene
    for name in ("tqdm", "tqdm.auto"):
        monkeypatch.setitem(sys.modules, name, None)
    gantry.reconstruct(p, tiny(), water=0.02, solver="sirt:iterations=2", grid=GRID, init="zero", progress=True)
    gantry.sirt(A, p, iterations=2, progress=True)
    lines = [line for line in capsys.readouterr().err.splitlines() if ", change " in line]
    assert [line.rsplit(" ", 1)[1] for line in lines] == ["HU", "HU", "mm-1", "mm-1"]
