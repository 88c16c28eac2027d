#!/bin/bash
# shellcheck disable=SC2154,SC1091
# One call of a command fails, each in its turn: an allocation, a reading of its files or of the system's, a writing. Whatever fails, the command ends with the same files as
# without, or with exit code 1 and a sentence, leaving nothing behind; its inputs stay as they are.
# Usage: faults.sh GANTRY fail_nth.so SAMPLES [COMMANDS [KINDS [PART/PARTS]]]: so many of the calls of each kind, evenly spread; 0: all of them.
# COMMANDS is a regular expression, of those that are tried; KINDS are of alloc, read, system, write (fail_nth.c), and netcdf and hdf5: allocations of these libraries. PART/PARTS: of
# the calls that would be tried each PARTS-th, from PART on (0/4 to 3/4): all_at_once.sh has them run side by side. count instead: no call fails, and how many there are is told.
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
# Without what a volume tells of its numbers the pages of a TIFF are views.
LC_ALL=C sed 's/ slope=/ SLOPE=/' in/volume.tif >in/pages.tif
mkdir in/frames && for i in 1 2 3; do cp in/pages.tif in/frames/v_$i.tif; done
cp "$tests/fuzz/corpus/read_dataexchange/whole" in/dx.h5
iterate=(--backend cpu:1 --no-check --grid "6x5x4@.5x.5x.4")
ok recon in/scan.nc "${iterate[@]}" --solver cgls:iterations=2 --checkpoint in/run.ck -o in/half.nc
printf 'ellipsoid radii=5,6,7 density=1\nbox size=3,4,5 center=1,2,3 density=0.4\n' >in/shapes
printf '%d %d\n' 30 4 45 9 60 7 75 3 90 1 >in/spectrum.txt
find in -type f -exec sha1sum {} + >before.txt

# What is tried: the output, and the command that makes it.
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

# What a run has made. Logs hold seconds, and each DICOM file an identifier of its own: of these what is read from them counts.
tree() {
	find out ! -type d ! -name log.csv ! -name c.ck ! -path 'out/slices/*' ! -path 'out/d/*' -exec sha1sum {} + | sort
	[ -d "out/$output" ] || return 0
	rm -f again.mha
	"$gantry" convert "out/$output" -o again.mha -q 2>/dev/null || "$gantry" backproject "out/$output" --grid 4x4x2@20x20x5 -o again.mha -q
	sha1sum again.mha
}
# run KIND CALL: the command of $words, of which that call fails.
run() {
	rm -rf out crash.txt && mkdir out
	timeout 1200 env GT_FAULT="$1" GT_FAULT_AT="$2" GT_FAULT_COUNT="$PWD/count.txt" GT_FAULT_CRASH="$PWD/crash.txt" LD_PRELOAD="$fault" "$gantry" "${words[@]}" >stdout.txt 2>stderr.txt
}
# library_ended CODE: not Gantry but NetCDF or HDF5 ended the run, by a signal, or by exit(255) as HDF5 does where it cannot start.
library_ended() {
	[[ $kind == netcdf || $kind == hdf5 ]] || return 1
	[ "$1" -eq 255 ] || { [ "$1" -gt 128 ] && grep -q '^lib\(netcdf\|hdf5\)' crash.txt 2>/dev/null; }
}
# judge CODE WHAT: of the run that has ended.
judge() {
	if [ "$1" -eq 0 ]; then
		{ tree && cat stdout.txt; } | cmp -s - expected.txt || fail "$2: exit code 0, and other data: $(cat stderr.txt)"
	elif library_ended "$1"; then
		# Without memory these crash in many places, and in many ways.
		crashes=$((crashes + 1))
		[ -z "$(find out -name '.*')" ] || fail "$2: left $(find out -name '.*')"
	elif [ "$1" -gt 128 ]; then
		fail "$2: crashed in $(cat crash.txt 2>/dev/null || echo "?"), exit code $1: $(cat stderr.txt)"
	elif [ "$1" -ne 1 ]; then
		fail "$2: exit code $1: $(cat stderr.txt)"
	else
		[ -s stderr.txt ] || fail "$2: not a word"
		[ "$kind" != write ] || grep -q "out/.*No space left on device" stderr.txt || fail "$2: neither the file nor the disk is named: $(cat stderr.txt)"
		# What is there is whole: where a log or a checkpoint fails, the volume need not go.
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
