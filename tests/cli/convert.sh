#!/bin/bash
# A volume keeps its position in the patient and its unit in all formats; impossible conversions are refused.
. "$(dirname "$0")/support/lib.sh"

# An asymmetric object on an odd, off-centre grid with different sizes along the axes.
cat >man.shapes <<'END'
combine replace
ellipsoid center=0,0,0 radii=60,40,50 density=1.0
ellipsoid center=30,8,10 radii=20,22,18 density=1.1
cylinder  center=0,-26,0 radius=8 length=80 density=1.7
ellipsoid center=-30,10,25 radii=18,20,16 density=0.3
END
grid=37x29x23@3.7x3.1x4.3+2.5,-4.25,6.75
ok simulate --geometry-only --reduce 16 --phantom man.shapes -o scan.nc --truth truth.nc --grid $grid

formats="mha mhd nc"
if "$gantry" convert truth.nc -o probe.nii 2>stderr.txt; then
	formats="$formats nii nii.gz"
else
	grep -q "NIfTI library" stderr.txt || fail "no NIfTI, and not for want of its library: $(cat stderr.txt)"
	echo "no NIfTI: $(cat stderr.txt)"
fi

# TIFF with one range for all slices, read again by every command that reads volumes.
ok convert truth.nc -o truth.tif --number u16 --range -0.01:0.05
ok compare truth.nc truth.tif --json
holds "$(value rmse) < 5e-7 && $(value rmse) > 0" "TIFF of 16 bits"
ok measure truth.tif --roi 0,0,0,20 --json
refused_output 1 "holds a volume, expected projections" recon truth.tif
rm truth.tif

