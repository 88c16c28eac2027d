#!/bin/bash
# Several ranks compute what one does: methods, starts, helices, automatic strengths. Three ranks and one continue a run saved
# by four. Impossible runs are refused by name and leave no file.
. "$(dirname "$0")/support/lib.sh"

ok simulate --phantom shepp-logan --reduce 32 --rows 8 --photons 1e4 --seed 5 -o scan.nc
ok simulate --phantom shepp-logan --reduce 32 --rows 8 --pitch 40 --turns 3 -o helix.nc
common=(--precision double --quiet)

# all ARGUMENTS: the arguments with GT_LONG=1, else one of them, the next one each time.
turn=0
all() {
	chosen=("$@")
	[ "${GT_LONG:-}" = 1 ] || chosen=("${@:$((turn++ % $# + 1)):1}")
}

# same FILE TOLERANCE ARGUMENTS: a team gives the volume of one device, by one split or, with GT_LONG=1, by each of them.
# tests/recon/test_team.c has all methods.
same() {
	local scan=$1 rms=$2 split
	shift 2
	ok recon "$scan" -o one.nc --backend cpu:1 "${common[@]}" "$@"
	all "cpu:1x2 auto" "cpu:1x3 slices" "cpu:1x4 2x2"
	for split in "${chosen[@]}"; do
		[ "${split#* }" = 2x2 ] && [ "$direct" = 1 ] && split="cpu:1x4 slices"
		ok recon "$scan" -o team.nc --backend "${split% *}" --split "${split#* }" "${common[@]}" "$@"
		ok compare team.nc one.nc --rmse "$rms"
	done
}
direct=0
same scan.nc 1e-9 --solver os-sart:subsets=4,iterations=2
same helix.nc 1e-9 --solver os-sart:subsets=3,iterations=1
same helix.nc 1e-9 --solver pcg:iterations=2 --penalty qggmrf:strength=10 --init zero
ok recon scan.nc -o prior.nc --backend cpu:1 --quiet --solver cgls:iterations=3 --padding no
same scan.nc 1e-9 --padding no --solver os-sqs:subsets=2,iterations=2 --penalty piccs:strength=1,prior=prior.nc
direct=1
same scan.nc 1e-9
same helix.nc 1e-9
ok recon scan.nc -o one.nc --backend cpu:1 "${common[@]}" --preset iterative --solver pcg:iterations=3
ok recon scan.nc -o team.nc --backend cpu:1x3 "${common[@]}" --preset iterative --solver pcg:iterations=3
ok compare team.nc one.nc --rmse 1e-8

direct=0
same scan.nc 1e-9 --padding no --solver os-sqs:subsets=2,iterations=2 --penalty nltv:strength=1,search=3,prior=prior.nc

# Saved by four, continued by any number; saved by one, continued by three. The state of a penalty has several values per voxel.
for p in tv:strength=0.01 tgv:strength=0.01,inner=4 joint-tv:strength=0.01,inner=4 wavelet:strength=0.01,inner=4,levels=2; do
	solve=("${common[@]}" --penalty "$p" --solver)
	ok recon scan.nc -o one.nc --backend cpu:1 "${solve[@]}" fista:prox=yes,iterations=4
	ok recon scan.nc -o half.nc --backend cpu:1x4 --split 2x2 "${solve[@]}" fista:prox=yes,iterations=2 --checkpoint run.ck
	ok recon scan.nc -o more.nc --backend cpu:1x3 "${solve[@]}" fista:prox=yes,iterations=4 --resume run.ck
	ok compare more.nc one.nc --rmse 1e-9
	[[ $p = tv:* || ${GT_LONG:-} = 1 && $p = t* ]] || continue
	ok recon scan.nc -o more.nc --backend cpu:1 "${solve[@]}" fista:prox=yes,iterations=4 --resume run.ck
	ok compare more.nc one.nc --rmse 1e-9
	ok recon scan.nc -o half.nc --backend cpu:1 "${solve[@]}" fista:prox=yes,iterations=2 --checkpoint run.ck
	ok recon scan.nc -o more.nc --backend cpu:1x3 "${solve[@]}" fista:prox=yes,iterations=4 --resume run.ck
	ok compare more.nc one.nc --rmse 1e-9
done

