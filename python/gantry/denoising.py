"""Denoising of volumes and projections, as `gantry denoise` does."""

from __future__ import annotations

import os
from typing import Any, overload

import numpy as np

from ._c import ffi, lib
from .backend import Backend, backend, c_type
from .choices import Named, text_of
from .data import Projections, Volume
from .errors import ArgumentError, check
from .penalties import Penalty
from .preparation import copied


def _volume(v: Volume) -> Volume:
    return Volume(np.array(v.data), v.grid, water=v.water, position=v.position if lib.gt_volume_position_known(v.c) else None)


@overload
def denoise(data: Volume, penalty: Penalty | str | Named, *, iterations: int = 200, nonneg: bool = False, device: str | Backend | None = None,
            precision: str = "single") -> Volume: ...
@overload
def denoise(data: Projections, penalty: Penalty | str | Named, *, iterations: int = 200, nonneg: bool = False, device: str | Backend | None = None,
            precision: str = "single") -> Projections: ...
@overload
def denoise(data: list[Volume] | tuple[Volume, ...], penalty: Penalty | str | Named, *, iterations: int = 200, nonneg: bool = False,
            device: str | Backend | None = None, precision: str = "single") -> list[Volume]: ...
def denoise(data: Any, penalty: Penalty | str | Named, *, iterations: int = 200, nonneg: bool = False, device: str | Backend | None = None,
            precision: str = "single") -> Any:
    """Returns a denoised copy: the u that minimises R(u) + |u - data|^2 / 2, as `gantry denoise` does.

    Parameters
    ----------
    data : Volume, Projections or list of Volume
        Several volumes on one grid need a penalty for several, such as "joint-tv:strength=4e-4".
    penalty : str, Penalty or (str, dict)
        Such as "tv:strength=2e-4" or gantry.nlm(h="20HU"). Strengths have the unit of the data: mm^-1, or none of projections.
    iterations : int
        Iterations of penalties without a proximal step.
    nonneg : bool
        Whether values below 0 are excluded.
    device : str or Backend, optional
        "auto", "cpu:8", "cuda:0".
    precision : {"single", "double"}
        Precision of the computation.

    Returns
    -------
    Volume, Projections or list of Volume

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> v = gantry.Volume(0.02 + 0.001 * rng.normal(size=(4, 16, 16)), gantry.Grid((4, 16, 16), 1.0))
    >>> bool(gantry.denoise(v, gantry.tv(strength=2e-3)).data.std() < 0.5 * v.data.std())
    True
    """
    if precision not in ("single", "double"):
        raise ArgumentError(f"precision {precision!r}: expected 'single' or 'double'")
    several = isinstance(data, (list, tuple))
    volumes = list(data) if several else [data] if isinstance(data, Volume) else []
    if (several and not volumes) or not (all(isinstance(v, Volume) for v in volumes) if volumes else isinstance(data, Projections)):
        raise ArgumentError(f"data: a {type(data).__name__}, expected a gantry.Volume, a list of them, or gantry.Projections")
    if not volumes and not data.has_data:
        raise ArgumentError("data: found a geometry without data, expected line integrals")
    words = text_of(penalty, "penalty")
    if words is None:
        raise ArgumentError("penalty: None, expected a text such as 'tv:strength=2e-4' or a gantry.Penalty")
    spec = ffi.new("char[]", os.fsencode(words))
    o = ffi.new("gt_denoise_options *", lib.gt_denoise_defaults)
    o.penalty, o.iterations, o.min = spec, iterations, 0.0 if nonneg else -np.inf
    be, kind = backend(device), c_type(np.float32 if precision == "single" else np.float64)
    if not volumes:
        p = Projections.from_c(copied(data.c)[0])
        check(lib.gt_denoise_projections(be.c, kind, o, p.c))
        return p
    made = [_volume(v) for v in volumes]
    if several:
        check(lib.gt_denoise_volumes(be.c, kind, o, [v.c for v in made], len(made)))
    else:
        check(lib.gt_denoise_volume(be.c, kind, o, made[0].c))
    return made if several else made[0]
