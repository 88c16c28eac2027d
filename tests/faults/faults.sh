#!/bin/bash
# shellcheck disable=SC2154,SC1091
# Fails one call of a command, each in turn: an allocation, a read of its files or of system files, a write. The command must produce its
# usual files, or exit with 1 and a message. No partial file remains, and inputs are unchanged.
# Usage: faults.sh GANTRY fail_nth.so SAMPLES [COMMANDS [KINDS [PART/PARTS]]]: SAMPLES calls of each kind, evenly spread; 0: all.
# COMMANDS: a regular expression of commands. KINDS: of alloc, read, system, write (fail_nth.c), netcdf and hdf5 (allocations of these
# libraries). PART/PARTS: every PARTS-th call from PART on (0/4 to 3/4), for all_at_once.sh; count: prints the numbers of calls without a
# failure.
fault=$(realpath "$2")
samples=$3
only=${4:-}
kinds=${5:-alloc read system write}
part=${6:-0/1}
[[ $part =~ ^([0-9]+/[1-9][0-9]*|count)$ ]] || { echo "faults.sh: '$part': expected a part as 0/4, or count" >&2 && exit 2; }
tests=$(realpath "$(dirname "$0")/..")
. "$tests/cli/support/lib.sh"

mkdir in out
ok simulate --scanner micro-ct --phantom box --scale 0.02 --views 6 --columns 8 --rows 4 --column-pitch 2 --row-pitch 3 --photons 1000 -o in/scan.nc
ok simulate --phantom water-cylinder --truth in/volume.nc --grid 5x4x3@2x3x2.5
ok simulate --scanner c-arm --phantom box --views 3 --columns 5 --rows 3 --column-pitch 60 --row-pitch 80 -o in/set.rctd
for name in v.mhd v.mha v.nii v.nii.gz; do ok convert in/volume.nc -o in/$name; done
ok convert in/volume.nc -o in/slices/ && ok simulate --phantom box --views 3 --columns 5 --rows 3 --format dicom-ct-pd -o in/projections
ok convert in/volume.nc -o in/volume.tif
# without its description a TIFF volume is read as views
LC_ALL=C sed 's/ slope=/ SLOPE=/' in/volume.tif >in/pages.tif
mkdir in/frames && for i in 1 2 3; do cp in/pages.tif in/frames/v_$i.tif; done
cp "$tests/fuzz/corpus/read_dataexchange/whole" in/dx.h5
iterate=(--backend cpu:1 --no-check --grid "6x5x4@.5x.5x.4")
ok recon in/scan.nc "${iterate[@]}" --solver cgls:iterations=2 --checkpoint in/run.ck -o in/half.nc
printf 'ellipsoid radii=5,6,7 density=1\nbox size=3,4,5 center=1,2,3 density=0.4\n' >in/shapes
printf '%d %d\n' 30 4 45 9 60 7 75 3 90 1 >in/spectrum.txt
find in -type f -exec sha1sum {} + >before.txt

# cases: the output, and the command that makes it
commands=(
	"- info in/scan.nc"
	"- info in/v.mhd"
	"- compare in/volume.nc in/v.nii"
	"s.nc simulate --scanner micro-ct --phantom in/shapes --views 3 --columns 5 --rows 2 --threads 1"
	"d simulate --phantom box --views 2 --columns 5 --rows 2 --format dicom-ct-pd --threads 1"
	"s.rctd simulate --scanner c-arm --phantom box --views 2 --columns 5 --rows 3 --threads 1"
	"i.nc import in/scan.nc --flip columns"
	"i.nc prepare in/scan.nc --beam-hardening spectrum=in/spectrum.txt"
	"i.nc import in/set.rctd"
	"i.nc import in/projections"
	"i.nc import in/dx.h5 --axis 3.5"
	"t.mha convert in/volume.tif -o out/t.mha"
	"i.nc import in/pages.tif --values line-integrals --angles 0:60 --axis 2"
	"p.nc project in/volume.nc --scan in/scan.nc --backend cpu:1"
	"b.mha backproject in/scan.nc --grid 6x5x4@.5x.5x.4 --backend cpu:1"
	"v.nc recon in/scan.nc --solver fdk ${iterate[*]}"
	"v.mhd recon in/scan.nc --solver os-sart:iterations=2,subsets=2 ${iterate[*]} --log out/log.csv"
	"v.nii recon in/scan.nc --solver pcg:iterations=2 --weights photons:count=1000 --penalty qggmrf:strength=1 ${iterate[*]} --checkpoint out/c.ck"
	"v.nc recon in/scan.nc --solver cgls:iterations=4 ${iterate[*]} --resume in/run.ck"
	"v.nc convert in/v.mhd"
	"v.nc convert in/v.nii.gz"
	"v.nc convert in/slices"
	"slices/ convert in/v.nii"
	"v.tif convert in/v.mha"
	"v.nii.gz convert in/volume.nc"
	"v.png view in/volume.nc"
	"v.nc denoise in/volume.nc --penalty tv:strength=1 --backend cpu:1"
)

