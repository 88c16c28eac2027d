"""A helical scan as a folder of DICOM files, one per view: checked, then reconstructed by wfbp and at a target noise."""

import gantry

scan = gantry.scanner("ge-ct750hd-helical", reduce=16)
head = gantry.Phantom("forbild-head")
rays = gantry.add_noise(head.project(scan), photons=3e4, seed=4)
gantry.write("projections/", gantry.Projections(rays, scan, water=0.02), format="dicom-ct-pd")

p = gantry.read_projections("projections/")
print(p.scan, "consistent" if gantry.check(p).consistent else "the geometry is wrong")
grid = gantry.Grid((6, 48, 48), (6, 5, 5))
direct = gantry.reconstruct(p, grid=grid)
quiet = gantry.reconstruct(p, grid=grid, solver="pcg:iterations=8", penalty="qggmrf:noise=4HU")
for name, volume in (("wfbp", direct), ("pcg", quiet)):
    print(f"{name}: noise of {gantry.roi(volume, (0, 0, 0), radius=12, unit='HU').sd:.1f} HU")
gantry.show(quiet, (-100, 200), "HU", save="helix.png")
gantry.write("head/", quiet)  # a folder of DICOM images; `napari head/` shows it
