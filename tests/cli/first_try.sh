#!/bin/bash
# First tries of newcomers: folders of images before their geometry is known, names of other programs, windows, the axis.
examples=$(realpath "$(dirname "$0")/../../docs/guide")
. "$(dirname "$0")/support/lib.sh"

notes() { grep -qF -- "$1" stderr.txt || fail "'$1' is not in the notes: $(cat stderr.txt)"; }

# Names of other programs, and transposed letters.
ok simulate --phantom water-cylinder --reduce 32 -o s.nc --truth t.nc --grid 9x8x5@20x20x20
refused_output 2 "unknown option '--iterations': use --solver NAME:iterations=N" recon s.nc --iterations 10
refused_output 2 "unknown option '--filter': use --solver fdk:filter=NAME" recon s.nc --filter hann
refused_output 2 "unknown option '--algorithm': use --solver NAME" recon s.nc --algorithm fdk
refused_output 2 "unknown option '--noise': use --penalty NAME:noise=VALUE" recon s.nc --noise=10HU
refused_output 2 "did you mean 'fdk'?" recon s.nc --solver fkd
refused_output 2 "did you mean '--help'?" recon s.nc --hlep
refused 2 "did you mean 'info'?" ifno s.nc

# Groups of options; topics.
ok help recon
for heading in Volume Method Projections "Devices and memory" "Images: positions and counts" General; do
	grep -qx "$heading" <<<"$out" || fail "help recon has no heading $heading"
done
for topic in grid window preset weights; do
	ok help "$topic"
	[ -n "$out" ] || fail "help $topic is empty"
done

# Windows.
ok view t.nc -o a.png --window brain
notes "window 0 to 80 HU"
ok view t.nc -o b.png --window 40/400 --unit HU
notes "window -160 to 240 HU"
ok view t.nc -o c.png --window 0:100HU --size 900
notes "window 0 to 100 HU"
cmp -s a.png c.png && fail "another window and size give one picture"
refused 2 "did you mean 'brain'?" view t.nc -o none.png --window brian
refused 2 "--window=brain: in HU, but found --unit mm-1" view t.nc -o none.png --window brain --unit mm-1
refused 2 "expected LOW below HIGH" view t.nc -o none.png --window 5:5
refused 2 "expected a WIDTH above 0" view t.nc -o none.png --window 5/0
refused 2 "--output is needed" view t.nc
nothing_left none "a window that was refused"

# One name for the axis.
ok import s.nc -o new.nc --axis 11.5
ok import s.nc -o old.nc --column-center 11.5
notes "--column-center is now --axis"
for file in new old; do
	ok info $file.nc --json
	holds "$(value column_offset_cells) == -2" "the axis of $file.nc"
done
refused_output 2 "--axis=1000: expected one of the 28 columns" import s.nc --axis 1000
# The axis of a scan in NetCDF, also without import; of a scan that is made.
ok recon new.nc -o by-file.nc --like t.nc --solver sirt:iterations=2
ok recon s.nc -o by-option.nc --like t.nc --solver sirt:iterations=2 --axis 11.5
notes "the axis is at column 11.5, as requested (13.5394 in the file)"
ok compare by-file.nc by-option.nc --max 0mm-1
refused 2 "--axis does not apply to a NetCDF file: t.nc" import t.nc -o none.nc --axis 11
refused 2 "--axis does not apply to a NetCDF file: t.nc" info t.nc --axis 11
ok simulate --phantom water-cylinder --reduce 32 -o made.nc --axis 11.5
ok simulate --phantom water-cylinder --reduce 32 -o shifted.nc --column-offset -2
ok compare made.nc shifted.nc --max 0
refused 2 "--axis=1000: expected one of the" simulate --phantom water-cylinder --reduce 32 -o none.nc --axis 1000
refused 2 "--axis and --column-offset cannot be combined" simulate --phantom box -o none.nc --axis 3 --column-offset 1
ok geometry make circle --scanner micro-ct --reduce 8 --axis 20.25 -o orbit.nc
ok geometry show orbit.nc
says "at column 20.25 "
ok geometry orbit.nc -o orbit-2.nc --axis 22
ok geometry show orbit-2.nc
says "at column 22 "
refused 2 "--axis and --column-offset cannot be combined" geometry orbit.nc -o none.nc --axis 3 --column-offset 1
nothing_left none "an axis that was refused"
# The end of a range of views is not in it.
ok prepare s.nc -o part.nc --views 0:10
ok info part.nc --json
holds "$(value views) == 10" "prepare --views 0:10"
ok recon s.nc -o part-views.nc --like t.nc --views 0:10 --solver sirt:iterations=2
ok recon part.nc -o part-file.nc --like t.nc --solver sirt:iterations=2
ok compare part-views.nc part-file.nc --max 0mm-1