# Fingerprint of the outputs. Logs contain times and DICOM files unique identifiers, so only the data read from them are compared.
tree() {
	find out ! -type d ! -name log.csv ! -name c.ck ! -path 'out/slices/*' ! -path 'out/d/*' -exec sha1sum {} + | sort
	[ -d "out/$output" ] || return 0
	rm -f again.mha
	"$gantry" convert "out/$output" -o again.mha -q 2>/dev/null || "$gantry" backproject "out/$output" --grid 4x4x2@20x20x5 -o again.mha -q
	sha1sum again.mha
}
# run KIND CALL: runs the command of $words; this call fails
run() {
	rm -rf out crash.txt && mkdir out
	timeout 1200 env GT_FAULT="$1" GT_FAULT_AT="$2" GT_FAULT_COUNT="$PWD/count.txt" GT_FAULT_CRASH="$PWD/crash.txt" LD_PRELOAD="$fault" "$gantry" "${words[@]}" >stdout.txt 2>stderr.txt
}
# library_ended CODE: NetCDF or HDF5 ended the run, by a signal, or by exit(255) if HDF5 cannot initialise
library_ended() {
	[[ $kind == netcdf || $kind == hdf5 ]] || return 1
	[ "$1" -eq 255 ] || { [ "$1" -gt 128 ] && grep -q '^lib\(netcdf\|hdf5\)' crash.txt 2>/dev/null; }
}
# judge CODE WHAT: checks a finished run
judge() {
	if [ "$1" -eq 0 ]; then
		{ tree && cat stdout.txt; } | cmp -s - expected.txt || fail "$2: exit code 0, and other data: $(cat stderr.txt)"
	elif library_ended "$1"; then
		# these libraries crash in many places without memory
		crashes=$((crashes + 1))
		[ -z "$(find out -name '.*')" ] || fail "$2: left $(find out -name '.*')"
	elif [ "$1" -gt 128 ]; then
		fail "$2: crashed in $(cat crash.txt 2>/dev/null || echo "?"), exit code $1: $(cat stderr.txt)"
	elif [ "$1" -ne 1 ]; then
		fail "$2: exit code $1: $(cat stderr.txt)"
	else
		[ -s stderr.txt ] || fail "$2: not a word"
		[ "$kind" != write ] || grep -q "out/.*No space left on device" stderr.txt || fail "$2: neither the file nor the disk is named: $(cat stderr.txt)"
		# existing files are complete; a failed log or checkpoint does not require removing the volume
		compgen -G 'out/*' >/dev/null || compgen -G 'out/.[!.]*' >/dev/null && tree 2>/dev/null | grep -vxFf expected.txt && fail "$2: left $(find out ! -type d) ($(cat stderr.txt))"
		told=$((told + 1))
	fi
	runs=$((runs + 1))
}

runs=0 told=0 crashes=0 tried=0
for line in "${commands[@]}"; do
	[[ $line =~ $only ]] || continue
	tried=$((tried + 1))
	read -ra words <<<"$line"
	output=${words[0]}
	words=("${words[@]:1}")
	[ "$output" = - ] || words+=(-o "out/$output" --quiet)
	run none -1 || fail "${words[*]}: fails of itself: $(cat stderr.txt)"
	{ tree && cat stdout.txt; } >expected.txt
	mv count.txt calls.txt
	for kind in $kinds; do
		calls=$(sed -n "s/^$kind //p" calls.txt)
		[[ $part != count ]] || { echo "$kind $calls $line" && continue; }
		step=$((samples > 0 && calls > samples ? calls / samples : 1))
		for ((n = step / 2 + step * ${part%/*}; n < calls; n += step * ${part#*/})); do
			run $kind "$n"
			judge $? "gantry ${words[*]}: $kind $n of $calls"
		done
	done
done
find in -type f -exec sha1sum {} + | cmp -s - before.txt || fail "an input was changed: $(find in -type f -exec sha1sum {} + | diff - before.txt)"
[[ $part != count ]] || finish
[ "$part" != 0/1 ] || [ "$told" -gt $((${#only} ? 0 : runs / 10)) ] || fail "of $runs failures only $told were told"
[ "$tried" -gt 0 ] || fail "no command fits '$only'"
echo "$tried commands, $runs failures, $told of them told, $crashes crashes of libraries"
[ "$failures" -eq 0 ]
