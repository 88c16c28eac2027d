#!/bin/bash
# A helical scan: wfbp is its direct method, alone and as the start of iteration; fdk refuses it. What is not complete is said.
. "$(dirname "$0")/support/lib.sh"
remark() { # TEXT ARGUMENTS: the command succeeds and says so
	local text=$1
	shift
	ok "$@"
	grep -q -- "$text" stderr.txt || fail "gantry $*: '$text' is not in: $(cat stderr.txt)"
}

grid=48x48x12@5x5x5
ok simulate --scanner ge-ct750hd-helical --reduce 12 --phantom shepp-logan --rays 2 -o helix.nc --truth truth.nc --grid $grid
ok info helix.nc
says "orbit                    helical"
says "pitch_mm_per_turn        38.75"
says "direct_method            wfbp"
says "pitch_limit              1.3"
says "complete_from_mm"
refused 1 "this one is helical (pitch_per_turn=38.75 mm): use wfbp" recon helix.nc -o out.nc --grid $grid --solver fdk --backend "$backend"
nothing_left out.nc "fdk of a helix"
ok recon helix.nc -o wfbp.nc --grid $grid --solver wfbp --backend "$backend"
ok compare wfbp.nc truth.nc --relative 0.42 --central 0.5
# Without a word on the method.
ok recon helix.nc -o default.nc --grid $grid --backend "$backend"
ok compare default.nc wfbp.nc --max 0
ok recon helix.nc -o fast.nc --grid $grid --quality fast --backend "$backend"
ok compare fast.nc wfbp.nc --max 0
ok info default.nc
says "solver=wfbp"
# The start of iteration: automatic, by its name, or as the one that fits.
for init in auto wfbp fdk; do
	remark "start: wfbp" recon helix.nc -o vol.nc --grid $grid --solver os-sart:iterations=2,subsets=8 --init $init --backend "$backend"
	ok info vol.nc
	says "init=wfbp"
done
ok compare vol.nc truth.nc --relative 0.34 --central 0.5
# Slices beyond the ends of the scan are filled, and it is said; a volume of nothing else is refused.
remark "wfbp: slices [0-9]* to [0-9]* of 40 are complete" recon helix.nc -o long.nc --grid 24x24x40@10x10x5 --solver wfbp --backend "$backend"
refused 1 "is seen over half a turn" recon helix.nc -o out.nc --grid 24x24x4@10x10x2+0,0,62 --solver wfbp --backend "$backend"
refused 2 "q=1.5" recon helix.nc -o out.nc --grid $grid --solver wfbp:q=1.5 --backend "$backend"
nothing_left out.nc "wfbp that was refused"
# Above the limit of the pitch for the whole fan; above that of any voxel.
ok simulate --scanner ge-ct750hd-helical --reduce 12 --pitch 58 --turns 5 --phantom shepp-logan --rays 1 -o fast-table.nc
ok info fast-table.nc
says "complete_radius_mm"
remark "wfbp: pitch 1.45 is beyond" recon fast-table.nc -o long.nc --grid 48x48x4@10x10x5 --solver wfbp --backend "$backend"
ok simulate --scanner ge-ct750hd-helical --reduce 12 --pitch 90 --turns 5 --geometry-only -o too-fast.nc
ok info too-fast.nc
says "direct_method            none"
says "wfbp: pitch 2.25"
# Circular scans are for fdk, which wfbp says.
ok simulate --reduce 12 --phantom shepp-logan --rays 1 -o circle.nc
refused 1 "this one is circular: use fdk" recon circle.nc -o out.nc --grid $grid --solver wfbp --backend "$backend"
ok recon helix.nc -o dry.nc --grid $grid --solver wfbp --dry-run --backend "$backend"
nothing_left dry.nc "a dry run"
finish
