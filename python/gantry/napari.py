"""Reader of volumes and projections for napari, declared in napari.yaml."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .files import read

__all__ = ["reader", "layers"]
SUFFIXES = (".nc", ".h5", ".hdf5", ".nii", ".nii.gz", ".mha", ".mhd", ".tif", ".tiff")


def reader(path: str | list[str]) -> Callable[[str | list[str]], list[tuple[Any, dict[str, Any], str]]] | None:
    """Returns the reader of a file, or None if the name has no format of Gantry."""
    one = [path] if isinstance(path, str) else path
    return layers if all(p.endswith(SUFFIXES) for p in one) else None


def layers(path: str | list[str]) -> list[tuple[Any, dict[str, Any], str]]:
    """Returns an image layer per file. Volumes are positioned in mm, projections by index."""
    return [_layer(p) for p in ([path] if isinstance(path, str) else path)]


def _layer(path: str) -> tuple[Any, dict[str, Any], str]:
    found = read(path)
    shown: dict[str, Any] = {"name": path.rpartition("/")[2], "colormap": "gray"}
    grid = getattr(found, "grid", None)
    if grid is not None:
        corner = [c - 0.5 * (n - 1) * p for n, p, c in zip(grid.shape, grid.pitch, grid.center)]
        shown.update(scale=tuple(grid.pitch), translate=tuple(corner))
    return found.data, shown, "image"
