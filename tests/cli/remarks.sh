#!/bin/bash
# Notes on stderr about possible but improbable requests.
. "$(dirname "$0")/support/lib.sh"

remark() { # TEXT ARGUMENTS: the command succeeds and says so
	local text=$1
	shift
	ok "$@"
	grep -qF -- "$text" stderr.txt || fail "gantry $*: '$text' is not in: $(cat stderr.txt)"
}
silent() { # TEXT: the last command did not say so
	! grep -qF -- "$1" stderr.txt || fail "'$1' is in: $(cat stderr.txt)"
}

ok simulate --reduce 16 --phantom shepp-logan -o scan.nc --truth truth.nc --grid 24x24x4@10x10x10
# Slices and volumes that the scan does not cover.
remark "66 of 93 slices lie outside z -20 to 20 mm" recon scan.nc -o out.nc --grid 24x24x93@10x10x1.5 --backend "$backend"
remark "3 of 4 slices lie" recon scan.nc -o out.nc --solver cgls:iterations=1 --grid 9x9x4@9x9x10+0,0,35 --backend "$backend"
ok recon scan.nc -o vol.nc --backend "$backend"
silent "lie outside"
silent "water"
for more in "" "--no-overlap --device-memory 100kB"; do
	# shellcheck disable=SC2086
	[ "$backend" != cpu ] || remark "fdk: kernel=tiles needs CUDA" recon scan.nc -o out.nc --solver fdk:kernel=tiles --backend cpu:2 $more
done
remark "water: 0.2 mm-1 as requested, instead of the 0.02 that scan.nc states" recon scan.nc -o out.nc --water 0.2 --backend "$backend"
ok simulate --scanner ge-ct750hd-helical --reduce 16 --phantom shepp-logan --rays 1 -o helix.nc
remark "slices lie outside" recon helix.nc -o out.nc --solver cgls:iterations=1 --grid 9x9x40@9x9x10 --backend "$backend"
ok simulate --reduce 16 --phantom shepp-logan -o other.nc --truth high.nc --grid 24x24x16@10x10x5+0,0,40
remark "the scan covers 25 % of the volume: the volume has x -120 to 120" project high.nc --scan scan.nc -o out.nc --backend "$backend"
remark "gantry import --center" project high.nc --scan scan.nc -o out.nc --backend "$backend"
ok project truth.nc --scan scan.nc -o out.nc --backend "$backend"
silent "of the volume"

# A grid in the air beside the object has no noise to find a strength by.
ok simulate --reduce 16 --phantom water-cylinder --photons 1e5 -o noisy.nc
refused 2 "--grid: lies outside the field of view, a circle of radius" recon noisy.nc -o out.nc --preset iterative --grid 4x4x1@2x2x2+400,0,0 --backend "$backend"
refused 2 "--grid: holds only air: its mean attenuation is" recon noisy.nc -o out.nc --preset iterative --grid 1x1x1@2x2x2+200,0,0 --backend "$backend"

# A source in the object, and a detector in front of the axis; a detector behind the object of a micro-CT or at the axis causes none.
scan=(simulate --reduce 16 --detector flat --phantom water-cylinder --rays 1)
refused 2 "the source of view 0 at (0, 50, 0) mm, 50 mm from the axis, is inside the object" "${scan[@]}" --source-to-axis 50 -o none.nc
ok "${scan[@]}" --source-to-axis 150 -o near.nc
silent "than the rotation axis"
remark "the detector of view 0 is nearer to the source (949 mm) than the rotation axis (1000 mm)" "${scan[@]}" --source-to-axis 1000 -o short.nc
remark "the detector of view 0 is nearer to the source (949 mm)" recon short.nc -o out.nc --backend "$backend"
remark "the detector of view 0 is nearer to the source (949 mm)" recon short.nc -o out.nc --solver cgls:iterations=1 --backend "$backend"
refused 2 "holds the source of view 0" recon near.nc -o out.nc --grid 40x40x1@10x10x10 --backend "$backend"
for axis in 949 940; do
	ok "${scan[@]}" --source-to-axis "$axis" -o close.nc
	silent "than the rotation axis"
	ok recon close.nc -o out.nc --backend "$backend"
	silent "than the rotation axis"
done
ok simulate --scanner micro-ct --reduce 16 --phantom water-cylinder --scale 0.01 --rays 1 -o micro.nc
silent "than the rotation axis"