# Bases of vectors and the differences of Anderson acceleration: equal on any number of ranks, and continued by any.
plain=("${common[@]}" --init zero --padding no --solver)
for solver in "ab-gmres:steps=3,iterations=" "ba-gmres:steps=3,iterations=" "sirt:anderson=2,iterations="; do
	ok recon scan.nc -o one.nc --backend cpu:1 "${plain[@]}" "${solver}4"
	ok recon scan.nc -o half.nc --backend cpu:1x4 --split 2x2 "${plain[@]}" "${solver}2" --checkpoint run.ck
	all cpu:1x3 cpu:1
	for to in "${chosen[@]}"; do
		ok recon scan.nc -o more.nc --backend "$to" "${plain[@]}" "${solver}4" --resume run.ck
		ok compare more.nc one.nc --rmse 1e-9
	done
	for on in 1 4; do
		ok recon scan.nc -o bits-$on.nc --backend cpu:1x$on --init zero --padding no --quiet --solver "${solver}2" --reproducible
	done
	ok compare bits-1.nc bits-4.nc --max 0
done
# Its strength by each rule: bit-identical too.
for strength in wgcv trace gcv "fixed,lambda=2"; do
	all 2 4
	for on in 1 "${chosen[@]}"; do
		ok recon scan.nc -o "bits-$on.nc" --backend "cpu:1x$on" --init zero --padding no --quiet --reproducible \
			--solver hybrid-lsqr:iterations=4,strength=$strength
		[ "$on" = 1 ] || ok compare bits-1.nc "bits-$on.nc" --max 0
	done
done
ok recon scan.nc -o one.nc --backend cpu:1 "${plain[@]}" hybrid-lsqr:iterations=6,strength=fixed,lambda=2
ok recon scan.nc -o half.nc --backend cpu:1x3 "${plain[@]}" hybrid-lsqr:iterations=6,strength=fixed,lambda=2 --stop change=12HU --checkpoint run.ck
for to in cpu:1x4 cpu:1; do
	ok recon scan.nc -o more.nc --backend $to "${plain[@]}" hybrid-lsqr:iterations=6,strength=fixed,lambda=2 --resume run.ck
	ok compare more.nc one.nc --rmse 1e-9
done

# Per rank.
ok recon scan.nc --backend cpu:1x2 --split views --dry-run --solver sirt
grep -q 'rank_1 *cpu:1 slices=.* views=.* memory=' <<<"$out" || fail "no line for rank 1: $out"
grep -q 'split *views' <<<"$out" || fail "no split: $out"
grep -q 'exchange_at *4 GB/s and 20 us per exchange, constants of the model' <<<"$out" || fail "no speed of the links: $out"

refused 2 "device 0 is named twice" recon scan.nc --gpus 0,0 -o out.nc
refused 2 "--gpus=two: expected a number" recon scan.nc --gpus two -o out.nc
refused 2 "cannot be combined" recon scan.nc --gpus 2 --backend cpu -o out.nc
refused 2 "split=3x2: expected 6 ranks, found 4" recon scan.nc --backend cpu:1x4 --split 3x2 --solver sirt -o out.nc
refused 2 "5 ranks for 4 slices: fdk needs at least one slice per rank" recon scan.nc --backend cpu:1x5 --grid 20x20x4@20x20x10 -o out.nc
refused 2 "split=rows: expected auto, views" recon scan.nc --backend cpu:1x4 --split rows --solver sirt -o out.nc
refused 2 "one device computes" recon scan.nc --backend cpu:1 --split views --solver sirt -o out.nc
refused 2 "slabs of" recon scan.nc --backend cpu:1x40 --split slices --solver sirt -o out.nc
refused 2 "blocks of views" recon scan.nc --backend cpu:1x4 --split views --solver os-sart:subsets=30 -o out.nc
refused 2 "is partitioned by slices" recon scan.nc --backend cpu:1x4 --split views --solver fdk -o out.nc
low_rank=(--solver "fista:iterations=10,prox=yes,nonneg=no" --penalty low-rank:strength=1)
[ ! -e out.nc ] || fail "out.nc was written"
ok recon scan.nc --backend cpu:1x3 "${low_rank[@]}" -o several.nc
ok recon scan.nc --backend cpu:1 "${low_rank[@]}" -o one.nc
ok compare several.nc one.nc --relative 1e-5

# Other pairs than dd, and the analytic method of helices.
for p in joseph sf-tr; do
	how=(--projector "$p" --solver "os-sart:iterations=1,subsets=3" --init zero --precision double)
	ok recon scan.nc --backend cpu:1 "${how[@]}" -o one.nc
	all views slices 2x2
	for split in "${chosen[@]}"; do
		ok recon scan.nc --backend cpu:1x4 --split "$split" "${how[@]}" -o several.nc
		ok compare several.nc one.nc --rmse 1e-9
	done
done
ok simulate --phantom shepp-logan --reduce 32 --rows 8 --pitch 10 --turns 3 -o helix.nc
ok recon helix.nc --backend cpu:1 --solver wfbp --precision double -o one.nc
ok recon helix.nc --backend cpu:1x3 --solver wfbp --precision double -o several.nc
ok compare several.nc one.nc --rmse 1e-9
exit $((failures > 0))
