#!/bin/bash
# Makes the initial corpus of each harness with the command. Usage: make_seeds.sh GANTRY TESTS [CORPUS]
# TESTS: folder of the test programs: fuzz_made_hdf5 writes the Data Exchange file, fuzz_made_netcdf a checkpoint with the variables of
# read_checkpoint.
set -euo pipefail
gantry=$(realpath "${1:?usage: make_seeds.sh GANTRY TESTS [CORPUS]}")
tests=$(realpath "${2:?usage: make_seeds.sh GANTRY TESTS [CORPUS]}")
here=$(realpath "$(dirname "$0")")
corpus=$(realpath -m "${3:-$here/corpus}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

seed() { # HARNESS NAME: from stdin
	mkdir -p "$corpus/$1"
	cat >"$corpus/$1/$2"
}
part() { # FILE: its length in three bytes, then itself
	local n
	n=$(stat -c %s "$1")
	# shellcheck disable=SC2059
	printf "$(printf '\\x%02x\\x%02x\\x%02x' $((n & 255)) $((n >> 8 & 255)) $((n >> 16)))"
	cat "$1"
}
run() { "$gantry" "$@" --quiet >/dev/null; }

run simulate --scanner micro-ct --phantom box --scale 0.02 --views 3 --columns 5 --rows 2 --column-pitch 2 --row-pitch 3 --photons 1000 -o scan.nc
run simulate --phantom water-cylinder --truth volume.nc --grid 4x3x2@60x50x40
run recon scan.nc --solver cgls:iterations=2 --grid 3x2x2@.5x.5x.4 --checkpoint run.ck --no-check -o picture.nc
seed read_netcdf scan <scan.nc
seed read_checkpoint run <run.ck
# without its checksum, of an even size: the harness appends a correct one to any input
unsigned() { # FILE
	local size
	size=$(($(stat -c %s "$1") - 32))
	head -c $size "$1" && head -c $((size % 2)) /dev/zero
}
unsigned run.ck | seed read_checkpoint unsigned
for unit in mm-1 HU; do
	run convert volume.nc -o volume.mha --unit $unit
	part volume.mha | seed read_metaimage mha-$unit
	sed 's/ByteOrderMSB = False/ByteOrderMSB = True/; s/^DimSize = .*/DimSize = 2 2 2/' volume.mha >other.mha
	part other.mha | seed read_metaimage msb-$unit
	run convert volume.nc -o a.mhd --unit $unit
	{ part a.mhd; part a.raw; } | seed read_metaimage mhd-$unit
	run convert volume.nc -o volume.nii --unit $unit
	seed read_nifti nii-$unit <volume.nii
	run convert volume.nc -o volume.nii.gz --unit $unit
	seed read_nifti gz-$unit <volume.nii.gz
	rm volume.mha a.mhd a.raw volume.nii*
done
for number in float u16 u8; do
	# under the names that the harness uses, because one names the other
	run convert volume.nc -o a.npy --number $number
	{ printf '\x01'; part a.npy.json; part a.npy; } | seed read_plain npy-$number
	run convert volume.nc -o a.raw --number $number --unit HU
	{ printf '\x00'; part a.raw.json; part a.raw; } | seed read_plain raw-$number
done
rm a.npy* a.raw*

run simulate --scanner c-arm --phantom box --views 2 --columns 5 --rows 3 --column-pitch 60 --row-pitch 80 -o set.rctd
part set.rctd | seed read_rabbitct rctd
run simulate --scanner c-arm --phantom box --views 2 --columns 5 --rows 3 --column-pitch 60 --row-pitch 80 -o set.rct
part set.rct | seed read_rabbitct rct
{ part set.rctd; part set.rctd; } | seed read_rabbitct twice

if run simulate --phantom box --views 2 --columns 5 --rows 3 --column-pitch 150 --row-pitch 20 --format dicom-ct-pd -o projections 2>/dev/null; then
	for file in projections/*; do part "$file"; done | seed read_dicom projections
	run convert volume.nc -o slices/
	for file in slices/*; do part "$file"; done | seed read_dicom slices
fi

for number in float u16 u8; do
	run convert volume.nc -o pages.tif --number $number --unit HU
	seed read_tiff $number <pages.tif
done
run convert volume.nc -o pages.tif --deflate 4
seed read_tiff deflate <pages.tif
run convert volume.nc -o pages.tif
run simulate --phantom water-cylinder --truth slice.nc --grid 5x3x1@40x50x40
run convert slice.nc -o image.tif
printf '0\n45\n90\n' >angles.txt
printf '\x25v_01.tif\nv_02.tif\nflat.tif\nangles.txt' >names
{ cat names; part image.tif; part image.tif; part image.tif; part angles.txt; } | seed read_frames tiff
{ printf '\x00'; cat pages.tif; } | seed read_npy tiff-pages
{ printf '\x01'; cat image.tif; } | seed read_npy tiff-sinogram
for kind in '<f4 False' '>u2 False' '<u2 True' '|u1 True'; do
	head="{'descr': '${kind% *}', 'fortran_order': ${kind#* }, 'shape': (2, 2, 3), }"
	{
		printf '\x00\x93NUMPY\x01\x00\x76\x00%-117s\n' "$head"
		printf 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL'
	} | seed read_npy "npy-$(tr -dc a-z0-9 <<<"${kind,,}")"
done

# 2 rows x 3 columns: plain, and compressed by differences (4 raw values, lookup 0, 2 bytes) with the chamber's count; Heimann's
xim() { printf 'VMS.XI\0\0\1\0\0\0\3\0\0\0\2\0\0\0\20\0\0\0\4\0\0\0'; }
tail_of() { printf '\1\0\0\0\7\0\0\0\1\0\0\0\15\0\0\0KVNormChamber\0\0\0\0\11\0\0\0'; }
{ printf '\0' && xim && printf '\0\0\0\0\30\0\0\0abc\0def\0ghi\0jkl\0mno\0pqr\0' && tail_of; } | seed read_linac xim-plain
{ printf '\0' && xim && printf '\1\0\0\0\1\0\0\0\0\22\0\0\0abc\0def\0ghi\0jkl\0\1\2\30\0\0\0' && tail_of; } | seed read_linac xim-compressed
{
	printf '\1\0pD\0\0\0\0\0\0\0\0\0\1\0\1\0\2\0\3\0\1\0\0\0\0\0\0\0\0\0\0\0\4'
	head -c 35 /dev/zero
	printf 'abcdefghijkl'
} | seed read_linac his
# 2 rows x 4 columns after a header of 1024 bytes, a lookup of one byte, 5 raw values, 3 differences; plain after 512
obi() { head -c 120 /dev/zero && printf '\4\0\0\0\2\0\0\0' && head -c "$1" /dev/zero; }
{ printf '\2' && obi 896 && printf '\0abc\0def\0ghi\0jkl\0mno\0\1\2\3'; } | seed read_linac hnd
{ printf '\3' && obi 384 && printf 'abcdefghijklmnop'; } | seed read_linac hnc

cat >body <<'END'
# an object
combine replace
cylinder  radius=40 length=120 density=1.05
cone      center=0,0,70 radius=40 end=12 length=20 density=1.05
box       center=0,-50,0 size=90,30,60 angles=15 density=1.2 clip=0,1,0,-42
cylinder  center=10,-5,0 radii=2,3 length=90 axis=0.1,0,1 density=7.8
unit mm-1
ellipsoid center=-12,8,20 radii=6,4,9 angles=30,10,0 density=0.041
END
seed read_phantom shapes <body
printf '0.5\n1.5 # remark\n-3\n4e1\n' >four
printf '10:2.5' >spec
printf 'x' >none
{ part none && cat four; } | seed read_angles file
{ part spec; } | seed read_angles first-step
printf '0..179.5' >spec
{ part spec; } | seed read_angles range

printf 'os-sart:iterations=3,subsets=4,order=golden' | seed parse_specs solver
printf 'qggmrf:strength=10HU,p=1.2,c=10HU,neighbours=26' | seed parse_specs penalty
printf 'fdk:window=hann,cutoff=0.8' | seed parse_specs method
printf '512x512x80@0.48828125x0.48828125x0.625+1,-2.5,3e1' | seed parse_grid grid
printf '4.5GiB' | seed parse_grid bytes
printf '10HU' | seed parse_grid attenuation
printf '\x01pcg:iterations=4' | seed parse_settings solver
printf '\x03qggmrf:noise=10HU,kappa=yes' | seed parse_settings penalty
printf '\x04photons:count=1e5' | seed parse_settings weights
printf '\x07change=0.1HU,gradient=1e-3,seconds=60' | seed parse_settings stop
for way in 0 1 2; do
	# shellcheck disable=SC2059
	printf "\\x0$way"'\x00\x05\x03\x05\x88\x90\x48\x48\x00\x00\x00\x70\x00\x00\x00\x00' | seed read_geometry way-$way
done

# shellcheck disable=SC2059
for which in 0 1 2; do printf "\\x0$which" | seed made_netcdf whole-$which; done
printf '\x03' | seed made_hdf5 whole
printf '\x06' | seed made_hdf5 keyed
# long enough for all changes, so that a fuzzer need not extend it first
# shellcheck disable=SC2059
for which in 0 1 2; do { printf "\\x0$which" && head -c 500 /dev/zero; } | seed made_netcdf long-$which; done
for which in 2 6; do
	# shellcheck disable=SC2059
	{ printf "\\x0$which" && head -c 150 /dev/zero; } | seed made_hdf5 long-$which
done
GT_FUZZ_KEEP=1 TMPDIR=$work "$tests/fuzz_made_hdf5" "$corpus/made_hdf5/whole" >/dev/null 2>&1
seed read_dataexchange whole <"$(echo "$work"/gantry-fuzz-*/a.h5)"
rm -r "$work"/gantry-fuzz-*
GT_FUZZ_KEEP=1 TMPDIR=$work "$tests/fuzz_made_netcdf" "$corpus/made_netcdf/whole-2" >/dev/null 2>&1
unsigned "$(echo "$work"/gantry-fuzz-*/.base2.nc)" | seed read_checkpoint own
for of in scanners dicom readers; do python3 -B "$here/seeds_of_$of.py" "$corpus"; done
du -sb "$corpus"
