#!/bin/bash
# A helical scan: no direct method (asked for, it is refused), so iteration starts from zero.
. "$(dirname "$0")/support/lib.sh"

grid=48x48x12@5x5x5
ok simulate --scanner ge-ct750hd-helical --reduce 12 --phantom shepp-logan --rays 2 -o helix.nc --truth truth.nc --grid $grid
ok info helix.nc
says "orbit                    helical"
says "pitch_mm_per_turn        38.75"
refused 1 "helical" recon helix.nc -o out.nc --grid $grid --solver fdk --backend "$backend"
nothing_left out.nc "fdk of a helix"
refused 1 "helical" recon helix.nc -o out.nc --grid $grid --solver os-sart --init fdk --backend "$backend"
nothing_left out.nc "start from fdk of a helix"
ok recon helix.nc -o vol.nc --grid $grid --solver os-sart:iterations=5,subsets=8 --backend "$backend"
ok compare vol.nc truth.nc --relative 0.32 --central 0.5
# Without a word on the method.
ok recon helix.nc -o default.nc --grid 24x24x6@10x10x10 --backend "$backend"
ok info default.nc
says "solver=os-sart"
says "init=zero"
finish