# An object wider than the detector, on both sides or one; a displaced detector measures the other side from behind.
wide=(simulate --scanner micro-ct --phantom water-cylinder --scale 0.05 --rays 1 --views 20 --rows 3 --row-pitch 2 --columns 30)
ok "${wide[@]}" --column-pitch 1.2 -o wide.nc
remark "the object is wider than the detector: 100 % of the views do not end in air at the left and right" recon wide.nc -o out.nc --backend "$backend"
silent "--grid"
remark "use a wider --grid" recon wide.nc -o out.nc --solver cgls:iterations=1 --backend "$backend"
ok "${wide[@]}" --column-pitch 3 -o whole.nc
ok recon whole.nc -o out.nc --backend "$backend"
silent "wider than the detector"
ok "${wide[@]}" --column-pitch 2.2 --column-offset 12 -o shifted.nc
ok recon shifted.nc -o out.nc --backend "$backend"
silent "wider than the detector"
ok "${wide[@]}" --column-pitch 1.2 --column-offset 8 -o shifted.nc
remark "100 % of the views do not end in air at the " recon shifted.nc -o out.nc --backend "$backend"
# Missing views: the nearer side of a displaced detector counts again.
ok "${wide[@]}" --column-pitch 2.2 --column-offset 12 --turns 0.8 -o arc.nc
refused 1 "displaced by 12.0 of 30 columns, and no view lies between 273.6 and 360 degrees" recon arc.nc -o none.nc --solver fdk --backend "$backend"
remark "solver: os-sqs (fdk: the detector is displaced by 12.0 of 30 columns" recon arc.nc -o out.nc --backend "$backend"
remark "do not end in air at the last columns" recon arc.nc -o out.nc --solver cgls:iterations=1 --backend "$backend"
ok recon arc.nc -o out.nc --solver fdk:offset=off,extend=none --backend "$backend"
silent "wider than the detector"
# Weights of the file that are all zero or constant.
if command -v ncdump >/dev/null && command -v ncgen >/dev/null; then
	ncdump -p 9,17 whole.nc >whole.cdl
	for one in 0 1; do
		sed 's/^\tfloat projections(/\tfloat weight(view, row, column) ;\n\t\tweight:units = "1" ;\n&/; $d' whole.cdl >"weights$one.cdl"
		awk -v one=$one 'BEGIN { printf "weight = "; for (i = 1; i <= 1800; i++) printf("%s%d", (i > 1 ? ", " : ""), (one && i == 700)); print " ;\n}" }' >>"weights$one.cdl"
		ncgen -4 -o "weights$one.nc" "weights$one.cdl" || fail "ncgen failed"
	done
	remark "few of 1800 values have nearly all weight, one of them 100 % of it" recon weights1.nc --solver cgls:iterations=1 --weights file -o out.nc --backend "$backend"
	rm out.nc
	refused_output 2 "all 1800 weights of the projections are 0" recon weights0.nc --solver cgls:iterations=1 --weights file --backend "$backend"
	refused_output 1 "all 1800 weights of the projections are 0" recon weights0.nc --preset iterative --backend "$backend"
fi

# Values that are not line integrals, by any reading; but not a detector without counts, or air with strong noise.
ok simulate --reduce 16 --phantom shepp-logan --rays 1 --water 3 -o dense.nc
remark "dense.nc: " recon dense.nc --force -o out.nc --backend "$backend"
remark "are not line integrals: expected -ln(I/I0)" recon dense.nc --force -o out.nc --solver cgls:iterations=1 --backend "$backend"
ok info dense.nc --json
remark "values, from 0 to $(awk "BEGIN { printf \"%.4g\", $(value most) }"), are not line integrals" recon dense.nc --force -o out.nc --backend "$backend"
rm out.nc
refused_output 1 "--force takes them" recon dense.nc --backend "$backend"
refused_output 1 "--force takes them" recon dense.nc --solver cgls:iterations=1 --backend "$backend" --quiet
ok simulate --reduce 16 --geometry-only -o head.nc
ok info head.nc --json
cells=$(($(value columns) * $(value rows) * $(value views)))
head -c $((2 * cells)) /dev/zero | tr '\0' '\373' >counts.raw
printf 'ObjectType = Image\nNDims = 3\nDimSize = %d %d %d\nElementSpacing = 1 1 1\nElementByteOrderMSB = False\nElementType = MET_SHORT\nElementDataFile = counts.raw\n' \
	"$(value columns)" "$(value rows)" "$(value views)" >counts.mhd
remark "counts.mhd: $cells of $cells values, from -1029 to -1029, are not line" recon head.nc --data counts.mhd --force -o out.nc --backend "$backend"
remark "from -1029 to -1029, are not line" recon head.nc --data counts.mhd --force -o out.nc --backend "$backend" --no-overlap
rm out.nc
refused_output 1 "$cells of $cells values, from -1029 to -1029, the first -1029 in view 0, row 0, column 0" recon head.nc --data counts.mhd --backend "$backend"
refused_output 1 "from -1029 to -1029, are not line" recon head.nc --data counts.mhd --backend "${backend/%cpu/cpu:2}" --no-overlap --device-memory 100kB
for noise in "--photons 20 --electronic 10 --scale 2" "--photons 1e15 --scale 4" "--photons 2 --electronic 3 --scale 0.1"; do
	# shellcheck disable=SC2086
	ok simulate --reduce 16 --phantom water-cylinder --rays 1 $noise -o noisy.nc
	ok recon noisy.nc -o out.nc --backend "$backend"
	silent "no line integrals"
done

