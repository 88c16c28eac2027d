#!/bin/bash
# Pipes, devices, links, bombs and escape sequences instead of files are refused with a message, without waiting and within megabytes.
. "$(dirname "$0")/support/lib.sh"
gantry_itself=$gantry
# Every call ends: 124 is the exit code of timeout.
# shellcheck disable=SC2317
timed() { timeout 600 "$gantry_itself" "$@"; }
gantry=timed
can_trace=
if command -v strace >/dev/null && strace -o calls.txt -e trace=openat true 2>/dev/null; then can_trace=1; fi

small=(--scanner ge-ct750hd --views 12 --columns 16 --rows 4 --column-pitch 56 --row-pitch 16)
ok simulate "${small[@]}" --phantom water-cylinder -o good.nc

# Pipes instead of views, for every image format.
for kind in raw edf his xim hnd hnc tif; do
	mkdir "pipes_$kind"
	for view in 0 1 2; do mkfifo "pipes_$kind/s_$view.$kind"; done
	[ "$kind" = raw ] || refused 1 "" info "pipes_$kind"
	for command in recon prepare import; do
		refused_output 1 "is not a regular file but a pipe" "$command" "pipes_$kind" --angles 0:120 --raw u8:2x2
	done
done

# Options that name files.
mkfifo pipe pipe.json pipe.npy pipe.csv
ok recon good.nc --solver sirt:iterations=1 -o volume.nc --backend "$backend"
for thing in ./pipe ./pipe.json ./pipe.npy /dev/zero; do
	for command in info "view -o out.html" "recon -o out.nc" "convert -o out.mha" "compare good.nc" "tune --import" "geometry show" "rabbitct" "calibrate --find axis"; do
		# shellcheck disable=SC2086
		refused 1 "" $command $thing
	done
	for option in --like --init --resume --data; do refused_output 1 "is not a regular file" recon good.nc --solver sirt $option $thing; done
	refused_output 1 "is not a regular file" simulate "${small[@]}" --phantom $thing
	refused_output 1 "is not a regular file" simulate "${small[@]}" --phantom water-cylinder --spectrum "spectrum=$thing"
	refused_output 1 "is not a regular file" prepare good.nc --beam-hardening "spectrum=$thing"
	refused_output 1 "is not a regular file" calibrate good.nc --beads "$thing"
	refused_output 1 "is not a regular file" project volume.nc --scan "$thing"
done
nothing_left out "pipes and devices"

if command -v python3 >/dev/null; then
	python3 -B "$support/counts.py" counts || fail "counts.py"
	for thing in ./pipe ./pipe.json ./pipe.npy /dev/zero; do
		for option in --flat --flat-after --dark --angles --geometry; do
			refused_output 1 "is not a regular file" prepare counts $option $thing
		done
	done
	rm counts/flat* && mkfifo counts/flat_0001.tif
	refused_output 1 "counts/flat_0001.tif: is not a regular file but a pipe" prepare counts
fi

# libnetcdf converts a backslash to a slash, so the checked and the opened file would differ.
cp good.nc 'back\slash.nc'
refused 1 "has a backslash" info 'back\slash.nc'
refused 1 "has a backslash" recon good.nc --solver sirt:iterations=1 -o 'out\put.nc' --backend "$backend"

# Text files that need time or memory beyond their size.
{
	printf '<?xml version="1.0"?>\n<RTKThreeDCircularGeometry version="3"><Matrix>'
	head -c 3000000 /dev/zero | tr '\0' '\n'
	printf '</Matrix></RTKThreeDCircularGeometry>'
} >newlines.xml
refused 1 "has no Projection" geometry show newlines.xml
printf '%s\n' "[XTekCT]" SrcToObject=100 SrcToDetector=200 DetectorPixelsX=8 DetectorPixelsY=8 DetectorPixelSizeX=1 DetectorPixelSizeY=1 \
	Projections=1000000000 InitialAngle=0 AngularStep=1 >many.xtekct
refused 1 "1000000000 views at even angles" geometry show many.xtekct

truncate -s 100M large.xtekct && printf '[XTekCT]\n' | dd of=large.xtekct conv=notrunc 2>dd.txt
refused 1 "large.xtekct: is larger than 64 MiB" geometry show large.xtekct

# A file that no library parses in time is tried once and not once for each format.
if command -v python3 >/dev/null; then
	python3 - <<'PYTHON' || fail "long.dcm"
import struct
def element(group, tag, kind, value):
    size = b"\0\0" + struct.pack("<I", len(value)) if kind == b"OB" else struct.pack("<H", len(value))
    return struct.pack("<HH", group, tag) + kind + size + value
meta = element(2, 1, b"OB", b"\0\1") + element(2, 2, b"UI", b"1.2.840.10008.5.1.4.1.1.2\0") + element(2, 0x10, b"UI", b"1.2.840.10008.1.2.1\0")
body = b"".join(element(9, 0x1000 + i % 60000, b"LO", b"ab") for i in range(400000))
open("long.dcm", "wb").write(b"\0" * 128 + b"DICM" + element(2, 0, b"UL", struct.pack("<I", len(meta))) + meta + body)
PYTHON
	if [ -n "$can_trace" ]; then
		strace -f -o calls.txt -e trace=clone,clone3,fork,vfork "$gantry_itself" info long.dcm >/dev/null 2>&1
		holds "$(grep -c "killed by SIGXCPU" calls.txt) <= 1" "$(grep -c "killed by SIGXCPU" calls.txt) probes of a file without end"
	fi
	refused 1 "" info long.dcm
