#!/bin/bash
# Full disks, file size limits and signals leave no partial file; Ctrl-C in a solver keeps the result.
. "$(dirname "$0")/support/lib.sh"

ok simulate --reduce 4 --rows 8 --views 400 --phantom shepp-logan --rays 1 --photons 1e4 -o scan.nc
ok simulate --reduce 16 --phantom shepp-logan -o small.nc

mkdir full
(
	cd full || exit 1
	ulimit -f 64
	"$gantry" import ../scan.nc -o out.nc 2>../stderr.txt
	echo $? >../code.txt
)
[ "$(cat code.txt)" = 1 ] || fail "a full disk gave $(cat code.txt): $(cat stderr.txt)"
grep -q out.nc stderr.txt || fail "a full disk: the message names no file: $(cat stderr.txt)"
[ -z "$(ls -A full)" ] || fail "a full disk left $(ls -A full)"
"$gantry" info small.nc >/dev/full 2>stderr.txt && fail "a full standard output gave 0"
for words in help --help --version; do
	"$gantry" $words >/dev/full 2>stderr.txt
	[ $? = 2 ] || fail "$words to a full standard output does not give 2"
	grep -q "cannot write to the standard output" stderr.txt || fail "$words: no message of a full standard output"
done

# Failures are errors also with --quiet: a checkpoint, and a picture that gnuplot could not finish.
limited() { # KIB TEXT ARGUMENTS: with files of so many KiB at most the command gives 1 and says so
	local kib=$1 text=$2 code
	shift 2
	(
		ulimit -f "$kib"
		trap '' XFSZ
		exec "$gantry" "$@" 2>stderr.txt
	)
	code=$?
	[ "$code" -eq 1 ] || fail "gantry $* with $kib KiB gave $code: $(cat stderr.txt)"
	grep -qF -- "$text" stderr.txt || fail "gantry $*: '$text' is not in: $(cat stderr.txt)"
}
# The arrays fit, but not the metadata: the writer detects it.
limited 68 "--checkpoint: no checkpoint after iteration 2: run.ck: " recon small.nc --grid 16x16x2@15x15x10 --solver cgls:iterations=2 --checkpoint run.ck -o kept.mha --backend cpu --quiet
grep -q "kept.mha holds the result" stderr.txt || fail "the result is not named: $(cat stderr.txt)"
ok info kept.mha
[ ! -e run.ck ] || fail "half a checkpoint is there"
if command -v gnuplot >/dev/null; then
	limited 8 "--plot=run.png" recon small.nc --grid 4x4x2@60x60x10 --solver cgls:iterations=2 -o kept.mha --plot run.png --backend cpu
	[ ! -e run.png ] || fail "half a picture is there"
fi

# During writing, as soon as the temporary file exists.
mkdir cut
for signal in TERM KILL; do
	caught $signal 'cut/*' "ls -A cut | grep -q ." import scan.nc -o cut/out.nc --deflate 9
	[ "$code" -gt 128 ] || fail "SIG$signal: exit code $code: $(cat stderr.txt)"
	[ ! -e cut/out.nc ] || fail "SIG$signal left an output"
	[ $signal = KILL ] || [ -z "$(ls -A cut)" ] || fail "SIG$signal left $(ls -A cut)"
done
rm -rf cut

# Ctrl-C in a solver.
caught INT vol.nc "grep -q '^recon 3/' stderr.txt" recon small.nc -o vol.nc --solver os-sart:iterations=100000,subsets=4 --init zero --backend "$backend"
[ "$code" -eq 1 ] || fail "Ctrl-C gave $code"
grep -q 'stopped after' stderr.txt || fail "Ctrl-C: $(tail -1 stderr.txt)"
ok info vol.nc
says "solver=os-sart"

# Before the iterations: a message and the exit code of the signal.
caught INT 'never*' "grep -q '^grid' stderr.txt" simulate --phantom forbild-head --truth never-truth.nc --points 8 -o never.nc
[ "$code" -eq 130 ] || fail "Ctrl-C in simulate gave $code"
grep -q "interrupted, nothing written" stderr.txt || fail "Ctrl-C in simulate: $(cat stderr.txt)"
nothing_left never "Ctrl-C in simulate"
finish
