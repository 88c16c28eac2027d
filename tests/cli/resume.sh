#!/bin/bash
# A killed and continued run ends like an uninterrupted one; a signal saves it. Other runs and damaged checkpoints are refused by
# name.
. "$(dirname "$0")/support/lib.sh"

ok simulate --phantom shepp-logan --reduce 20 --rows 3 --photons 1e4 --seed 5 -o scan.nc
ok simulate --phantom shepp-logan --reduce 20 --rows 3 --photons 1e4 --seed 6 -o other.nc
ok simulate --phantom shepp-logan --reduce 20 --rows 3 --photons 1e4 --seed 5 --start 3 -o turned.nc
common=(--grid 44x40x4@5.5x6x5 --padding no --backend "$backend" --quiet)
same() { ok compare "$1" "$2" --max 0; }

# kill_after FILE SIGNAL OUTPUT ARGUMENTS: sends the signal when FILE, the checkpoint, exists, during the iterations.
kill_after() {
	local file=$1 signal=$2 output=$3
	shift 3
	caught "$signal" "$file $output" "[ -e $file ]" recon "$@" -o "$output" --checkpoint "$file:every=3"
}

# Killed at some iteration after a checkpoint, continued, and killed again.
long=(--solver "os-sart:iterations=120,subsets=3,order=golden" --init zero)
ok recon scan.nc -o whole.nc "${common[@]}" "${long[@]}"
kill_after a.ck KILL a.nc scan.nc "${common[@]}" "${long[@]}"
[ "$code" -eq 137 ] || fail "SIGKILL gave $code: $(cat stderr.txt)"
[ ! -e a.nc ] || fail "a.nc was written"
kill_after b.ck KILL a.nc scan.nc "${common[@]}" "${long[@]}" --resume a.ck
ok recon scan.nc -o a.nc "${common[@]}" "${long[@]}" --resume b.ck
same a.nc whole.nc

# SIGTERM and Ctrl-C save the current iteration; a run may continue in its own checkpoint.
for signal in TERM INT; do
	kill_after c.ck $signal c.nc scan.nc "${common[@]}" "${long[@]}"
	[ "$code" -eq 1 ] || fail "SIG$signal gave $code: $(cat stderr.txt)"
	grep -q "stopped after [0-9]* of 120 iterations; c.nc holds" stderr.txt || fail "SIG$signal: $(cat stderr.txt)"
	ok recon scan.nc -o c.nc "${common[@]}" "${long[@]}" --resume c.ck --checkpoint c.ck
	same c.nc whole.nc
done

# With weights and a penalty with state, in double; and to more iterations than requested at first.
double=(--precision double --weights noise --penalty "tv:strength=3,inner=3")
ok recon scan.nc -o long.nc "${common[@]}" --solver fista:iterations=9,prox=yes "${double[@]}"
ok recon scan.nc -o short.nc "${common[@]}" --solver fista:iterations=5,prox=yes "${double[@]}" --checkpoint d.ck
ok recon scan.nc -o more.nc "${common[@]}" --solver fista:iterations=9,prox=yes "${double[@]}" --resume d.ck
same more.nc long.nc
# A completed run has nothing to continue.
ok recon scan.nc -o again.nc "${common[@]}" --solver fista:iterations=5,prox=yes "${double[@]}" --resume d.ck
same again.nc short.nc

differs() { # TEXT SCAN OPTIONS: d.ck is of another run, and the message says why
	local text=$1 scan=$2
	shift 2
	refused 1 "d.ck: is of another run: $text" recon "$scan" -o no.nc "${common[@]}" "$@" --resume d.ck
}
fista=(--solver "fista:iterations=9,prox=yes")
differs "the measured data have the hash" other.nc "${fista[@]}" "${double[@]}"
differs "the scan's geometry has the hash" turned.nc "${fista[@]}" "${double[@]}"
differs "the grid is 44x40x4@5.5x6x5, expected 44x40x4@5.5x6.25x5" scan.nc "${fista[@]}" "${double[@]}" --grid 44x40x4@5.5x6.25x5
differs "the solver is fista, expected pcg" scan.nc "${double[@]}" --solver pcg
differs "the solver has restart=yes, expected restart=no" scan.nc "${double[@]}" --solver fista:prox=yes,restart=no
differs "the projector is dd" scan.nc "${fista[@]}" "${double[@]}" --projector joseph
differs "the weights are noise" scan.nc "${fista[@]}" "${double[@]}" --weights uniform
differs "the penalty is tv:strength=3,inner=3, expected tv:strength=3,inner=4" scan.nc "${fista[@]}" "${double[@]}" --penalty tv:strength=3,inner=4
differs "the start is fdk, expected zero" scan.nc "${fista[@]}" "${double[@]}" --init zero
differs "the precision is double, expected single" scan.nc "${fista[@]}" "${double[@]}" --precision single
refused 1 "d.ck: has done 5 iterations, expected at most iterations=4" recon scan.nc -o no.nc "${common[@]}" --solver fista:iterations=4,prox=yes "${double[@]}" --resume d.ck

