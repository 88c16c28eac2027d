#!/bin/bash
# No command overwrites an input, under any name; files of the wrong kind are distinguished.
. "$(dirname "$0")/support/lib.sh"

grid=24x24x4@10x10x10
ok simulate --reduce 16 --phantom water-cylinder -o scan.nc --truth truth.nc --grid $grid
ok simulate --reduce 16 --geometry-only -o bare.nc
printf 'ellipsoid center=0,0,0 radii=50,50,50 density=1\n' >shapes.nc
ln -s scan.nc link.nc
ln truth.nc hard.nc
mkdir folder
sums=$(md5sum ./*.nc)
kept() { # TEXT ARGUMENTS
	refused 2 "$@"
	[ "$sums" = "$(md5sum ./*.nc)" ] || fail "gantry ${*:2}: files have changed"
}
kept "the same file as the input" recon scan.nc -o scan.nc
kept "the same file" recon scan.nc -o link.nc
kept "the same file" recon link.nc -o folder/../scan.nc
kept "that of --like" recon scan.nc -o truth.nc --like truth.nc
kept "that of --init" recon scan.nc -o hard.nc --solver cgls --init truth.nc
kept "that of --scan" project truth.nc --scan bare.nc -o bare.nc
kept "the same file" project truth.nc --scan bare.nc -o truth.nc
kept "that of --like" backproject scan.nc -o truth.nc --like truth.nc
kept "the same file" backproject scan.nc -o scan.nc
kept "the same file" import scan.nc -o ./scan.nc
kept "the same file" view scan.nc -o scan.nc
kept "that of --phantom" simulate --phantom shapes.nc -o shapes.nc
kept "that of --truth" simulate --phantom shepp-logan -o both.nc --truth ./both.nc
nothing_left both.nc "two outputs in one file"

# The data file of an input header is protected too.
mkdir pairs pairs/below
ok convert truth.nc -o pairs/v.mhd
sed 's/v.raw/..\/v.raw/' pairs/v.mhd >pairs/below/in.mhd
mv pairs/v.mhd pairs/in.mhd
sum=$(md5sum pairs/v.raw)
ok convert pairs/in.mhd -o pairs/v.mhd --unit HU
ok compare pairs/v.mhd truth.nc --rmse 1e-6mm-1
ok convert pairs/in.mhd -o pairs/v.mhd
ok compare pairs/in.mhd truth.nc --rmse 1e-9mm-1
cp pairs/in.mhd pairs/v.mhd
refused 2 "names pairs/v.raw, the data file of the input" convert pairs/in.mhd -o pairs/v.mhd
refused 2 "below/../v.raw, the data file of the input" convert pairs/below/in.mhd -o pairs/v.mhd
sed 's/v.raw/w.mha/' pairs/in.mhd >pairs/x.mhd
cp pairs/v.raw pairs/w.mha
refused 2 "is pairs/w.mha, the data file of the input" convert pairs/x.mhd -o pairs/w.mha
refused 2 "is pairs/w.mha, the data file of that of --like" recon scan.nc -o pairs/w.mha --like pairs/x.mhd
[ "$sum" = "$(md5sum pairs/v.raw)" ] || fail "pairs/v.raw has changed"
cmp -s pairs/v.raw pairs/w.mha || fail "pairs/w.mha has changed"

# Likewise for raw files with a JSON, also of another file.
ok convert truth.nc -o pairs/n.npy
ok convert truth.nc -o pairs/n.raw --number u16 --range 0:0.03
ok compare pairs/n.npy truth.nc --rmse 1e-12mm-1
ok compare pairs/n.raw.json truth.nc --rmse 1e-6mm-1
sum=$(cat pairs/n.* | md5sum)
refused 2 "the same file as the input" convert pairs/n.npy -o pairs/n.npy
refused 2 "the data file of the input" convert pairs/n.raw.json -o pairs/n.raw
refused 2 "the data file of that of --like" recon scan.nc -o pairs/n.npy --like pairs/n.npy.json
printf '{"mine": 1}' >pairs/m.npy.json
refused 1 "pairs/m.npy.json exists and describes another file" convert truth.nc -o pairs/m.npy
refused 1 "the data file of a MetaImage header" convert truth.nc -o pairs/v.raw
nothing_left pairs/m.npy "a JSON of another file"
[ "$(cat pairs/m.npy.json)" = '{"mine": 1}' ] || fail "pairs/m.npy.json was replaced"
[ "$sum" = "$(cat pairs/n.* | md5sum)" ] || fail "pairs/n.* have changed"

refused 1 "truth.nc: is a volume, expected projections" recon truth.nc -o out.nc
refused 1 "truth.nc: is a volume, expected projections" project truth.nc --scan truth.nc -o out.nc
refused 1 "bare.nc: holds projections, expected a volume" recon scan.nc --like bare.nc -o out.nc
refused 1 "bare.nc: holds projections, expected a volume" recon scan.nc --solver cgls --init bare.nc -o out.nc
refused 1 "scan.nc: holds projections, expected a volume" project scan.nc --scan scan.nc -o out.nc
ok import truth.nc -o truth.mha
refused 1 "holds a volume, expected projections" recon truth.mha -o out.nc
nothing_left out.nc "files of the wrong kind"

# An image of an input folder is no output; a volume in that folder is.
if command -v python3 >/dev/null; then
	python3 -B "$support/counts.py" counts || fail "counts.py"
	sum=$(md5sum counts/*.tif)
	refused 2 "counts/scan_0003.tif: is a file of the input folder" recon counts -o counts/scan_0003.tif --axis 19.5
	refused 2 "is a file of the input folder" prepare ./counts -o folder/../counts/scan_0004.tif --axis 19.5
	[ "$sum" = "$(md5sum counts/*.tif)" ] || fail "an image of the folder has changed"
	ok recon counts -o counts/v.nc --axis 19.5
	ok recon counts -o counts/v.nc --axis 19.5
fi
finish
