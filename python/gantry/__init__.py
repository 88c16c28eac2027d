"""Gantry: CT reconstruction with exactly matched projectors, on the CPU and on NVIDIA GPUs.

Arrays are [z][y][x] (volumes, attenuation in mm^-1) and [view][row][column] (projections, line integrals); lengths are mm, angles radians.
"""

from __future__ import annotations

from ._c import lib as _lib
from .backend import Backend, backend, devices
from .data import Projections, Provenance, Volume
from .errors import (ArgumentError, DeviceError, DivergedError, Error, FileError, FormatError, OutOfMemoryError, StoppedError,
                     UnknownNameError, UnsupportedError, check as _check, text as _text)
from .files import Remark, Views, formats, open, read, read_projections, read_volume, write
from .geometry import Grid, Scan, circular, from_matrices, from_views, helical, parallel, scanner, scanners
from .methods import *
from .penalties import Penalty
from .phantom import Phantom, add_noise, phantoms
from .progress import Progress
from .projector import Operator, Projector
from .recon import Outcome, reconstruct, reconstruct_to
from .solve import Result, analytic, solve
from .tables import Parameter, names, parameters, python_name as _python_name

_check(_lib.gt_check_version(_lib.gt_py_built_for()))
__version__ = _text(_lib.gt_version()).split()[0]

__all__ = [
    "ArgumentError", "Backend", "DeviceError", "DivergedError", "Error", "FileError", "FormatError", "Grid", "Operator", "Outcome",
    "OutOfMemoryError", "Parameter", "Penalty", "Phantom", "Progress", "Projections", "Projector", "Provenance", "Remark", "Result", "Scan",
    "StoppedError", "UnknownNameError", "UnsupportedError", "Views", "Volume", "__version__", "add_noise", "analytic", "backend", "circular",
    "devices", "formats", "from_matrices", "from_views", "helical", "names", "open", "parallel", "parameters", "phantoms", "read",
    "read_projections", "read_volume", "reconstruct", "reconstruct_to", "scanner", "scanners", "solve", "write",
]
__all__ += [_python_name(_name) for _kind in ("analytic", "solver", "regularizer") for _name in names(_kind)]