# A folder of slices by its name or its numbers equals one file; missing or foreign slices are named.
ok convert truth.nc -o slices.tif/
ok compare truth.nc slices.tif --max 1e-9mm-1
ok convert truth.nc -o slices/ --number u16 --range -0.01:0.05
ok convert truth.nc -o one.tif --number u16 --range -0.01:0.05
ok compare one.tif slices/ --max 0
ok measure slices --roi 0,0,0,20 --json
ok view slices/ -o slices.png
ok info slices
says "kind                     volume"
refused 1 "already exists and is not empty" convert truth.nc -o slices/ --number u8 --range 0:1
last=$(printf '%s\n' slices/* | tail -1)
rm "$last"
refused_output 1 "is a file missing?" convert slices
cp slices/000001.tif slices/000002.tif
refused_output 1 "slices/000002.tif: is slice 1, expected 2" convert slices
cp slices.tif/000002.tif slices/000002.tif
refused_output 1 "is not a slice of the volume of slices/000001.tif" convert slices
rm -r slices slices.tif one.tif slices.png

ok convert truth.nc -o ffp.nc --position FFP
# A folder of DICOM images holds integers in HU.
if "$gantry" convert truth.nc -o series/ 2>stderr.txt; then
	ok convert series -o from-series.nc
	ok compare from-series.nc truth.nc --max 0.51HU
	ok info series
	says "grid                     $grid"
	says "phantom=man.shapes"
	says "unit                     HU"
	# An unknown patient position is written as HFS with a note; a stated one without.
	printf 'ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nElementSpacing = 1 1 1\nDimSize = 4 4 2\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n%s' \
		abcdefghijklmnopqrstuvwxyz123456 >rock.mha
	ok convert rock.mha -o guessed/ --input-unit HU
	grep -q "the patient position is unknown: HFS is written" stderr.txt || fail "a guess is written without a note: $(cat stderr.txt)"
	grep -q "volume .*, HFS" stderr.txt && fail "an unstated position is reported: $(cat stderr.txt)"
	ok convert rock.mha -o stated/ --input-unit HU --position FFS
	grep -q "the patient position is unknown" stderr.txt && fail "a stated position is called a guess: $(cat stderr.txt)"
	ok view series -o series.png
	grep -q -- "--convention radiological gives that of DICOM viewers" stderr.txt || fail "no note on orientation: $(cat stderr.txt)"
	ok view series -o series.png --convention radiological
	grep -q -- "--convention" stderr.txt && fail "sides are remarked on: $(cat stderr.txt)"
	ok convert ffp.nc -o prone/
	ok convert prone -o prone.mha
	ok info prone.mha
	says "patient_position         FFP"
	ok compare prone.mha truth.nc --max 0.51HU
	refused 1 "already exists and is not empty" convert truth.nc -o series/
	refused_output 1 "expected the folder of its series" convert series/000001.dcm
	refused 2 "hold HU" convert truth.nc -o never/ --unit mm-1
	refused_output 1 "holds no files of a known format" convert .
	# One of another series, one lost.
	cp prone/000003.dcm series/other.dcm
	refused_output 1 "expected one series in the folder" convert series
	rm series/other.dcm series/000007.dcm
	refused_output 1 "slices are missing" convert series
	head -c 1200 prone/000003.dcm >series/000007.dcm
	refused_output 1 "000007.dcm" convert series
	# Whole or not at all.
	ok simulate --geometry-only --reduce 16 --phantom man.shapes --points 1 -o scan.nc --truth large.nc --grid 300x300x300@1x1x1
	mkdir cut
	caught TERM 'cut/series' "find cut -name '*.dcm' -print -quit | grep -q ." convert large.nc -o cut/series/
	[ -z "$(ls -A cut)" ] || fail "SIGTERM left $(ls -A cut)"
else
	grep -q "DCMTK" stderr.txt || fail "no DICOM, and not for want of DCMTK: $(cat stderr.txt)"
	echo "no folders of DICOM: $(cat stderr.txt)"
fi

# Every format from every other and back: the same voxels at the same positions.
for from in $formats; do
	ok convert truth.nc -o "a.$from" --unit HU
	for to in $formats; do
		ok convert "a.$from" -o "b.$to"
		ok compare "b.$to" truth.nc --max 1e-7mm-1
	done
	ok info "b.$from"
	[[ $out =~ patient_position\ +(HFS|unknown) ]] || fail "b.$from: another patient position: $out"
	says "grid                     $grid"
done
# The provenance of a volume is copied.
ok info b.mha
says "phantom=man.shapes"

# Units: stated, or the default of the format.
ok convert truth.nc -o c.mha --unit HU --water 0.019
ok info c.mha
says "water_mm-1               0.019"
ok compare c.mha truth.nc --max 1e-7mm-1
ok convert truth.nc -o c.mha
grep -qa "unit=mm-1" c.mha || fail "MetaImage is not in mm-1"

# The patient position: kept, and set.
ok compare ffp.nc truth.nc --max 0
ok convert ffp.nc -o ffp.mha
grep -qa "TransformMatrix = -1 0 0 0 1 0 0 0 -1" ffp.mha || fail "FFP has another matrix"
ok convert ffp.mha -o back.nc
ok info back.nc
says "patient_position         FFP"
ok compare back.nc truth.nc --max 0
# The same position in the patient in another patient position: rotated in the scanner.
ok convert ffp.mha -o turned.nc --position HFS
refused 1 "different grids" compare turned.nc truth.nc
ok info turned.nc
says "grid                     37x29x23@3.7x3.1x4.3+2.5,4.25,-6.75"

# Four patient positions give one radiological image, but differ along the axes. In FFS x points to the left: axial slices agree.
ok simulate --reduce 16 --phantom man.shapes --geometry-only -o sides.nc --truth nobody.nc --grid 25x21x17@5x5x6
ok convert nobody.nc -o patient.mha
for position in HFS HFP FFS FFP; do
	ok convert patient.mha -o $position.nc --position $position
done
for position in HFS HFP FFS FFP; do
	ok view $position.nc -o $position-axes.png --title man
	grep -q -- "--convention" stderr.txt && fail "$position: $(cat stderr.txt)"
	ok view $position.nc -o $position.png --title man --convention radiological
	cmp -s $position.png HFS.png || fail "$position is another picture"
done
for position in HFP FFS FFP; do
	cmp -s $position-axes.png HFS-axes.png && fail "$position is the same picture along the axes"
done
# Without a stated position there are no letters.
ok view nobody.nc -o nobody-axes.png --title man
cmp -s nobody-axes.png HFS-axes.png && fail "letters without a position"
cmp -s HFS.png HFS-axes.png && fail "both conventions are the same picture"
ok view FFS.nc -o axes.png --plane axial --title man
ok view HFS.nc -o right.png --plane axial --title man --convention radiological
cmp -s axes.png right.png || fail "the patient's right is not on the left"
ok view truth.nc -o truth.png
ok convert truth.nc -o d.nc --input-unit HU
grep -q "do not apply to a NetCDF file" stderr.txt || fail "no note on --input-unit"

ok simulate --reduce 16 --phantom man.shapes -o projections.nc
refused_output 1 "holds projections, expected a volume" convert projections.nc
refused 2 "--convention are for volumes" view projections.nc -o no.png --convention radiological
refused 2 "expected a name that ends in" convert truth.nc -o out.xyz
refused 2 "--position" convert truth.nc -o out.nc --position sitting
refused 2 "is the same file" convert truth.nc -o ./truth.nc
refused 2 "--output" convert truth.nc

case $formats in
*nii*)
	grep -qa "unit=HU position=HFS" probe.nii || fail "NIfTI is not in HU"
	ok recon projections.nc -o vol.nii --grid 32x32x4@4x4x5 --solver fdk --backend "$backend"
	ok recon projections.nc -o vol.nc --grid 32x32x4@4x4x5 --solver fdk --backend "$backend"
	ok compare vol.nii vol.nc --max 1e-7mm-1
	ok info vol.nii
	says "made_from_scan"
	says "unit                     HU"
	ok view vol.nii -o vol.png --window 0:100
	grep -q "window 0 to 100 HU" stderr.txt || fail "the picture of vol.nii is not in its unit: $(cat stderr.txt)"
	ok recon projections.nc -o more.nii.gz --like vol.nii --init vol.nii --solver os-sart:iterations=1,subsets=2 --backend "$backend"
	head -c 3000 probe.nii >short.nii
	refused_output 1 "short.nii: truncated" convert short.nii
	;;
esac
finish
