#!/bin/bash
# Folders of counts with one fault each. Errors name the fault and a remedy and write nothing; tolerable faults cause a note.
# Flat fields before and after the scan.
. "$(dirname "$0")/support/lib.sh"
command -v python3 >/dev/null || skip "no python3"

counts() { python3 -B "$support/counts.py" "$@" || fail "counts.py $*"; }
# fault FOLDER: copies the valid scan.
fault() { cp -r good "$1"; }
# told FOLDER TEXT [OPTIONS]: prepare succeeds and prints the text.
told() {
	local folder=$1 text=$2
	shift 2
	ok prepare "$folder" -o "$folder.nc" --axis 19.5 "$@"
	grep -qF -- "$text" stderr.txt || fail "$folder: '$text' is not printed: $(cat stderr.txt)"
}
# named CODE FOLDER TEXT [OPTIONS]: prepare exits with the code and prints the text.
named() {
	local code=$1 folder=$2 text=$3
	shift 3
	refused_output "$code" "$text" prepare "$folder" --axis 19.5 "$@"
}

counts good
counts small rows=6
told good "12 angles from good/angles.txt"

# Missing, repeated and misnumbered files, and other names.
fault missing && rm missing/scan_0005.tif
named 1 missing "number 5 is missing: scan_0004.tif is followed by scan_0006.tif (--gaps accepts gaps)"
told missing "11 angles from missing/angles.txt" --gaps
fault twice && cp good/scan_0005.tif twice/scan_05.tif
named 1 twice "scan_0005.tif and scan_05.tif have the same number: expected one file for each view"
fault unnumbered
for file in unnumbered/scan_*; do mv "$file" "unnumbered/$(basename "$file" .tif | tr 0-9 a-j).tif"; done
named 1 unnumbered "expected one scan in a folder"
fault mixed && cp good/scan_0001.tif mixed/other_0001.tif
told mixed "1 images of other names than scan_0001.tif are ignored"

# Images of another size or type, truncated, empty, or behind a broken link.
fault size && cp small/scan_0003.tif size/
named 1 size "size/scan_0003.tif: is 6 rows x 40 columns of uint16, expected 8 x 40 of uint16 as in size/scan_0001.tif: is it of another scan?"
counts colour samples=3
named 1 colour "has 3 samples per pixel (colours?), expected 1"
fault cut && head -c 300 good/scan_0007.tif >cut/scan_0007.tif
named 1 cut "cut/scan_0007.tif: not a TIFF file, or damaged or truncated after its 300 bytes"
fault hole && : >hole/scan_0007.tif
named 1 hole "hole/scan_0007.tif: not a TIFF file, or damaged or truncated after its 0 bytes"
fault link && ln -s nowhere.tif link/scan_0013.tif
named 1 link "link/scan_0013.tif: cannot be opened: No such file or directory (a link whose target is missing"
mkdir nothing
named 1 nothing "is a folder that holds no files of a known format"

# Angles.
fault angles && head -11 good/angles.txt >angles/angles.txt
named 1 angles "has 11 angles, expected 12, one for each view (is it of another scan?)"
fault words && echo fifteen >>words/angles.txt
named 1 words "line 13 is 'fifteen', expected one number"
fault bare && rm bare/angles.txt
named 1 bare "no angles: expected a file angles.txt next to the images, or --angles FILE, FIRST:STEP or FIRST..LAST, or --geometry with the scanner's geometry file (gantry import, prepare and recon have both)"
named 1 good "angles: a file, FIRST:STEP or FIRST..LAST" --angles 0:15:3

# Flat and dark fields: another size, too bright, exchanged, neither fields nor air, too dark.
fault binned && cp small/flat_0001.tif binned/
named 1 binned "a flat field of 6 rows x 40 columns, expected 8 x 40 as in binned/scan_0001.tif: is it of another scan, or binned?"
counts bright flat=90000
told bright "320 pixels of the flat field are saturated, at 65535: their true counts are unknown"
grep -q "1626 of 3840 pixels are saturated at 65535 counts" stderr.txt || fail "no note on the views: $(cat stderr.txt)"
fault exchanged && mv exchanged/flat_0001.tif x.tif && mv exchanged/dark_0001.tif exchanged/flat_0001.tif && mv x.tif exchanged/dark_0001.tif
named 1 exchanged "the flat field is not above the dark field in 320 of 320 pixels: are they exchanged (--flat, --dark)?"
counts wide reach=2 && rm wide/flat_0001.tif
named 1 wide "no flat fields, and no edge columns that are air in all views: expected flat fields next to the images (--flat), or blank-scan counts (--white;"
named 2 good "air 30,30: expected auto, no, or the numbers of air columns" --air 30,30
named 2 good "white=3000, and a flat field good/flat_0001.tif: expected one of them" --white 3000
counts dim flat=1
told dim "transmissions are below 1/65536: clipped to that value; is the dark field of another exposure?"
# Line integrals are not counts, also with --white.
python3 - <<'END'
import array, math, os
os.mkdir("lines")
for view in range(12):
    line = [0.02 * 2 * math.sqrt(max(0, 100 - (x - 19.5) ** 2)) for x in range(40)]
    array.array("f", line * 8).tofile(open(f"lines/v{view:03}.raw", "wb"))
