#!/bin/bash
# DICOM-CT-PD: a simulated folder is dumped by another reader, imported, described and reconstructed. Volumes equal those
# of the original scan.
. "$(dirname "$0")/support/lib.sh"
"$gantry" simulate --reduce 40 --phantom shepp-logan --rays 1 --format dicom-ct-pd -o try -q 2>stderr.txt || {
	grep -qE "built without DCMTK|DCMTK's data dictionary.* was not found" stderr.txt || fail "$(cat stderr.txt)"
	[ ! -e try ] || fail "a folder is made all the same"
	skip "$(cat stderr.txt)"
}

# Odd sizes, off-centre geometry, a flying focal spot in all directions, enough views per rotation for wfbp.
scan=(--scanner ge-ct750hd-helical --reduce 12 --views 252 --columns 75 --rows 7 --column-offset 1.25 --row-offset -0.3 --start 37 --z-center 11.3
	--spot "0.3,0.5,-0.6;-0.3,0,0.6" --phantom shepp-logan --rays 1)
grid=40x36x9@6.5x7x7+3,-2,11.3
ok simulate "${scan[@]}" -o plain.nc
ok simulate "${scan[@]}" --format dicom-ct-pd -o plain
files=(plain/*.dcm)
[ ${#files[@]} -eq 252 ] || fail "expected 252 files, not ${#files[@]}"
ok simulate "${scan[@]}" --format dicom-ct-pd -o ge --maker "GE MEDICAL SYSTEMS"
ok simulate "${scan[@]}" -o siemens/ --maker SIEMENS      # the slash says it too
if command -v dcmdump >/dev/null; then
	dcmdump ge/000002.dcm >dump.txt 2>&1 || fail "dcmdump: $(cat dump.txt)"
	for line in '(0008,0070) LO \[GE MEDICAL SYSTEMS\]' '(7029,1010) US 7 ' '(7029,1011) US 75 ' '(7029,100b) CS \[CYLINDRICAL\]' \
		'(7031,1033) FL 35\.7[45][0-9]*\\4\.3' '(7033,100e) CS \[FFSXYZ\]' '(7037,1009) CS \[HELICAL\]' '(0028,0010) US 75 ' \
		'(0028,0011) US 7 ' '(7041,1001) DS \[0\.02\]' '(7fe0,0010) OW '; do
		grep -q -- "$line" dump.txt || fail "'$line' is not in: $(cat dump.txt)"
	done
	dcmdump siemens/000002.dcm | grep -q '(7031,1033) FL 39\.2[45][0-9]*\\4\.3' || fail "central element as Siemens counts"
else
	echo "not looked at by another reader: there is no dcmdump here (Debian, Ubuntu: the package dcmtk)"
fi
# Without its dictionary DCMTK would misread the files and write unreadable ones.
own=${DCMDICTPATH:-}
export DCMDICTPATH=$PWD/nowhere.dic
if "$gantry" info plain >/dev/null 2>stderr.txt; then
	echo "this DCMTK has its dictionary within"
else
	refused 1 "plain: DCMTK's data dictionary, which DICOM needs, was not found (looked for: $DCMDICTPATH)" info plain
	refused_output 1 "plain: DCMTK's data dictionary" recon plain
	refused 1 "other: DCMTK's data dictionary" simulate "${scan[@]}" --format dicom-ct-pd -o other
	nothing_left other "a folder without a dictionary"
fi
unset DCMDICTPATH
[ -z "$own" ] || export DCMDICTPATH=$own

ok info siemens
says "water_mm-1               0.02"
ok info plain
says "format                   dicom-ct-pd"
says "orbit                    helical"
says "water_mm-1               0.02"
says "column_offset_cells      1.25"
ok import plain -o again.nc
ok info again.nc
says "water_mm-1               0.02"
recon() { ok recon "$1" -o "$2" --grid $grid --backend "$backend" --solver "${3:-wfbp}"; }
recon plain.nc plain-vol.nc
for folder in plain ge siemens again.nc; do
	recon $folder vol.nc
	# Sixteen bits and single precision, on values of 0.02.
	ok compare vol.nc plain-vol.nc --rmse 1e-6
done
# Values read from a file are already rounded.
ok import again.nc --format dicom-ct-pd -o second --maker GE
recon second second-vol.nc
ok compare second-vol.nc vol.nc --relative 1e-6
# The wrong rule gives another scan; the right one by name gives the same.
ok import ge -o wrong.nc --central first
recon wrong.nc vol.nc
refused 1 "" compare vol.nc plain-vol.nc --rmse 1e-4
ok import ge -o right.nc --central last
recon right.nc vol.nc
ok compare vol.nc plain-vol.nc --rmse 1e-6
# A circle, and an iterative method with photons.
ok simulate --reduce 16 --rows 5 --phantom shepp-logan --photons 1e5 --seed 4 --rays 1 -o circle.nc
ok simulate --reduce 16 --rows 5 --phantom shepp-logan --photons 1e5 --seed 4 --rays 1 --format dicom-ct-pd -o circle
grid=32x32x3@8x8x3
ok recon circle.nc -o circle-vol.nc --grid $grid --solver pcg:iterations=4 --weights uniform --backend "$backend"
ok recon circle -o vol.nc --grid $grid --solver pcg:iterations=4 --weights uniform --backend "$backend"
ok compare vol.nc circle-vol.nc --relative 1e-4
recon circle vol.nc pcg:iterations=4
ok info vol.nc
says "weights=photons"
ok info circle
says "most_photons             100000"
# Photons need memory only if the method uses them.
ok import circle -o counted.nc
ok import circle -o bare.nc --without-photons
arrays='"(volume|data|weights|operators|penalty|solver|best_image|projections|subset|strength|scratch)"'
for file in circle counted.nc; do
	ok recon $file --grid $grid --solver pcg --backend "$backend" --dry-run --json
	holds "$(value projections) == 2 * $(value data)" "photons of $file: $out"
	ok recon $file --grid $grid --backend "$backend" --dry-run --json
	direct=$out
	ok recon bare.nc --grid $grid --backend "$backend" --dry-run --json
	[ "$(grep -E "$arrays" <<<"$direct")" = "$(grep -E "$arrays" <<<"$out")" ] ||
		fail "fdk of $file takes other memory than without photons: $direct"
done

# If a folder does not fit, the message suggests slabs from an imported file, within the same memory, unless slabs are impossible.
little=(--grid 96x96x96@3x3x1.5 --backend "$backend" --device-memory 2MiB)
refused_output 1 "circle is read as a whole, but fdk runs by slabs from NetCDF: import it first: gantry import circle -o scan.nc" recon circle --solver fdk "${little[@]}"
refused 1 "import it first: gantry import circle -o scan.nc" recon circle --solver fdk "${little[@]}" --dry-run
cp -r circle "a circle"
refused 1 "import it first: gantry import 'a circle' -o scan.nc" recon "a circle" --solver fdk "${little[@]}" --dry-run
ok recon counted.nc --solver fdk "${little[@]}" -o vol.nc
grep -q "by slabs: " stderr.txt || fail "not by slabs: $(cat stderr.txt)"
refused 1 "by slabs: series/: the format DICOM CT images is written as a whole: expected a name" recon counted.nc --solver fdk "${little[@]}" -o series/
grep -q "of memory" stderr.txt && fail "planned before it was refused: $(cat stderr.txt)"
[ ! -e series ] || fail "series was made"
for other in "circle --solver cgls:iterations=1" "plain --solver wfbp"; do
	read -ra other <<<"$other"
	refused_output 1 "would fit" recon "${other[@]}" "${little[@]}"
	grep -q "import it first" stderr.txt && fail "advice for ${other[*]}: $(cat stderr.txt)"
done

ok import circle -o again/ --maker GE
[ "$(grep -c -- --maker stderr.txt)" -eq 0 ] || fail "the maker is taken: $(cat stderr.txt)"

# Refusals leave no file.
refused 1 "plain: already exists and is not empty: expected the name of a new folder" simulate "${scan[@]}" --format dicom-ct-pd -o plain
refused 2 "in the format 'dicom': expected one of: netcdf, dicom-ct-pd" simulate "${scan[@]}" --format dicom -o out
refused 2 "--maker: expected with --format dicom-ct-pd" simulate "${scan[@]}" --maker GE -o out.nc
refused 1 "the scan is parallel: DICOM-CT-PD is for fan beams" simulate --scanner synchrotron --reduce 64 --phantom shepp-logan --format dicom-ct-pd -o out
refused 1 "out: view 0: the detector is tilted or rolled" simulate --scanner c-arm --reduce 64 --tilt 1 --phantom shepp-logan --rays 1 --format dicom-ct-pd -o out
nothing_left out "what was refused"
cp plain/000030.dcm plain/copy.dcm
refused_output 1 "plain/000030.dcm and plain/copy.dcm: both have Instance Number 30: expected each view once" import plain
rm plain/copy.dcm plain/000031.dcm
ok import plain -o gap.nc
grep -qF "missing views: 1, in gaps: 1, the first between view 29 (plain/000030.dcm) and view 30 (plain/000032.dcm)" stderr.txt || fail "a gap: $(cat stderr.txt)"
# All commands report the same numbers of views.
ok simulate --scanner ge-ct750hd-helical --reduce 12 --columns 75 --rows 7 --phantom shepp-logan --rays 1 --format dicom-ct-pd -o still
rm still/00003[1-4].dcm
refused_output 1 "wfbp: view 30 is" recon still --solver wfbp --backend "$backend"
grep -qF "the first between view 29 (still/000030.dcm) and view 30 (still/000035.dcm)" stderr.txt || fail "a gap: $(cat stderr.txt)"
refused_output 1 "plain/000029.dcm: holds one view of a scan" import plain/000029.dcm
truncate -s 1500 plain/000040.dcm
refused_output 1 "plain/000040.dcm: " import plain
mkdir empty
refused_output 1 "empty: is a folder that holds no files of a known format" import empty
# Killed while writing.
caught TERM killed "find . -maxdepth 2 -path './.killed*' -name '*.dcm' -print -quit | grep -q ." simulate --reduce 4 --columns 31 --rows 2 --views 40000 --phantom shepp-logan --rays 1 \
	--format dicom-ct-pd -o killed -q
nothing_left killed "after a kill"
finish
