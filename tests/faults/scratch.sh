#!/bin/bash
# shellcheck disable=SC2154,SC1091
# A disk for arrays (--scratch) that fills: before the run, while its files are made, and in the midst of the iterations. What is said names the folder; nothing half
# written is left, there or of the result; a run whose files are there goes on. Where one may mount, on a file system of some MB too.
# Usage: scratch.sh GANTRY fail_nth.so
fault=$(realpath "$2")
tests=$(realpath "$(dirname "$0")/..")
. "$tests/cli/support/lib.sh"

ok simulate --scanner ge-ct750hd --detector flat --reduce 8 --rows 12 --views 120 --phantom forbild-head --rays 1 -o scan.nc
recon=(recon scan.nc --grid "121x117x37@2.1x2.2x2+3,-2,5" --no-check --backend "cpu:2" --solver os-sart:"iterations=2,subsets=2" --init zero --quiet)
# In memory where that can be: what is asked is not whether this computer's disk is worth it.
room=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
if [ -w /dev/shm ] && [ "${room:-0}" -gt 200000 ]; then ln -s "$(mktemp -d -p /dev/shm)" scratch; else mkdir scratch; fi
trap 'umount "$work/small" 2>/dev/null; rmdir "$(readlink -f "$work/scratch")"; cd / && rm -rf "$work"' EXIT

# Memory for all but some MB of what the run needs, and the result where there is enough.
short_memory "${recon[@]}" -o all.nc
ok "${recon[@]}" -o all.nc
short=("${recon[@]}" --host-memory "$little" --scratch)

# empty FOLDER WHAT
empty() { [ -z "$(ls -A "$1/")" ] || fail "$2: files stay in $1: $(ls -A "$1/")"; }
# with_fault CALL: that writing, and all that follow, find the disk full.
with_fault() {
	timeout 1200 env GT_FAULT=write GT_FAULT_AT="$1" GT_FAULT_COUNT="$PWD/count.txt" LD_PRELOAD="$fault" "$gantry" "${short[@]}" scratch -o out.mha 2>stderr.txt
}
with_fault -1 || fail "fails of itself: $(cat stderr.txt)"
ok compare all.nc out.mha --max 1e-6mm-1
rm -f out.mha
# writings: of the last run. The memory that the process itself takes decides how many arrays are in files, so runs differ by one or two.
writings() { sed -n 's/^write //p' count.txt; }
[ "$(writings)" -gt 3 ] || fail "only $(writings) writings"
named=0
for ((n = 0; n < 100; n++)); do
	with_fault "$n"
	code=$? calls=$(writings)
	[ "$calls" -gt "$n" ] || break # the run has fewer writings
	empty scratch "writing $n of $calls"
	if [ "$code" -eq 0 ]; then # what is synced when the result has its name already
		ok compare all.nc out.mha --max 1e-6mm-1
		[ "$n" -eq $((calls - 1)) ] || fail "writing $n of $calls failed, and all was well"
		rm -f out.mha
		continue
	fi
	[ "$code" -eq 1 ] || fail "writing $n of $calls: exit code $code: $(cat stderr.txt)"
	grep -q -- "--scratch=scratch: .*No space left on device" stderr.txt && named=$((named + 1))
	grep -q -- "--scratch=scratch: \|out.mha" stderr.txt || fail "writing $n of $calls: no file is named: $(cat stderr.txt)"
	nothing_left out.mha "writing $n of $calls"
done
[ "$code" -eq 0 ] || fail "after all writings: exit code $code: $(cat stderr.txt)"
rm -f out.mha
[ "$named" -ge 2 ] || fail "the folder of arrays was named $named times"

mkdir small
if ! mount -t tmpfs -o size=1m tmpfs small 2>/dev/null; then
	echo "no file system can be mounted here: without disks of some MB"
	exit $((failures > 0))
fi
refused 1 "--scratch=small: not enough disk space: needs " "${short[@]}" small -o out.mha
empty small "a disk too small"
# Room for the arrays, and for little else: enough.
mount -o remount,size=16m small
ok "${short[@]}" small -o out.mha
ok compare all.nc out.mha --max 1e-6mm-1
empty small "a small disk"
rm -f out.mha
# Somebody else fills it while the run iterates: its room was taken at the beginning.
more=("${short[@]/iterations=2/iterations=12}")
ok "${recon[@]/iterations=2/iterations=12}" -o many.nc
# The run stands still while the disk is filled. One that had ended by then is begun again.
for _ in {1..50}; do
	rm -f small/other out.mha log.csv
	"$gantry" "${more[@]}" small -o out.mha --log log.csv 2>stderr.txt &
	run=$!
	until grep -q '^2,' log.csv 2>/dev/null || ! kill -0 $run 2>/dev/null; do sleep 0.02; done
	kill -STOP $run 2>/dev/null
	iterates=$([ -e out.mha ] || echo yes)
	head -c 20M /dev/zero >small/other 2>/dev/null
	kill -CONT $run 2>/dev/null
	wait $run || fail "a disk that somebody else has filled: $(cat stderr.txt)"
	[ "$iterates" != yes ] || break
done
[ "$iterates" = yes ] || fail "the run had always ended before the disk was full"
ok compare many.nc out.mha --max 1e-6mm-1
[ "$(ls small)" = other ] || fail "files stay: $(ls -A small)"
rm -f out.mha
# And full it stays.
head -c 20M /dev/zero >small/other 2>/dev/null
refused 1 "--scratch=small: not enough disk space: needs " "${short[@]}" small -o out.mha
exit $((failures > 0))