END
named 1 lines "% of the values are at most 1/65536 of white=1, expected counts; use --values line-integrals" --raw f32le:40x8 --white 1 --angles 0:15 --air no
named 1 good "nothere.tif: No such file or directory" --flat nothere.tif

# Fields are cropped with the views, in memory and in chunks.
for how in "" "--memory 1"; do
	# shellcheck disable=SC2086
	ok prepare good -o "cropped$how.nc" --axis 19.5 --crop first-columns=3,last-rows=1 --bad-pixels fields $how
done
ok compare cropped.nc "cropped--memory 1.nc" --json
holds "$(value rmse) == 0" "cropped in memory and in pieces"

# A signal drop of 3 % within the scan: flat fields of both ends correct it.
counts drift after=3880
told drift "0.97 of the signal before; views are divided by an interpolation" --flat-after drift.after.tif --air no
mv drift.nc mended.nc
told drift "flat field: 1 image" --air no
told good "flat field: 1 image" --air no
ok compare mended.nc good.nc --json
holds "$(value rmse) < 1e-3" "drift corrected"
ok compare drift.nc good.nc --json
holds "$(value rmse) > 1e-2" "drift as it was"
mv drift.nc before.nc
told drift "flat field: 1 image" --flat-after none --air no
ok compare drift.nc before.nc --max 0
named 2 good "flat fields after the scan, but none before it: expected both (--flat, --flat-after)" --flat none --flat-after good.after.tif
named 1 good "row 0, column 0 has 0 counts above the dark field after the scan and 4000 before" --flat-after good/dark_0001.tif
named 1 good "a flat field of 6 rows x 40 columns, expected 8 x 40" --flat-after small/flat_0001.tif
# Views instead of fields; flat and dark fields in one folder.
mkdir views and
cp good/scan_* views/
named 1 good "60 % of the detector has less than 0.7 of its signal before: these flat fields contain an object; are they views?" --flat-after views
cp good/angles.txt views/
named 2 good "views: holds angles.txt, so its images are views: expected a folder of flat fields" --flat-after views
rm views/angles.txt
told good "views/scan_0001.tif: the number of flat fields equals the number of views, 12: are they views?" --flat views --air no
cp good.after.tif and/flat_0001.tif
cp good/dark_0001.tif and/
told good "and: 1 dark fields are excluded from the flat fields" --flat-after and
told good "and/flat_0001.tif, 1 of the signal before" --flat-after and

# A single view lies in the middle between the fields before and after it.
counts one views=1 flat=3000
counts between views=1 flat=4000 after=2000
told one "1 angles from one/angles.txt" --air no
mv one.nc amid.nc
cp between/flat_0001.tif one/
told one "0.5 of the signal before; views are divided by an interpolation" --air no --flat-after between.after.tif
ok compare one.nc amid.nc --json
holds "$(value rmse) < 1e-3" "one view amid its fields"

# Flat fields at three times follow the drift.
counts steps after=3000
counts middle flat=3500
mkdir times
cp steps/flat_0001.tif times/flat_0001.tif
cp middle/flat_0001.tif times/flat_0002.tif
cp steps.after.tif times/flat_0003.tif
told steps "flat fields of 3 times, the last with 0.75 of the first one's signal: views are divided by an interpolation" --flat times --flat-at 0,6,12 --air no
told good "flat field: 1 image" --air no
ok compare steps.nc good.nc --json
holds "$(value rmse) < 2e-3" "drift of the flat fields corrected"
told steps "flat field: 3 images" --flat times --air no
ok compare steps.nc good.nc --json
holds "$(value rmse) > 3e-2" "steps of light by their mean"
named 2 steps "flat_at 0,6: 2 times, but 3 flat fields: expected equal numbers for each time" --flat times --flat-at 0,6
named 2 steps "flat_at 0,12,6: expected ascending numbers of views from 0 to 12, separated by commas" --flat times --flat-at 0,12,6
named 2 steps "flat_at 0,6,13: expected" --flat times --flat-at 0,6,13
named 2 steps "flat_at 0,,6: expected" --flat times --flat-at 0,,6
named 2 steps "flat fields are not later than the preceding ones" --flat times --flat-at 0,6,12 --flat-after steps.after.tif
refused_output 2 "--flat-after does not apply" prepare good.nc --flat-after good.after.tif --rings gain
finish
