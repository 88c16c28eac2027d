"""Common parts of the package's tests: small scans, an off-centre object, and the command."""

import os
import signal
import subprocess

import numpy as np
import pytest

import gantry

COMMAND = os.environ.get("GANTRY_COMMAND", os.path.join(os.path.dirname(gantry.__file__), "bin", "gantry"))
DEVICE = os.environ.get("GT_BACKEND", "cpu:2")
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start what runs in the background without Ctrl-C


def tiny(kind="flat"):
    """A small off-centre scan of odd sizes."""
    if kind == "parallel":
        return gantry.parallel(np.linspace(0, np.pi, 20, endpoint=False) + 0.1, (9, 31), (1.5, 2.0), offset=(0.3, -0.7))
    if kind == "helix":
        return gantry.helical(120, 3, 12.0, (12, 40), (2.0, 3.0), 500, 1000, offset=(0, 0.25))
    return gantry.circular(24, (9, 31), (2.5, 4.0), 500, 1000, detector=kind, offset=(0.4, -0.7), start_angle=0.2)


GRID = gantry.Grid((7, 20, 23), (1.9, 2.1, 2.3), (0.8, -1.2, 2.1))


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.fixture(scope="session")
def command():
    """Runs the command in the package; returns "", or the message of a permitted refusal."""

    def run(*arguments, cwd, may_refuse=False):
        done = subprocess.run([COMMAND, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False)
        assert done.returncode == 0 or (may_refuse and done.returncode in (1, 2)), done.stderr
        return done.stderr if done.returncode else ""

    return run
