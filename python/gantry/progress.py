"""Progress of iterations: callbacks, bars, and Ctrl-C that keeps the current result."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._c import ffi, lib
from .arguments import kind_of
from .backend import Array, pointer
from .errors import ArgumentError, keep, settle, thread

NUMBERS = ("cost", "data", "penalty", "gradient", "residual", "change")
PHASES = ("reading", "begins", "iteration", "saves", "ends", "slab", "writes", "fraction")


class Progress:
    """One iteration, or a phase of a reconstruction. Unknown numbers are nan.

    phase: "iteration", or of reconstruct() also "reading", "begins", "saves", "ends", "slab", "writes", "fraction"
    (an iteration or a direct method is in progress), with `done` from 0 to 1.
    cost = data + penalty; residual |Ax - b| (of reconstruct(): over |b|); change: root mean square change in this iteration, mm^-1.
    """

    phase = "iteration"
    done = float("nan")
    text = ""
    iteration: int
    iterations: int
    cost: float
    data: float
    penalty: float
    gradient: float
    residual: float
    change: float
    water: float = 0.0
    """Attenuation of water (mm^-1) by the scan or the user; 0: unknown."""

    def __init__(self, c: Any) -> None:
        self.iteration, self.iterations = int(c.iteration), int(c.iterations)
        for name in NUMBERS:
            setattr(self, name, float(getattr(c, name)))
        self._volume: Callable[[], Array] | None = None

    def volume(self) -> Array:
        """A copy of the current volume; for solvers alone, and only during the callback."""
        if self._volume is None:
            raise ArgumentError("volume: available only in the callback of a solver's iteration")
        return self._volume()

    def __repr__(self) -> str:
        return f"<{self.phase} {self.iteration} of {self.iterations}: cost {self.cost:g}, change {self.change:g}>"


Callback = Callable[[Progress], Any]


class Call:
    """A library call that reports iterations. callback may return True to stop; its exceptions end the call."""

    def __init__(self, callback: Callback | None, progress: bool, on_interrupt: str, name: str) -> None:
        if on_interrupt not in ("raise", "keep"):
            raise ArgumentError(f"on_interrupt {on_interrupt!r}: expected 'raise' or 'keep'")
        if callback is not None and not callable(callback):
            raise ArgumentError(f"callback: {kind_of(callback)}, expected a function of a gantry.Progress")
        self.callback, self.keeps = callback, on_interrupt == "keep"
        self.bar = _bar(name) if progress else None
        self.last: Progress | None = None
        self.shape: tuple[int, ...] = ()
        self.dtype: Any = None
        self.handle = ffi.new_handle(self)

    def told(self, p: Progress) -> int:
        """1 to stop."""
        if p.phase == "iteration":
            self.last = p
            if self.bar:
                self.bar(p)
        stop = bool(self.callback(p)) if self.callback else False
        p._volume = None
        return int(stop or thread.interrupted or thread.raised is not None)

    @contextlib.contextmanager
    def runs(self) -> Iterator[None]:
        """Context of the call: raises stored exceptions at its end."""
        before, thread.keeps, thread.interrupted = (thread.keeps, thread.interrupted), self.keeps, False
        try:
            yield
        finally:
            thread.keeps, thread.interrupted = before
            if self.bar:
                self.bar(None)
        settle()


@ffi.def_extern(error=1, onerror=keep)  # type: ignore[untyped-decorator]
def gt_py_iteration(self: Any, c: Any) -> int:
    """Callback of a solver after each iteration."""
    call: Call = ffi.from_handle(self)
    p = Progress(c)

    def volume() -> Array:
        x = np.empty(call.shape, call.dtype)
        lib.gt_array_get(c.x, pointer(x, "void *"))
        return x

    p._volume = volume
    return call.told(p)


@ffi.def_extern(error=1, onerror=keep)  # type: ignore[untyped-decorator]
def gt_py_phase(self: Any, c: Any) -> int:
    """Callback of a reconstruction at each phase."""
    call: Call = ffi.from_handle(self)
    if c.phase >= len(PHASES):
        return 0
    p = Progress(c)
    p.phase, p.done = PHASES[c.phase], float(c.done)
    p.water = float(c.water) if c.water_known else 0.0
    p.text = "" if c.text == ffi.NULL else ffi.string(c.text).decode(errors="replace")
    return call.told(p)


def _change(p: Progress) -> str:
    return f"{1000 * p.change / p.water:.3g} HU" if p.water > 0 else f"{p.change:.3g} mm-1"


def _bar(name: str) -> Callable[[Progress | None], None]:
    """Updates a tqdm bar if tqdm is installed, else prints a line per iteration; None ends it."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return lambda p: None if p is None else print(f"{name}: {p.iteration} of {p.iterations}, change {_change(p)}", file=sys.stderr)
    bar = tqdm(desc=name, unit="it")

    def tell(p: Progress | None) -> None:
        if p is None:
            bar.close()
            return
        bar.total = p.iterations
        bar.set_postfix_str(f"change {_change(p)}", refresh=False)
        bar.update(p.iteration - bar.n)

    return tell