command -v python3 >/dev/null || skip "no python3"
python3 -B "$examples/make_counts.py" counts
# Before the geometry is known: a folder, one frame; the vendor's file in the folder is offered.
ok info counts --json
says '"kind":	"images"'
says '"geometry_file":	"counts/scan.xtekct"'
holds "$(value images_read) == 90 && $(value rows) == 24 && $(value columns) == 64" "images of a folder"
notes "use --geometry counts/scan.xtekct"
ok view counts -o counts.png
notes "counts"
ok view counts -o counts.html
grep -q '"unit":"counts"' counts.html || fail "the page names no counts"
frame=$(find counts -name '*.tif' ! -name '*flat*' ! -name '*dark*' | sort | head -1)
ok view "$frame" -o frame.png
ok info "$frame"
says "kind                     images"
ok info counts --geometry-file counts/scan.xtekct
says "views                    90"
refused 1 "images without a known geometry: expected --angles or --geometry" info counts --check
# A pattern of the shell.
refused_output 2 "images of one folder: expected the folder as one argument: gantry recon counts/" recon counts/*.tif
# Correction and reconstruction in one command, or in two.
ok prepare counts -o scan.nc --geometry counts/scan.xtekct --auto
ok recon scan.nc -o two.nc --grid 20x20x8@0.5x0.5x0.5
ok recon counts -o one.nc --auto --geometry counts/scan.xtekct --grid 20x20x8@0.5x0.5x0.5
ok compare one.nc two.nc --max 1e-9mm-1
refused_output 2 "--auto and --data cannot be combined" recon counts --auto --geometry counts/scan.xtekct --data x.mhd
# A sinogram as one array, next to another that is no geometry.
mkdir lines
python3 - <<'END'
import array
head = repr({"descr": "<f4", "fortran_order": False, "shape": (90, 64)}).ljust(117) + "\n"
for name in ("sinogram", "other"):
    values = array.array("f", (max(0.0, 1 - ((c - 31.5) / 20) ** 2) for v in range(90) for c in range(64)))
    open(f"lines/{name}.npy", "wb").write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + values.tobytes())
END
sinogram=(recon lines/sinogram.npy --values line-integrals)
refused_output 1 "no angles: expected a file angles.txt" "${sinogram[@]}"
refused_output 1 "one view: the rotation axis cannot be found: expected more images, --sinogram if each line is a view" "${sinogram[@]}" --angles 0:2
ok "${sinogram[@]}" --angles 0:2 --sinogram -o sinogram.nc
# A sweep of the axis.
ok calibrate scan.nc --sweep sweep.html --sweep-columns 31:35:0.5
for column in 31 33.5 35; do
	grep -q "\"name\":\"axis at column $column\"" sweep.html || fail "the sweep has no column $column"
done
refused 2 "--sweep-columns=5: expected FIRST:LAST" calibrate scan.nc --sweep none.html --sweep-columns 5
refused 2 "cannot be combined with --output" calibrate scan.nc --sweep none.html -o none.nc
refused 2 "expected a name that ends in .html" calibrate scan.nc --sweep none.png
nothing_left none "a sweep that was refused"
ok calibrate scan.nc --find center --columns 32
notes "--find center is now --find axis"
says "axis "
finish
