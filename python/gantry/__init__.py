"""Gantry: CT reconstruction with exactly matched projectors, on the CPU and on NVIDIA GPUs.

Arrays are [z][y][x] (volumes, attenuation in mm^-1) and [view][row][column] (projections, line integrals); lengths are mm, angles radians.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from ._c import lib as _lib
from .backend import Backend, backend, devices
from .errors import (ArgumentError, DeviceError, DivergedError, Error, FileError, FormatError, OutOfMemoryError, Remark, StoppedError,
                     UnknownNameError, UnsupportedError, check as _check, text as _text)
from .tables import Parameter, names, parameters, python_name as _python_name

if _TYPE_CHECKING:
    from .calibration import BeadCalibration, Calibration, Correction, JitterCalibration, calibrate, calibrate_beads, calibrate_jitter
    from .choices import Solver
    from .data import Projections, Provenance, Volume
    from .denoising import denoise
    from .files import check_room, formats, read, read_options, read_projections, read_volume, write
    from .geometry import Grid, Scan
    from .geometry_files import correct_geometry, geometry_formats, read_geometry, write_geometry
    from .measure import Check, Comparison, check, compare
    from .motion import MOTIONS, MotionDerivative, moved
    from .orbits import circular, helical, parallel, scanner, scanners
    from .pages import page, serve
    from .penalties import Denoiser, Penalty
    from .phantom import Phantom, add_noise, phantoms
    from .preparation import preparations, prepare
    from .progress import Progress
    from .projector import Operator, Projector
    from .quality import FSC, MTF, NPS, Region, contrast_to_noise, fsc, mtf, nps, profile, roi
    from .recon import Outcome, reconstruct, reconstruct_to
    from .solvers import Analytic, Result, analytic, solve
    from .team import TeamProjector
    from .vectors import from_matrices, from_views
    from .view_files import Views, open
    from .methods import *
    from .pictures import plot_geometry, show

_check(_lib.gt_check_version(_lib.gt_py_built_for()))
__version__ = _text(_lib.gt_version()).split()[0]

__all__ = [
    "Analytic", "ArgumentError", "Backend", "BeadCalibration", "Calibration", "Check", "Comparison", "Correction", "Denoiser", "DeviceError",
    "DivergedError", "Error", "FSC", "FileError", "FormatError", "Grid", "JitterCalibration", "MOTIONS", "MTF", "MotionDerivative", "NPS", "Operator", "OutOfMemoryError",
    "Outcome", "Parameter", "Penalty", "Phantom", "Progress", "Projections", "Projector", "Provenance", "Region", "Remark", "Result", "Scan", "Solver",
    "StoppedError", "TeamProjector", "UnknownNameError", "UnsupportedError", "Views", "Volume", "__version__", "add_noise", "analytic",
    "backend", "calibrate", "calibrate_beads", "calibrate_jitter", "check", "check_room", "circular", "compare", "contrast_to_noise",
    "correct_geometry", "denoise", "devices", "formats", "from_matrices", "from_views", "fsc", "geometry_formats", "helical", "moved", "mtf", "names", "nps",
    "open", "page", "parallel", "parameters", "phantoms", "plot_geometry", "preparations", "prepare", "profile", "read", "read_geometry",
    "read_options", "read_projections", "read_volume", "reconstruct", "reconstruct_to", "roi", "scanner", "scanners", "serve", "show",
    "solve", "write", "write_geometry",
]
# Modules of the other names, imported on first use to keep `import gantry` fast.
_HOMES = {
    "calibration": "BeadCalibration Calibration Correction JitterCalibration calibrate calibrate_beads calibrate_jitter",
    "choices": "Solver",
    "data": "Projections Provenance Volume",
    "denoising": "denoise",
    "files": "check_room formats read read_options read_projections read_volume write",
    "geometry": "Grid Scan",
    "geometry_files": "correct_geometry geometry_formats read_geometry write_geometry",
    "measure": "Check Comparison check compare",
    "motion": "MOTIONS MotionDerivative moved",
    "orbits": "circular helical parallel scanner scanners",
    "pages": "page serve",
    "penalties": "Denoiser Penalty",
    "phantom": "Phantom add_noise phantoms",
    "pictures": "plot_geometry show",
    "preparation": "preparations prepare",
    "progress": "Progress",
    "projector": "Operator Projector",
    "quality": "FSC MTF NPS Region contrast_to_noise fsc mtf nps profile roi",
    "recon": "Outcome reconstruct reconstruct_to",
    "solvers": "Analytic Result analytic solve",
    "team": "TeamProjector",
    "vectors": "from_matrices from_views",
    "view_files": "Views open",
}
_HOME = {_name: _module for _module, _names in _HOMES.items() for _name in _names.split()}
_PARTS = {*_HOMES, "foreign", "interop", "methods", "torch"}
_METHODS = [_python_name(_name) for _kind in ("analytic", "solver", "regularizer") for _name in names(_kind)]
_METHODS += [_name.replace("-", "").upper() for _kind in ("analytic", "solver") for _name in names(_kind)]
__all__ += _METHODS


def __getattr__(name: str) -> _Any:
    if name in _HOME:
        found = getattr(_import_module(f".{_HOME[name]}", __name__), name)
    elif name in _PARTS:
        return _import_module(f".{name}", __name__)
    elif name in _METHODS:
        found = getattr(_import_module(".methods", __name__), name)
    else:
        raise AttributeError(f"module 'gantry' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