fi

# A volume of several slabs: info and the writer report the same values.
ok info volume.nc --json
least=$(value least) most=$(value most)
for kind in tif mha; do
	ok convert volume.nc -o volume.$kind
	ok info volume.$kind --json
	holds "$(value least) == $least && $(value most) == $most" "volume.$kind"
done

# Files of a folder stay in the folder; a link named by the user is followed.
mkdir elsewhere linked own
for view in 0 1 2 3; do
	head -c 64 /dev/urandom >elsewhere/s_$view.raw
	ln -s ../elsewhere/s_$view.raw linked/s_$view.raw
	ln -s originals/s_$view.raw own/s_$view.raw
done
cp -r elsewhere own/originals
raw=(--raw u8:8x8 --angles 0..180 --values line-integrals --axis 3.5)
refused_output 1 "linked/s_0.raw: is a symbolic link to $work/elsewhere/s_0.raw, outside of its folder" import linked "${raw[@]}"
GANTRY_ALLOW_EXTERNAL=1 ok import linked "${raw[@]}" -o trusted.nc
ok import own "${raw[@]}" -o own.nc
ln -s elsewhere named
ok import named "${raw[@]}" -o named.nc
ln -s "$work/good.nc" link.nc
ok info link.nc
if "$gantry" convert volume.nc -o slices/ >/dev/null 2>&1; then
	first=$(find slices -type f | head -1)
	mv "$first" elsewhere/slice && ln -s ../elsewhere/slice "$first"
	refused 1 "outside of its folder" info slices
fi

# Terminal escape sequences in contents and names.
esc=$(printf '\033')
printf '{"spacing_mm":[1,1,1],"shape":[1,1,16],"type":"f32le","unit":"\\u001b]0;own\\u0007\\u009b31m\\u202eRED","data_file":"esc.raw"}' >esc.json
head -c 64 /dev/zero >esc.raw
refused 1 "key unit: is '?]0;own??31m?RED'" info esc.json
cp good.nc "name${esc}[31m.nc"
ok info "name${esc}[31m.nc"
says "name?[31m.nc"
refused 1 "none?[31m.nc: No such file" info "none${esc}[31m.nc"
ok recon good.nc --solver sirt:iterations=1 -o "out${esc}[31m.nc" --backend "$backend"
grep -q "$esc" stderr.txt && fail "an escape sequence in a note"
lines=$(printf 'a\ngantry: all is well\tb\x01.nc')
cp good.nc "$lines"
refused 1 "none?gantry: all is well?b?.nc: No such file" info "none${lines#a}"
ok recon "$lines" --solver sirt:iterations=1 -o "out$lines" --backend "$backend"
grep -q "^gantry: all is well" stderr.txt && fail "a line of a name in a note"

# A JSON with text after its end.
printf '{"spacing_mm":[1,1,1],"shape":[1,1,16],"type":"f32le","unit":"HU","data_file":"esc.raw"}\n{}' >two.json
refused 1 "two.json: text after the end of the JSON object, at byte 89" info two.json

# A folder of many empty files, of which few are opened.
mkdir many
(cd many && seq -f '%06.0f.txt' 1 6000 | xargs touch)
refused 1 "many: is a folder that holds no files of a known format" info many
if [ -n "$can_trace" ]; then
	strace -f -o calls.txt -e trace=openat "$gantry_itself" info many >/dev/null 2>&1
	opened=$(grep -c '"many/' calls.txt)
	if [ "$opened" -le 100 ] || [ "$opened" -ge 1100 ]; then fail "$opened of 6000 files opened"; fi
fi
# A folder of many images: it is listed a few times, whatever the options.
mkdir images
(cd images && seq -f 's_%05.0f.tif' 1 1500 | xargs touch)
refused 1 "images/s_00001.tif: not a TIFF file" info images
refused 1 "images/s_00001.tif: not a TIFF file" recon images -o out.nc
if [ -n "$can_trace" ]; then
	strace -f -o calls.txt -e trace=openat "$gantry_itself" info images >/dev/null 2>&1
	listed=$(grep -c '"images", O_RDONLY.*O_DIRECTORY' calls.txt)
	holds "$listed <= 28" "$listed listings of a folder"
fi

# The geometry file is found among many other files.
if command -v python3 >/dev/null; then
	python3 -B "$support/counts.py" others || fail "counts.py"
	rm -f others/angles.txt
	(cd others && seq -f 'note_%04.0f.json' 1 600 | xargs touch)
	sed 's/^Projections=.*/Projections=8/' many.xtekct >others/scan.xtekct
	refused 1 "no angles: use --geometry others/scan.xtekct" recon others -o out.nc

	# An image that fails after others were read, without a geometry: counts as LZW.
	python3 - others <<'PYTHON' || fail "broken image"
import glob, struct, sys
path = sorted(p for p in glob.glob(sys.argv[1] + "/*.tif") if "flat" not in p and "dark" not in p)[5]
data = open(path, "rb").read()
open(path, "wb").write(data.replace(struct.pack("<HHII", 259, 3, 1, 1), struct.pack("<HHII", 259, 3, 1, 5)))
PYTHON
	refused 1 "others/scan_0006.tif: damaged" info others
fi

finish
