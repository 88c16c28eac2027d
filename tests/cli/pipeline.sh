#!/bin/bash
# From a phantom to a volume and its picture, by every method, verified by comparisons.
. "$(dirname "$0")/support/lib.sh"

grid=64x64x8@4x4x5
ok simulate --phantom shepp-logan --reduce 8 --rays 3 -o scan.nc --truth truth.nc --grid $grid --points 4
ok info scan.nc
says "views                    123"
says "detector                 arc"
says "orbit                    circular"
ok info truth.nc --json
says "\"grid\":	\"$grid\""

# Edges of large voxels, not the methods, dominate the difference.
ok recon scan.nc -o fdk.nc --grid $grid --solver fdk --backend "$backend"
ok compare fdk.nc truth.nc --relative 0.24 --central 0.5
ok recon scan.nc -o sart.nc --grid $grid --solver os-sart:iterations=8,subsets=8 --init zero --backend "$backend" --json
holds "$(value iterations) == 8"
ok compare sart.nc truth.nc --relative 0.225 --central 0.5
ok recon scan.nc -o cgls.nc --grid $grid --solver cgls:iterations=10 --init zero --backend "$backend"
ok compare cgls.nc truth.nc --relative 0.22 --central 0.5
# A start from a volume: continuing from the solution of another run.
ok recon scan.nc -o more.nc --like sart.nc --solver os-sart:iterations=4,subsets=8 --init sart.nc --backend "$backend"
ok compare more.nc truth.nc --relative 0.22 --central 0.5
ok compare more.nc sart.nc --relative 0.2
refused 1 "out of tolerance: rmse" compare more.nc sart.nc --rmse 0
# The default is the analytic method on the default grid.
ok recon scan.nc -o default.nc --backend "$backend"
ok info default.nc
says "solver=fdk"
says "made_from_scan"

# Units: the same volume in HU and in mm-1, in NetCDF and MetaImage.
ok recon scan.nc -o hu.nc --grid $grid --solver fdk --unit HU --backend "$backend"
ok compare hu.nc fdk.nc --max 1e-6mm-1
ok import fdk.nc -o fdk.mha
ok import fdk.mha -o again.nc --input-unit mm-1
ok compare again.nc fdk.nc --max 1e-6

# The projected truth agrees with the exact integrals, and single with double precision.
ok project truth.nc --scan scan.nc -o proj.nc --backend "$backend"
ok compare proj.nc scan.nc --relative 0.04 --central 0.5
ok project truth.nc --scan scan.nc -o double.nc --precision double --backend "$backend"
ok compare proj.nc double.nc --relative 1e-5
# The projections of the scan are not required.
ok simulate --reduce 8 --geometry-only -o bare.nc
ok project truth.nc --scan bare.nc -o bare-proj.nc --backend "$backend"
ok compare bare-proj.nc proj.nc --max 0
refused 1 "projections" recon bare.nc -o out.nc --grid $grid
nothing_left out.nc "recon without projections"

# <A x, y> = <x, A' y> by files: the adjoint of A x has a positive mean, on the grid of the volume.
ok backproject proj.nc --like truth.nc -o back.nc --backend "$backend"
ok info back.nc --json
says "\"grid\":	\"$grid\""
holds "$(value mean) > 0"
ok backproject proj.nc --grid 32x24x4@1x1x1.5+7.3,-4.1,3.7 -o shifted.nc --backend "$backend"
ok info shifted.nc
says "32x24x4@1x1x1.5+7.3,-4.1,3.7"

# Pictures.
for file in fdk.nc scan.nc; do
	ok view $file -o picture.png
	[ "$(head -c 4 picture.png | tail -c 3)" = PNG ] || fail "picture.png of $file is no PNG"
	rm picture.png
done
ok view fdk.nc -o slices.png --window 0:100 --unit HU --montage 4
ok view scan.nc -o sinogram.png --sinogram 3
finish
