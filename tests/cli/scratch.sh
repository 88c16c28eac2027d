#!/bin/bash
# Iterations with arrays larger than memory: in files of a folder, with the same result; refused if impossible.
. "$(dirname "$0")/support/lib.sh"

ok simulate --scanner ge-ct750hd --detector flat --reduce 8 --rows 24 --views 360 --phantom forbild-head --rays 1 -o scan.nc
recon=(recon scan.nc --grid "121x117x37@2.1x2.2x2+3,-2,5" --no-check --backend "cpu:2" --solver os-sart:"iterations=2,subsets=2")
# In memory if possible: the test does not judge the speed of this disk.
room=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
if [ -w /dev/shm ] && [ "${room:-0}" -gt 200000 ]; then
	ln -s "$(mktemp -d -p /dev/shm)" scratch
	trap 'rmdir "$(readlink -f "$work/scratch")"; cd / && rm -rf "$work"' EXIT
else
	mkdir scratch
fi

# Memory of the process and of the run: enough for all but the last megabytes.
short_memory "${recon[@]}" -o all.nc

ok "${recon[@]}" -o all.nc
refused_output 1 "--scratch FOLDER (" "${recon[@]}" --host-memory "$little"
ok "${recon[@]}" --host-memory "$little" --scratch scratch -o files.nc
grep -q -- "--scratch=scratch: .* of .* of arrays are in files there; an iteration reads and writes about" stderr.txt ||
	fail "it is not said what lies in files: $(cat stderr.txt)"
ok compare all.nc files.nc --max 1e-6mm-1
[ -z "$(ls -A scratch/)" ] || fail "files stay: $(ls -A scratch/)"

# A dry run reports the size; sufficient memory needs no files.
ok "${recon[@]}" --host-memory "$little" --scratch scratch -o no.nc --dry-run
says "of it, in files (--scratch)"
ok "${recon[@]}" --scratch scratch -o all-2.nc
grep -q -- "--scratch=scratch: unused: everything fits into" stderr.txt || fail "it is not said that memory holds all: $(cat stderr.txt)"
ok compare all.nc all-2.nc --max 0

refused_output 1 "--scratch=nowhere: " "${recon[@]}" --host-memory "$little" --scratch nowhere
refused_output 1 "--scratch=nowhere: No such file" "${recon[@]}" --scratch nowhere
refused_output 1 "--scratch=/dev/null: is not a folder" "${recon[@]}" --scratch /dev/null
refused_output 1 "that the process holds, and the limit (--host-memory) is 977 KiB; " "${recon[@]}" --host-memory 1MB --scratch scratch
refused_output 2 "--scratch: only for reconstruction by slabs, and 'several devices'" "${recon[@]}" --backend cpu:1x2 --scratch scratch
finish
