"""Measurements and images against independently computed values."""

import numpy as np
import pytest
from conftest import GRID, tiny

import gantry
from gantry import pictures


def test_differences_of_volumes(rng):
    grid = gantry.Grid((6, 30, 31), (2.0, 1.0, 1.0), (0, 0.5, 0))
    a, b = (rng.random(grid.shape, np.float32) for _ in range(2))
    d = (a.astype(float) - b)
    c = gantry.compare(gantry.Volume(a, grid), gantry.Volume(b, grid))
    assert np.allclose(c[:5], (d.size, np.sqrt((d**2).mean()), d.mean(), np.abs(d).max(), np.sqrt((d**2).mean() / (b.astype(float) ** 2).mean())))
    assert -1 < c.ssim < 0.5
    assert gantry.compare(a, a, grid).ssim == pytest.approx(1)
    y, x = np.meshgrid(grid.axis("y"), grid.axis("x"), indexing="ij")
    inside = d[1:5][:, np.hypot(y, x) <= 9]
    part = gantry.compare(a, b, grid, central=2 / 3, radius=9)
    assert part.voxels == inside.size and np.isclose(part.rmse, np.sqrt((inside**2).mean()))
    with pytest.raises(gantry.ArgumentError, match="expected one grid"):
        gantry.compare(gantry.Volume(a, grid), gantry.Volume(np.zeros(GRID.shape), GRID))
    with pytest.raises(gantry.ArgumentError, match="grid: None"):
        gantry.compare(a, b)
    with pytest.raises(gantry.ArgumentError, match="central: 0"):
        gantry.compare(a, b, grid, central=0)


def test_a_scan_is_checked():
    scan = gantry.circular(180, (8, 80), 4.0, 500, 1000, offset=(0, 3.25))
    data = gantry.Phantom("forbild-head", scale=0.6).project(scan)
    fine = gantry.check(gantry.Projections(data, scan))
    assert fine.consistent and fine.faults == () and fine.pairs > 1000
    wrong = gantry.check(gantry.Projections(data[:, :, ::-1], scan))
    assert not wrong.consistent and "columns" in wrong.faults
    shifted = gantry.check(gantry.Projections(np.roll(data, 2, axis=2), scan))
    assert shifted.faults == ("center",) and abs(shifted.center - scan.column_center - 2) < 0.2


def test_pictures(tmp_path, rng):
    pytest.importorskip("matplotlib")
    v = gantry.Volume(0.02 * rng.random(GRID.shape, np.float32), GRID)
    p = gantry.Projections(rng.random(tiny().shape, np.float32), tiny())
    figure = gantry.show(v, (-100, 100), "HU", save=f"{tmp_path}/v.png")
    assert (tmp_path / "v.png").stat().st_size > 5000
    drawn = figure.axes[1].images[0]
    assert np.allclose(drawn.get_array(), v.hu[:, GRID.shape[1] // 2], atol=1e-2) and drawn.get_clim() == (-100, 100)
    x = GRID.axis("x")
    assert np.allclose(drawn.get_extent()[:2], (x[0] - GRID.pitch[2] / 2, x[-1] + GRID.pitch[2] / 2))
    assert np.array_equal(gantry.show(p).axes[0].images[0].get_array(), p.data[12])
    assert "data:image/png" in v._repr_html_() and "gantry.Projections" in p._repr_html_()
    for kind in ("flat", "arc", "parallel", "helix"):
        gantry.plot_geometry(tiny(kind), save=f"{tmp_path}/{kind}.png")
    with pytest.raises(gantry.ArgumentError, match="unit 'kg'"):
        gantry.show(v, unit="kg")
    with pytest.raises(gantry.ArgumentError, match="which know their grid or scan"):
        gantry.show(v.data)


@pytest.mark.parametrize("kind", ["flat", "arc", "parallel"])
def test_outline_of_the_detector(kind):
    """Each corner, seen from the source, projects to half a pixel beyond the outermost centres."""
    scan = tiny(kind)
    t, corners = scan.views[3], pictures.detector_corners(tiny(kind), 3)
    if kind == "arc":
        sideways = (corners - t["arc_center"]) @ t["column_axis"]
        ahead = (corners - t["arc_center"]) @ (t["detector"] - t["arc_center"]) / scan.source_to_detector
        u = np.arctan2(sideways, ahead) * scan.source_to_detector
    else:
        u = (corners - t["detector"]) @ t["column_axis"]
    columns = u / scan.column_pitch + scan.column_center
    rows = (corners - t["detector"]) @ t["row_axis"] / scan.row_pitch + scan.row_center
    assert np.allclose([columns.min(), columns.max()], [-0.5, scan.shape[2] - 0.5])
    assert np.allclose([rows.min(), rows.max()], [-0.5, scan.shape[1] - 0.5])
