#!/bin/bash
# info --check names planted faults and their corrections; import --flip and --axis apply them.
. "$(dirname "$0")/support/lib.sh"

# found VERDICT [ARGUMENTS]: the check of bad.nc, made by import with ARGUMENTS, fails with the verdict, and its proposal corrects the scan.
found() {
	local verdict=$1 remedy code
	shift
	ok import scan.nc -o bad.nc "$@"
	refused 1 "bad.nc: conjugate rays disagree: $verdict" info --check bad.nc
	remedy=$(sed -n 's/^try: gantry //p' <<<"$out")
	# shellcheck disable=SC2086
	ok $remedy
	"$gantry" info --check fixed.nc >out.txt 2>&1
	code=$?
	[ $code -eq 0 ] || fail "after '$remedy' the check gave $code: $(tail -4 out.txt)"
}

cat >body.txt <<'END'
ellipsoid center=9,-14,0 radii=140,120,300 density=1
ellipsoid center=70,35,4 radius=31 density=0.6
ellipsoid center=-62,31,-12 radius=22 density=1
ellipsoid center=-21,-73,9 radius=27 density=-0.5
ellipsoid center=38,-51,-19 radius=18 density=1.5
ellipsoid center=-75,-20,21 radius=20 density=0.8
END
ok simulate --scanner ge-ct750hd-helical --reduce 10 --phantom body.txt --photons 1e5 --rays 2 -o scan.nc
ok info scan.nc --check
says "verdict: conjugate rays agree"
ok info scan.nc --check --json
says '"consistent":'
holds "$(value pairs) > 1000"
found "columns are flipped" --flip columns
found "the rotation direction is reversed" --flip turn
found "rows are flipped" --flip rows
found "rows are flipped, and the column of the central ray is wrong" --flip rows --axis 47
found "the column of the central ray is wrong: 44.1" --axis 0.5 # so far off that nothing can be compared
found "the column of the central ray is wrong: 44.1" --axis 43.875
grep -q "its offset has the wrong sign" stderr.txt && fail "a fixed scan is blamed"
"$gantry" info --check bad.nc 2>/dev/null | grep -q "its offset has the wrong sign" || fail "the sign of the offset is not named"
# Flipping twice restores bit-identical data and views.
ok import scan.nc -o once.nc --flip columns,rows,turn
ok import once.nc -o twice.nc --flip turn,columns,rows
ok compare twice.nc scan.nc --max 0
ok info scan.nc --json
hash=$(sed -n 's/.*"hash":[[:space:]]*"\([0-9a-f]*\)".*/\1/p' <<<"$out" | head -1)
ok info twice.nc
says "hash                     $hash"
# Scans without conjugate rays, and wrong usage.
ok simulate --reduce 10 --phantom body.txt --photons 1e5 --rays 1 -o circle.nc
ok info circle.nc --check
says "not identifiable from this scan: whether rows are right"
ok simulate --reduce 10 --turns 0.3 --phantom body.txt --rays 1 -o part.nc
refused 1 "conjugate rays: found 0 pairs" info part.nc --check
ok simulate --reduce 10 --geometry-only -o empty.nc
refused 1 "variable projections is missing" info empty.nc --check
refused 2 "--check and --geometry cannot be combined" info scan.nc --check --geometry
ok simulate --reduce 10 --phantom body.txt --truth truth.nc --grid 8x8x8@20x20x5
refused 2 "is a volume" info truth.nc --check
refused_output 2 "unknown --flip 'row'" import scan.nc --flip row
refused_output 2 "is given twice" import scan.nc --flip rows,columns,rows
if [ -f "${GT_DATA:-}/tooth.h5" ]; then
	ok import "$GT_DATA/tooth.h5" -o tooth.nc
	ok info --check tooth.nc
	ok import "$GT_DATA/tooth.h5" -o tooth.nc --axis 303
	refused 1 "the column of the central ray is wrong: 295." info --check tooth.nc
fi
finish
