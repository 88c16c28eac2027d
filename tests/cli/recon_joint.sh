#!/bin/bash
# Joint reconstruction of two scans of one object: one volume each, like a single scan without coupling, and refusals.
. "$(dirname "$0")/support/lib.sh"

ok simulate --phantom forbild-head --reduce 8 --rows 1 --views 40 --photons 1e5 --seed 1 -o quiet.nc --truth truth.nc --grid 40x40x1@6x6x7
ok simulate --phantom forbild-head --reduce 8 --rows 1 --views 30 --photons 300 --seed 2 -o noisy.nc
common=(--like truth.nc --padding no --init zero --no-check --backend "$backend" --solver "fista:iterations=40,prox=yes")
joint='joint-tv:strength=2'
ok recon quiet.nc noisy.nc -o both.nc "${common[@]}" --weights noise --penalty $joint
grep -qF "2 volumes with numbered names" stderr.txt || fail "no note on two volumes: $(cat stderr.txt)"
ok recon noisy.nc -o alone.nc "${common[@]}" --weights noise --penalty tv:strength=2
ok compare alone.nc truth.nc --json
alone=$(value rmse)
ok compare both-2.nc truth.nc --json
holds "$(value rmse) < 0.97 * $alone" "the noisy scan: $(value rmse) together, $alone alone"
ok info both-2.nc
says "penalty=$joint"
says "done=40/40"
ok recon quiet.nc noisy.nc -o hu.mha "${common[@]}" --penalty $joint --unit HU --stop change=20000HU
ok compare hu-1.mha truth.nc --json
ok recon quiet.nc noisy.nc -o low.nc --like truth.nc --padding no --no-check --solver "fista:iterations=9,prox=yes,nonneg=no" --penalty low-rank:strength=1


# Several devices give the volumes of one.
three=(--backend cpu:1x3 --split views)
ok recon quiet.nc noisy.nc -o team.nc "${common[@]}" "${three[@]}" --weights noise --penalty $joint
for i in 1 2; do
	ok compare team-$i.nc both-$i.nc --relative 1e-5
	ok info team-$i.nc
	says "backend=cpu:1x3 split=views"
done
ok recon quiet.nc noisy.nc -o team.nc "${common[@]}" "${three[@]}" --solver "fista:iterations=9,prox=yes,nonneg=no" --penalty low-rank:strength=1 --weights uniform
ok recon quiet.nc noisy.nc -o one.nc "${common[@]}" --solver "fista:iterations=9,prox=yes,nonneg=no" --penalty low-rank:strength=1 --weights uniform
ok compare team-2.nc one-2.nc --relative 1e-5

ok recon quiet.nc noisy.nc -o packed.nii.gz "${common[@]}" --penalty $joint --stop change=20000HU --json
says '"packed-1.nii.gz"'
ok compare packed-2.nii.gz truth.nc
refused_output 2 "expected no --device-memory" recon quiet.nc noisy.nc "${common[@]}" --penalty $joint --device-memory 1GiB
refused_output 2 "expected no --host-memory" recon quiet.nc noisy.nc "${common[@]}" --penalty $joint --host-memory 1GiB
refused_output 2 "--split=views: one device" recon quiet.nc noisy.nc "${common[@]}" --penalty $joint --split views
refused_output 2 "2 scans together: no penalty" recon quiet.nc noisy.nc "${common[@]}"
refused_output 1 "penalty 'tv' is of one volume, not of 2" recon quiet.nc noisy.nc "${common[@]}" --penalty tv:strength=1
refused_output 2 "with strength=NUMBER" recon quiet.nc noisy.nc "${common[@]}" --penalty huber
refused_output 1 "expected no bounds (nonneg=no)" recon quiet.nc noisy.nc "${common[@]}" --penalty low-rank:strength=1
refused_output 2 "fdk is an analytic method" recon quiet.nc noisy.nc --like truth.nc
ok recon quiet.nc noisy.nc -o some.nc "${common[@]}" --solver "fista:iterations=7,prox=yes" --penalty $joint --checkpoint run.ck
ok recon quiet.nc noisy.nc -o rest.nc "${common[@]}" --solver "fista:iterations=12,prox=yes" --penalty $joint --resume run.ck
ok recon quiet.nc noisy.nc -o whole.nc "${common[@]}" --solver "fista:iterations=12,prox=yes" --penalty $joint
for i in 1 2; do
	ok convert rest-$i.nc -o rest-$i.npy
	ok convert whole-$i.nc -o whole-$i.npy
	cmp rest-$i.npy whole-$i.npy || fail "other bits of volume $i after --resume"
done
refused_output 1 "run.ck: is of another run: the scan's geometry" recon noisy.nc quiet.nc "${common[@]}" --solver "fista:iterations=12,prox=yes" --penalty $joint --resume run.ck
refused 2 "is the same file as" recon quiet.nc noisy.nc -o some.nc "${common[@]}" --penalty $joint --checkpoint some-2.nc
ok recon quiet.nc noisy.nc -o preset.nc --like truth.nc --padding no --no-check --backend "$backend" --preset iterative --solver "fista:iterations=9,prox=yes" --penalty $joint
ok info preset-2.nc
says "weights=model:"
refused_output 2 "expected joint-tv or low-rank with strength=NUMBER" recon quiet.nc noisy.nc --like truth.nc --padding no --preset iterative
refused_output 2 "solver 'os-sqs' needs a gradient of a penalty, which 'joint-tv' does not" recon quiet.nc noisy.nc --like truth.nc --padding no --preset iterative --penalty $joint
refused_output 2 "--dry-run: applies to one scan" recon quiet.nc noisy.nc --dry-run --penalty $joint
refused_output 2 "did you mean 'joint-tv'" recon quiet.nc noisy.nc --penalty join-tv:strength=1
refused_output 1 "missing.nc" recon quiet.nc missing.nc "${common[@]}" --penalty $joint
refused 2 "would be overwritten" recon both-1.nc both-2.nc -o both.nc --penalty $joint
ok simulate --phantom forbild-head --reduce 8 --rows 1 --views 7 -o few.nc
refused_output 2 "subsets" recon quiet.nc few.nc --like truth.nc --padding no --solver sart --penalty $joint
finish
