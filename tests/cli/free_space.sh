#!/bin/bash
# A full disk: commands check the free space before computing, writers report it, and no partial file remains.
. "$(dirname "$0")/support/lib.sh"

ok simulate --phantom forbild-head --reduce 16 --photons 1e5 --seed 3 -o scan.nc --truth truth.nc --grid 64x64x40@4x4x5 -q

# early COMMAND...: refused before computing, with required and available space.
early() {
	refused 1 "not enough disk space: needs " "$@"
	grep -qE 'needs [0-9.]+ (KiB|MiB), [0-9.]+ (bytes|KiB|MiB) available' stderr.txt || fail "gantry $*: $(cat stderr.txt)"
	grep -qE '[0-9]+ %  |iteration|voxels ' stderr.txt && fail "gantry $* computed first: $(cat stderr.txt)"
	nothing_left none "gantry $*"
}

# all FOLDER [OUTSIDE]: no command starts without free space in the folder.
all() {
	local outside=${2:-small.nc}
	for name in none.nc none.mha none.nii none.tif none.npy none.raw; do
		early recon scan.nc -o "$1$name" --grid 64x64x40@4x4x5 --solver os-sart:iterations=2,subsets=2 --backend cpu
	done
	early recon scan.nc scan.nc -o "$1none.nc" --grid 64x64x40@4x4x5 --solver fista:prox=yes,iterations=2 --penalty joint-tv:strength=1
	early simulate --phantom forbild-head --reduce 4 -o "$1none.nc"
	early simulate --phantom forbild-head --reduce 16 --truth "$1none.nc" --grid 64x64x40@4x4x5
	early project truth.nc --scan large.nc -o "$1none.nc" -q
	early backproject scan.nc -o "$1none.mha" --grid 64x64x40@4x4x5
	early denoise truth.nc -o "$1none.nc" --penalty nlm:h=20HU
	early prepare large.nc -o "$1none.nc" --rings gain
	early calibrate large.nc -o "$1none.nc"
	for name in none.nc none.mha none.nii none.tif none.npy none.raw; do
		early convert truth.nc -o "$1$name"
	done
	early import large.nc -o "$1none.nc"
	early import truth.nc -o "$1none.nc"
	early view noise.nc -o "$1none.html" --page-size 1MB
	# The image of a checkpoint is known at once, the solver's state when it begins.
	early recon scan.nc -o "$outside" --grid 64x64x40@4x4x5 --solver fista:iterations=2 --checkpoint "$1none.ck" --backend cpu
	early recon scan.nc -o "$outside" --grid 40x40x12@6x6x12 --solver fista:iterations=2 --checkpoint "$1none.ck" --backend cpu
}

ok simulate --phantom forbild-head --reduce 8 -o large.nc -q
ok recon scan.nc -o noise.nc --grid 64x64x40@4x4x5 --solver fdk -q
# RLIMIT_FSIZE limits files like a full disk.
(
	ulimit -f 100
	all ""
	exit $failures
) || fail "where files are limited"

# A disk of one MB, if this user may mount one.
mkdir disk
mount -t tmpfs -o size=1m none disk 2>/dev/null || skip "no disk of one MB can be mounted here"
trap 'cd / && umount "$work/disk"; rm -rf "$work"' EXIT
head -c 900K /dev/urandom >disk/others
all disk/
head -c 80K /dev/urandom >>disk/others
refused 1 "not enough disk space: needs " recon scan.nc -o disk/none/ --grid 64x64x40@4x4x5 --backend cpu
early convert truth.nc -o disk/none/
refused 1 "not enough disk space: needs " import large.nc -o disk/none/ --format dicom-ct-pd
nothing_left none "import to DICOM"
# A checkpoint that fits once, but not together with its predecessor.
rm disk/others
head -c 800K /dev/urandom >disk/others
early recon scan.nc -o out.nc --grid 40x40x12@6x6x12 --solver fista:iterations=2 --checkpoint disk/none.ck --backend cpu
# Compressed sizes are unknown before; writers report the failure.
head -c 180K /dev/urandom >>disk/others
for name in none.nii.gz none.nc; do
	refused 1 "o space left on" convert noise.nc -o disk/$name --deflate 1
	grep -qF "disk/${name%/}" stderr.txt || fail "no name in: $(cat stderr.txt)"
	nothing_left none "convert to $name"
done
[ "$(ls disk)" = others ] || fail "left on the disk: $(ls -a disk)"
finish