# A strength from the noise: on another device, or for nearly the same target, that of the checkpoint is used; another target is another run.
noise() { echo "--solver pcg:iterations=$2 --weights noise --penalty huber:delta=100HU,noise=$1"; }
read -ra asked <<<"$(noise 2HU 3)"
ok recon scan.nc -o n.nc "${common[@]}" "${asked[@]}" --checkpoint n.ck
read -ra asked <<<"$(noise 2HU 6)"
ok recon scan.nc -o long.nc "${common[@]}" "${asked[@]}"
read -ra asked <<<"$(noise 2.0004HU 6)"
ok recon scan.nc -o near.nc "${common[@]}" "${asked[@]}"
ok compare near.nc long.nc --json
holds "$(value rmse) > 0" "the strengths are the same: nothing is tried"
ok recon scan.nc -o n.nc "${common[@]}" "${asked[@]}" --resume n.ck
same n.nc long.nc
read -ra asked <<<"$(noise 2.02HU 6)"
refused 1 "n.ck: is of another run: the penalty is huber:delta=100HU,strength=" recon scan.nc -o no.nc "${common[@]}" "${asked[@]}" --resume n.ck
# Huber's automatic threshold is that of the checkpoint too.
ok simulate --phantom shepp-logan --reduce 40 --rows 1 --photons 1e4 --seed 5 -o flat.nc
automatic=(flat.nc --grid 20x18x1@12x13x20 --padding no --backend "$backend" --quiet --weights noise)
ok recon "${automatic[@]}" --solver pcg:iterations=3 --penalty huber:noise=2HU -o n.nc --checkpoint auto.ck
ok recon "${automatic[@]}" --solver pcg:iterations=6 --penalty huber:noise=2HU -o long.nc
ok recon "${automatic[@]}" --solver pcg:iterations=6 --penalty huber:noise=2.0004HU -o near.nc
ok compare near.nc long.nc --json
holds "$(value rmse) > 0" "the thresholds are the same: nothing is tried"
ok recon "${automatic[@]}" --solver pcg:iterations=6 --penalty huber:noise=2.0004HU -o n.nc --resume auto.ck
same n.nc long.nc

# Divergence is detected at the same iteration, and the best image is the one before.
ok simulate --phantom shepp-logan --reduce 8 --photons 300 --seed 5 -o wild.nc --truth like.nc --grid 40x40x6@6x6x6.5
wild=(wild.nc --like like.nc --backend "$backend" --quiet --solver "os-sqs:iterations=40,subsets=41,fewer=1,single=1,restart=no")
ends() { sed -n 's/.*diverged: \(after .*\); .* holds \(.*\)$/\1 \2/p' stderr.txt; }
refused 1 "diverged" recon "${wild[@]}" -o best.nc --checkpoint w.ck:every=4
whole=$(ends)
refused 1 "diverged" recon "${wild[@]}" -o w.nc --resume w.ck
[ "$(ends)" = "$whole" ] || fail "diverged '$(ends)', without a stop '$whole'"
same w.nc best.nc
# If the best image is x itself, it is saved once.
ok recon scan.nc -o p.nc "${common[@]}" --solver pcg:iterations=4 --checkpoint p.ck
grep -q best_image w.ck || fail "w.ck lacks the best image"
grep -q best_image p.ck && fail "p.ck holds its volume twice"

# Ordered subsets with a plan for all iterations refuse another number.
ok recon scan.nc -o e.nc "${common[@]}" --solver os-sqs:iterations=4,subsets=4 --checkpoint e.ck:every=3
refused 1 "e.ck: is of another run: the solver has iterations=4, expected iterations=6" recon scan.nc -o no.nc "${common[@]}" --solver os-sqs:iterations=6,subsets=4 --resume e.ck

size=$(stat -c %s d.ck)
for part in 5 60 99; do
	head -c $((size * part / 100)) d.ck >part.ck
	refused 1 "part.ck" recon scan.nc -o no.nc "${common[@]}" "${fista[@]}" "${double[@]}" --resume part.ck
done
# A flipped bit inside an array.
cp d.ck bit.ck
printf '\x5a' | dd of=bit.ck bs=1 seek=$((size / 2)) conv=notrunc status=none
refused 1 "damaged" recon scan.nc -o no.nc "${common[@]}" "${fista[@]}" "${double[@]}" --resume bit.ck
refused 1 "whole.nc: is not a checkpoint" recon scan.nc -o no.nc "${common[@]}" "${fista[@]}" --resume whole.nc
refused 1 "none.ck" recon scan.nc -o no.nc --solver cgls --resume none.ck
refused 1 "folder" recon scan.nc -o no.nc --solver cgls --checkpoint no/where.ck
refused 2 "every=0" recon scan.nc -o no.nc --solver cgls --checkpoint f.ck:every=0
refused 2 "unknown parameter 'evry'" recon scan.nc -o no.nc --solver cgls --checkpoint f.ck:evry=3
refused 2 "would be overwritten" recon scan.nc -o no.nc --solver cgls --checkpoint ./scan.nc
refused 2 "would be overwritten" recon scan.nc -o no.nc --solver cgls --checkpoint no.nc:every=2
refused 2 "would be overwritten" recon scan.nc -o d.ck --solver cgls --resume d.ck
refused 2 "analytic method" recon scan.nc -o no.nc --solver fdk --checkpoint f.ck
refused 2 "analytic method" recon scan.nc -o no.nc --resume d.ck
[ ! -e no.nc ] || fail "no.nc was written"
[ ! -e f.ck ] || fail "f.ck was written"
finish
