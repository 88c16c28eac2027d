#!/bin/bash
# shellcheck disable=SC2154,SC1091
# Every kind of NetCDF output on a disk that is too small for it, by so much and by so little, and on one that somebody else fills meanwhile: exit code 1, a sentence that names
# the file and the disk, the file that was there before, and nothing half written. Skipped where one may not mount.
# Usage: full_disk.sh GANTRY
tests=$(realpath "$(dirname "$0")/..")
. "$tests/cli/support/lib.sh"
mkdir in small
mount -t tmpfs -o size=8m tmpfs small 2>/dev/null || exit 77
trap 'umount "$work/small"; cd / && rm -rf "$work"' EXIT

ok simulate --scanner micro-ct --phantom box --scale 0.02 --views 20 --columns 60 --rows 40 --column-pitch 2 --row-pitch 3 --photons 1000 -o in/scan.nc
ok simulate --scanner micro-ct --phantom box --scale 0.02 --truth in/near.nc --grid 30x24x20@.2x.3x.2
ok simulate --scanner c-arm --phantom box --views 3 --columns 50 --rows 30 --column-pitch 60 --row-pitch 80 -o in/set.rctd
# Noise, which hardly gets smaller when it is compressed.
ok recon in/scan.nc --solver fdk --backend cpu:1 --no-check --grid 60x50x40@.5x.5x.4 -o in/volume.nc
iterate=(--backend cpu:1 --no-check --grid "50x40x30@.5x.5x.4")
commands=(
	"recon in/scan.nc --solver fdk ${iterate[*]} -o small/o.nc"
	"recon in/scan.nc --solver cgls:iterations=2 ${iterate[*]} --checkpoint small/o.nc -o v.nc"
	"simulate --scanner micro-ct --phantom box --scale 0.02 --photons 1000 --views 20 --columns 60 --rows 40 -o small/o.nc"
	"simulate --phantom water-cylinder --truth small/o.nc --grid 50x40x30@2x3x2.5"
	"prepare in/scan.nc --rings gain --deflate 3 -o small/o.nc"
	"prepare in/scan.nc --rings gain -o small/o.nc"
	"import in/scan.nc --flip columns -o small/o.nc"
	"import in/set.rctd -o small/o.nc"
	"calibrate in/scan.nc --find axis --iterations 2 --columns 20 --views 20 --backend cpu:1 -o small/o.nc"
	"geometry make circle --scanner micro-ct --views 2000 -o small/o.nc"
	"project in/near.nc --scan in/scan.nc --backend cpu:1 -o small/o.nc"
	"denoise in/volume.nc --penalty tv:strength=1 --backend cpu:1 -o small/o.nc"
	"convert in/volume.nc --deflate 4 -o small/o.nc"
	"convert in/volume.nc -o small/o.nc"
)
# judge CODE WHAT WHOLE: of a run of $words after which small/ is as it left it; WHOLE: the file that it makes where there is room.
told=0
judge() {
	local left
	left=$(find small -mindepth 1 ! -name o.nc ! -name other)
	[ -z "$left" ] || fail "$2: left $left"
	if [ "$1" -eq 0 ]; then
		[ "$(wc -c <small/o.nc)" -eq "$3" ] || fail "$2: exit code 0, and another file"
		return
	fi
	[ "$1" -eq 1 ] || fail "$2: exit code $1: $(cat stderr.txt)"
	[ "$(cat small/o.nc)" = before ] || fail "$2: the file that was there is not there any more"
	grep -q "small/o.nc: .*\(No space left on device\|not enough disk space\)" stderr.txt || fail "$2: neither the file nor the disk is named: $(cat stderr.txt)"
	told=$((told + 1))
}
for line in "${commands[@]}"; do
	read -ra words <<<"$line --quiet"
	mount -o remount,size=8m small
	ok "${words[@]}"
	whole=$(wc -c <small/o.nc) pages=$(($(wc -c <small/o.nc) / 4096 + 1))
	for size in 2 3 4 5 9 $((pages / 2)) $((pages - 2)) $((pages + 1)) $((pages + 9)); do
		[ "$size" -gt 1 ] || continue # 0 is without a limit
		rm -rf small/* v.nc
		mount -o remount,size=$((4 * size))k small
		echo before >small/o.nc
		timeout 1200 "$gantry" "${words[@]}" >/dev/null 2>stderr.txt
		judge $? "gantry $line: $size of $pages pages" "$whole"
	done
done
[ "$told" -gt 80 ] || fail "only $told disks were too small"
# Somebody else takes what is left, at some time.
for late in 0 .01 .02 .03 .05 .08; do
	for line in "${commands[@]: -2}"; do
		read -ra words <<<"$line --quiet"
		rm -rf small/*
		mount -o remount,size=1m small
		ok "${words[@]}" && whole=$(wc -c <small/o.nc)
		echo before >small/o.nc
		timeout 1200 "$gantry" "${words[@]}" >/dev/null 2>stderr.txt &
		run=$!
		sleep "$late"
		head -c 2M /dev/zero >small/other 2>/dev/null
		wait $run
		judge $? "gantry $line: another program takes the disk after $late s" "$whole"
	done
done
exit $((failures > 0))