# Activities before the first iteration.
remark "start: fdk" recon scan.nc -o out.nc --solver os-sart:iterations=1,subsets=9 --backend "$backend"
remark "preparing 9 subsets" recon scan.nc -o out.nc --solver os-sart:iterations=1,subsets=9 --init zero --backend "$backend"
remark "backend cpu:1: " recon scan.nc -o out.nc --solver cgls:iterations=1 --backend cpu:1
ok info out.nc
says "backend=cpu:1"
ok recon scan.nc -o out.nc --backend "$backend" --quiet
[ ! -s stderr.txt ] || fail "--quiet says: $(cat stderr.txt)"

# Remaining time.
remark " s left" recon scan.nc -o out.nc --solver cgls:iterations=2 --backend "$backend"
[ "$(grep -c "left$" stderr.txt)" -eq 1 ] || fail "the last iteration leaves nothing: $(cat stderr.txt)"

# Windows in the other unit, and in that of the file.
remark "did you mean --unit HU?" view vol.nc -o out.png --window 0:100
remark "everything is black: values are" view vol.nc -o out.png --window 0:100
remark "did you mean --unit mm-1?" view vol.nc -o out.png --window 0:0.03 --unit HU
remark "everything is white" view vol.nc -o out.png --window -2e4:-1e4 --unit HU
ok view vol.nc -o out.png --window 0:0.03
silent everything
ok import vol.nc -o vol-hu.nc --unit HU
remark "window -1000 to 0 HU" view vol-hu.nc -o out.png --window -1000:0
silent everything
remark "window 0 to 0.03 mm-1" view vol-hu.nc -o out.png --window 0:0.03 --unit mm-1
remark "did you mean --unit mm-1?" view vol-hu.nc -o out.png --window 0:0.03
remark "line integral" view scan.nc -o out.png
silent sinogram

# Units and options of import.
ok import vol.nc -o vol.mha --unit HU
sed -i 's/gantry unit=HU/gantry unit=xx/' vol.mha
remark "above the attenuation of lead" import vol.mha -o out.nc --input-unit mm-1 --slope -1
ok import vol.mha -o out.nc --input-unit HU
silent lead
rm -f out.nc
refused_output 2 "--axis does not apply to a MetaImage file: vol.mha" import vol.mha --input-unit HU --axis 3
refused_output 2 "--axis=56: expected one of the 56 columns, from -0.5 to 55.5" recon scan.nc --axis 56
refused_output 2 "--pixel does not apply to a NetCDF file: scan.nc; its file states the pitch" import scan.nc --pixel 0.3
refused_output 2 "--input-unit does not apply to projections" import scan.nc --input-unit HU
refused_output 2 "--slope does not apply" import vol.nc --slope 3
refused_output 2 "--axis=56: expected one of the 56 columns, from -0.5 to 55.5" import scan.nc --axis 56
ok import scan.nc -o out.nc --axis 20 --water 0.03
ok info out.nc --json
holds "$(value water_mm-1) == 0.03"
# The last of two counts is used, with a note.
remark "--solver is given 2 times: the last one is taken" recon scan.nc -o out.nc --solver cgls --grid 9x9x1@9x9x10 --solver fdk --backend "$backend"
silent "--grid is given"

# Printed once; a geometry alone is a valid file.
ok simulate --reduce 16 --geometry-only -o bare.nc
ok info bare.nc
refused 1 "bare.nc: variable projections is missing" view bare.nc -o none.png
if [ -f "${GT_DATA:-}/tooth.h5" ]; then
	remark "--pixel sets it" info "$GT_DATA/tooth.h5"
	[ "$(grep -c 'rotation axis found' stderr.txt)" = 1 ] || fail "info says twice: $(cat stderr.txt)"
	ok view "$GT_DATA/tooth.h5" -o out.png
fi

# Previous option names: the same result, one note each; the record contains the typed names.
old=(recon scan.nc -o old.nc --grid 32x32x4@8x8x10 --backend "$backend")
renamed="the next version drops the old name"
ok "${old[@]}" --solver os-sart:iterations=1,subsets=6 --padding yes
none_told=$(grep -c "$renamed" stderr.txt)
ok "${old[@]/old.nc/was.nc}" --solver os-sart:iterations=1,subsets=6 --margin no --margin=yes
holds "$none_told == 0 && $(grep -c "$renamed" stderr.txt) == 1" "printed once: $(cat stderr.txt)"
grep -qF -- "--margin is now --padding; $renamed" stderr.txt || fail "$(cat stderr.txt)"
ok compare was.nc old.nc --max 0
ok info was.nc
says "--margin no --margin=yes"
remark "--quality is now --preset; $renamed" "${old[@]}" --quality fast
ok "${old[@]}" --quality fast --quiet
holds "$(grep -c "$renamed" stderr.txt) == 0" "--quiet says: $(cat stderr.txt)"
remark "larger than --page-size=1: the files need at least this size" view truth.nc -o page.html --page-size 1
ok view truth.nc -o page.html --page-size 30MB
silent "is larger than"
finish
