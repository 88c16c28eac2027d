"""Processes of mpirun compute together and end without error; a failure ends all."""

import os
import shutil
import subprocess
import sys

import pytest

from gantry._c import lib

pytestmark = pytest.mark.skipif(not shutil.which("mpirun") or not lib.gt_has_mpi(), reason="no MPI here")
CODE = """
import sys, numpy as np, gantry
s = gantry.circular(12, (5, 16), 4.0, 500, 1000)
p = gantry.Projections(np.random.default_rng(1).random(s.shape, np.float32), s)
v = gantry.reconstruct(p, grid=gantry.Grid((3, 8, 8), 8.0), backend=sys.argv[1], solver="sirt:iterations=2", padding=False, check=False, precision="double")
print(v.data.tobytes().hex()[:64] + "\\n", end="", flush=True)
"""


def launch(*arguments):
    more = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    return subprocess.run(["mpirun", "--oversubscribe", "--quiet", "-n", "2", sys.executable, "-c", *arguments], env={**os.environ, **more}, timeout=1200,
                          capture_output=True, text=True, check=False)


def test_an_import_does_no_harm():
    done = launch("import gantry; print(gantry.Grid((2, 3, 4), 1.0).shape)")
    assert done.returncode == 0 and done.stdout.count("(2, 3, 4)") == 2, done.stderr


def test_two_processes_compute_together_and_part():
    done = launch(CODE, "mpi:cpu:1")
    assert done.returncode == 0, done.stderr
    found = done.stdout.split()
    assert len(found) == 2 and found[0] == found[1]


def test_one_that_fails_ends_all():
    rank = "import os\nrank = os.environ.get('OMPI_COMM_WORLD_RANK', os.environ.get('PMI_RANK'))\n"
    done = launch(CODE + rank + "if rank == '1': raise SystemError('here')\n", "mpi:cpu:1")
    assert done.returncode != 0 and "SystemError: here" in done.stderr
