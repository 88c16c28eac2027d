"""Figures of volumes, projections and scan geometries by matplotlib, which is imported on first use."""

from __future__ import annotations

import base64
import html
import io
from typing import Any

import numpy as np

from .backend import Array
from .arguments import expect
from .data import Projections, Volume
from .errors import ArgumentError
from .geometry import Grid, Scan


def _figure(width: float, height: float) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install 'gantry-ct[all]', or matplotlib alone") from None

    class Shown(Figure):
        """Notebooks display automatically only figures of pyplot."""

        def _repr_png_(self) -> bytes:
            return _png(self, dpi=100)

    return Shown(figsize=(width, height), layout="constrained")


def _png(figure: Any, dpi: int) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=dpi)
    return out.getvalue()


def _slice_axes(v: Volume) -> list[tuple[str, Array, tuple[float, float, float, float], str, str]]:
    """Returns title, image, edges (mm) and axis names of the three planes through the centre."""
    (nz, ny, nx), (dz, dy, dx) = v.grid.shape, v.grid.pitch
    z, y, x = (v.grid.axis(name) for name in "zyx")
    edges = {"x": (x[0] - dx / 2, x[-1] + dx / 2), "y": (y[0] - dy / 2, y[-1] + dy / 2), "z": (z[0] - dz / 2, z[-1] + dz / 2)}
    return [(f"z = {z[nz // 2]:.4g} mm", v.data[nz // 2], edges["x"] + edges["y"], "x", "y"),
            (f"y = {y[ny // 2]:.4g} mm", v.data[:, ny // 2], edges["x"] + edges["z"], "x", "z"),
            (f"x = {x[nx // 2]:.4g} mm", v.data[:, :, nx // 2], edges["y"] + edges["z"], "y", "z")]


def _window(values: Array) -> tuple[float, float]:
    low, high = np.percentile(values[np.isfinite(values)], [0.5, 99.5]) if np.isfinite(values).any() else (0.0, 1.0)
    return float(low), float(high if high > low else low + 1)


def show(what: Volume | Projections, window: tuple[float, float] | None = None, unit: str = "mm-1", *, save: str | None = None) -> Any:
    """A figure of matplotlib: the three planes through the middle of a volume (of a few slices
    the middle one alone), or a view and the sinogram of the middle row of projections.

    window: black and white, in the unit; unit: "mm-1" or "HU". save: also a file, by its name's ending. A notebook shows what is
    returned; elsewhere give save=.
    """
    if unit not in ("mm-1", "HU"):
        raise ArgumentError(f"unit {unit!r}: expected 'mm-1' or 'HU'")
    if isinstance(what, Volume):
        figure = _show_volume(what, window, unit)
    elif isinstance(what, Projections):
        figure = _show_projections(what, window)
    else:
        raise ArgumentError(f"a {type(what).__name__}: expected gantry.Volume or gantry.Projections, which know their grid or scan")
    if save is not None:
        figure.savefig(save, dpi=150)
    return figure


def _show_volume(v: Volume, window: tuple[float, float] | None, unit: str) -> Any:
    planes = _slice_axes(v)
    if v.grid.shape[0] * v.grid.pitch[0] < 0.1 * v.grid.shape[1] * v.grid.pitch[1]:
        planes = planes[:1]  # with few slices the other planes are too thin
    water = v.water or 0.02
    if unit == "HU":
        planes = [(t, 1000 * (p - water) / water, e, a, b) for t, p, e, a, b in planes]
    low, high = window or _window(np.concatenate([p.ravel() for _, p, *_ in planes]))
    figure = _figure(12 if len(planes) > 1 else 6, 4 if len(planes) > 1 else 5)
    for place, (title, plane, edges, across, up) in zip(figure.subplots(1, len(planes), squeeze=False)[0], planes):
        drawn = place.imshow(plane, cmap="gray", vmin=low, vmax=high, origin="lower", extent=edges)
        place.set(title=title, xlabel=f"{across} (mm)", ylabel=f"{up} (mm)")
    figure.colorbar(drawn, ax=figure.axes, label="HU" if unit == "HU" else "mm⁻¹")
    return figure


def _show_projections(p: Projections, window: tuple[float, float] | None) -> Any:
    views, rows, _ = p.data.shape
    low, high = window or _window(p.data[:: max(1, views // 8)])
    figure = _figure(12, 4)
    left, right = figure.subplots(1, 2)
    left.imshow(p.data[views // 2], cmap="gray", vmin=low, vmax=high, origin="lower", aspect=p.scan.row_pitch / p.scan.column_pitch)
    left.set(title=f"view {views // 2}", xlabel="column", ylabel="row")
    drawn = right.imshow(p.data[:, rows // 2], cmap="gray", vmin=low, vmax=high, origin="lower", aspect="auto")
    right.set(title=f"sinogram of row {rows // 2}", xlabel="column", ylabel="view")
    figure.colorbar(drawn, ax=figure.axes, label="line integral")
    return figure


def detector_corners(scan: Scan, view: int) -> Array:
    """Returns the closed outline of the detector in space, mm: [points][x, y, z]."""
    t = scan.views[view]
    _, rows, columns = scan.shape
    u = (np.array([-0.5, columns - 0.5]) - scan.column_center) * scan.column_pitch
    v = (np.array([-0.5, rows - 0.5]) - scan.row_center) * scan.row_pitch
    along = np.linspace(u[0], u[1], 17)
    if scan.detector == "arc":
        arm = t["detector"] - t["arc_center"]
        radius = np.linalg.norm(arm)
        edge = t["arc_center"] + np.outer(np.cos(along / radius), arm) + radius * np.outer(np.sin(along / radius), t["column_axis"])
    else:
        edge = t["detector"] + np.outer(along, t["column_axis"])
    low, high = edge + v[0] * t["row_axis"], edge + v[1] * t["row_axis"]
    return np.concatenate([low, high[::-1], low[:1]])


def plot_geometry(scan: Scan, grid: Grid | None = None, view: int = 0, *, save: str | None = None) -> Any:
    """Draws a scan in three dimensions with matplotlib: path of the source, detector and outermost rays of one view, and the volume."""
    expect(scan, Scan, "scan", "a gantry.Scan")
    expect(grid, (Grid, type(None)), "grid", "a gantry.Grid")
    box = scan.grid() if grid is None else grid
    figure = _figure(7, 7)
    place = figure.add_subplot(projection="3d")
    path = scan.views["source"]
    corners = detector_corners(scan, view)
    place.plot(*path.T, ".-", color="tab:red", markersize=3, linewidth=0.8, label="source, every view")
    place.plot(*corners.T, color="tab:blue", label=f"detector, view {view}")
    for corner in corners[[0, 16, 17, 33]]:
        start = path[view] if scan.detector != "parallel" else corner - (scan.views["detector"][view] - path[view])
        place.plot(*np.stack([start, corner]).T, color="tab:gray", linewidth=0.6)
    ends = [np.array([box.axis(a)[0] - d / 2, box.axis(a)[-1] + d / 2]) for a, d in zip("xyz", box.pitch[::-1])]
    place.plot(*_box(ends), color="tab:green", label="volume")
    place.set(xlabel="x (mm)", ylabel="y (mm)", zlabel="z (mm)")
    place.set_aspect("equal")
    place.legend(loc="upper right")
    if save is not None:
        figure.savefig(save, dpi=150)
    return figure


def _box(ends: list[Array]) -> Array:
    """Returns the twelve edges of a box as one line, interrupted by nan: [3][points]."""
    points: list[Array] = []
    for axis in range(3):
        for corner in range(4):
            others = [a for a in range(3) if a != axis]
            for end in (0, 1):
                p = np.empty(3)
                p[axis], p[others[0]], p[others[1]] = ends[axis][end], ends[others[0]][corner & 1], ends[others[1]][corner >> 1]
                points.append(p)
            points.append(np.full(3, np.nan))
    return np.array(points).T


def as_html(what: Volume | Projections) -> str:
    """Returns a picture for notebooks, if matplotlib is installed, and a line of text."""
    line = f"<p>{html.escape(repr(what))}</p>"
    try:
        drawn = _png(show(what), dpi=80)
    except (ImportError, ArgumentError):
        return line
    return f'<img src="data:image/png;base64,{base64.b64encode(drawn).decode()}"/>{line}'
