#!/bin/bash
# A helical scan: wfbp is its analytic method, alone and as the start of iterations; fdk refuses it. Incomplete slices are reported.
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
# Default method.
ok recon helix.nc -o default.nc --grid $grid --backend "$backend"
ok compare default.nc wfbp.nc --max 0
ok recon helix.nc -o fast.nc --grid $grid --preset fast --backend "$backend"
ok compare fast.nc wfbp.nc --max 0
ok info default.nc
says "solver=wfbp"
# The start of iterations: automatic, by name, or by 'fdk'.
for init in auto wfbp fdk; do
	remark "start: wfbp" recon helix.nc -o vol.nc --grid $grid --solver os-sart:iterations=2,subsets=8 --init $init --backend "$backend"
	ok info vol.nc
	says "init=wfbp"
done
ok compare vol.nc truth.nc --relative 0.34 --central 0.5
# The default grid holds the complete slices; incomplete ones are reported.
ok info helix.nc --json
from=$(value complete_from_mm) to=$(value complete_to_mm)
remark "omits [0-9]* slices below and [0-9]* above" recon helix.nc -o default.nc --solver wfbp --backend "$backend"
ok info default.nc --json
holds "$(value z_from_mm) == $from && $(value z_to_mm) == $to && $to - $from > 30" "the default grid is the complete slices"
# A slab inside the object: its views and padding slices; without padding the outside object causes errors.
slab=48x48x4@5x5x5+0,0,10
ok simulate --scanner ge-ct750hd-helical --reduce 12 --phantom shepp-logan --geometry-only -o none.nc --truth slab.nc --grid $slab
ok simulate --scanner ge-ct750hd-helical --reduce 12 --turns 5 --phantom shepp-logan --rays 2 -o long.nc
iterate=(--solver "os-sart:iterations=3,subsets=8" --backend "$backend")
remark "views 149 to 302 of 410 see these slices" recon long.nc -o slab-vol.nc --grid $slab "${iterate[@]}"
grep -q "adds [0-9]* padding slices below and [0-9]* above the grid: reconstructed" stderr.txt || fail "no margin: $(cat stderr.txt)"
ok compare slab-vol.nc slab.nc --relative 0.34
remark "appears in the outermost slices (--padding auto" recon long.nc -o cut.nc --grid $slab "${iterate[@]}" --padding no
ok compare cut.nc slab.nc --json
cut=$(value rmse)
ok compare slab-vol.nc slab.nc --json
holds "$(value rmse) < 0.8 * $cut" "a margin makes it better than $cut"
# Contradictions between subsets do not accumulate if few views see the same voxels without bounds.
ok recon long.nc -o free.nc --grid $slab --solver os-sqs:iterations=20,subsets=12,nonneg=no --weights noise --backend "$backend"
ok compare free.nc slab.nc --relative 0.34
# Nor with so many subsets that the second pass diverges; if no fewer subsets are permitted, the run fails.
many=os-sqs:iterations=20,subsets=40,fewer=1,single=1,nonneg=no
ok recon long.nc -o many.nc --grid $slab --solver $many --weights noise --backend "$backend"
ok compare many.nc slab.nc --relative 0.35
refused 1 "solver 'os-sqs' diverged" recon long.nc -o wild.nc --grid $slab --solver $many,restart=no --weights noise --backend "$backend"
# Starting from a volume of the slab, and continuing from a checkpoint with bit-identical results.
remark "slices below and" recon long.nc -o again.nc --grid $slab --init slab-vol.nc "${iterate[@]}"
ok compare again.nc slab.nc --relative 0.34
ok recon long.nc -o part.nc --grid $slab --solver os-sart:iterations=1,subsets=8 --checkpoint run.ck --backend "$backend"
ok recon long.nc -o resumed.nc --grid $slab "${iterate[@]}" --resume run.ck
ok compare resumed.nc slab-vol.nc --max 0
ok recon long.nc --grid $slab "${iterate[@]}" --dry-run
says "subsets     8 of 154 views"
# A longer object: voxels in few subsets do not diverge under momentum.
printf 'cylinder radii=90,70 length=900 density=1\ncylinder center=40,10,0 radius=15 length=900 density=0.5\n' >body.txt
ok simulate --scanner ge-ct750hd-helical --reduce 12 --turns 2.6 --phantom body.txt --photons 1e5 --seed 2 -o body.nc --truth solid.nc --grid 30x30x8@8x8x5
ok recon body.nc -o body-vol.nc --like solid.nc --solver os-sqs:iterations=10,subsets=12,fewer=1,single=1,restart=no --weights noise --penalty qggmrf:c=10HU,strength=300 \
	--log run.csv --backend "$backend"
change=$(tail -n 1 run.csv)
holds "${change##*,} < 20" "a change of ${change##*,} HU in the tenth iteration"
# Slices beyond the scan are filled with a note; a volume of such slices alone is refused.
remark "wfbp: only slices [0-9]* to [0-9]* of 40 are seen over 180 degrees" recon helix.nc -o long.nc --grid 24x24x40@10x10x5 --solver wfbp --backend "$backend"
refused 1 "is seen over 180 degrees" recon helix.nc -o out.nc --grid 24x24x4@10x10x2+0,0,62 --solver wfbp --backend "$backend"
refused 2 "q=1.5" recon helix.nc -o out.nc --grid $grid --solver wfbp:q=1.5 --backend "$backend"
nothing_left out.nc "wfbp that was refused"
# Above the pitch limit of the whole fan, and of any voxel.
ok simulate --scanner ge-ct750hd-helical --reduce 12 --pitch 58 --turns 5 --phantom shepp-logan --rays 1 -o fast-table.nc
ok info fast-table.nc
says "complete_radius_mm"
remark "wfbp: pitch 1.45 is beyond" recon fast-table.nc -o long.nc --grid 48x48x4@10x10x5 --solver wfbp --backend "$backend"
ok simulate --scanner ge-ct750hd-helical --reduce 12 --pitch 90 --turns 5 --geometry-only -o too-fast.nc
ok info too-fast.nc
says "direct_method            none"
says "wfbp: pitch 2.25"
# Reversed rotation, reversed table, or both: the same image.
for way in "2.5 40" "-2.5 40" "2.5 -40" "-2.5 -40"; do
	ok simulate --scanner ge-ct750hd-helical --reduce 12 --turns "${way% *}" --pitch "${way#* }" --phantom shepp-logan --rays 1 -o way.nc --truth way-truth.nc --grid $grid
	ok recon way.nc -o way-vol.nc --grid $grid --backend "$backend"
	ok compare way-vol.nc way-truth.nc --json
	[ "$way" = "2.5 40" ] && as_ever=$(value rmse)
	holds "$(value rmse) < 1.05 * $as_ever && $(value rmse) > 0.95 * $as_ever" "turns and pitch of $way: $(value rmse), with the usual senses $as_ever"
done
# wfbp refuses circular scans and names fdk.
ok simulate --reduce 12 --phantom shepp-logan --rays 1 -o circle.nc
refused 1 "this one is circular: use fdk" recon circle.nc -o out.nc --grid $grid --solver wfbp --backend "$backend"
ok recon helix.nc -o dry.nc --grid $grid --solver wfbp --dry-run --backend "$backend"
nothing_left dry.nc "a dry run"
finish
