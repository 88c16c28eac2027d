#!/bin/bash
# Faults reported before reconstruction: disagreeing conjugate rays, outlier columns. The result stays bit-identical.
. "$(dirname "$0")/support/lib.sh"

cat >body.txt <<'END'
ellipsoid center=9,-14,0 radii=140,120,300 density=1
ellipsoid center=70,35,4 radius=31 density=0.6
ellipsoid center=-62,31,-12 radius=22 density=1
ellipsoid center=-21,-73,9 radius=27 density=-0.5
END
grid=(--grid 16x16x1@20x20x5 --backend "$backend")
ok simulate --reduce 8 --phantom body.txt --photons 1e5 --rays 1 -o "right one.nc"
ok recon "right one.nc" -o vol.nc "${grid[@]}"
grep -q "disagree\|stand" stderr.txt && fail "a good scan is blamed: $(cat stderr.txt)"
ok import "right one.nc" -o "flipped one.nc" --flip columns
ok recon "flipped one.nc" -o wrong.nc "${grid[@]}"
grep -qF "flipped one.nc: conjugate rays disagree: columns are flipped; try: gantry import 'flipped one.nc' -o fixed.nc --flip columns (--no-check" stderr.txt ||
	fail "flipped columns are not reported: $(cat stderr.txt)"
ok recon "flipped one.nc" -o unchecked.nc --no-check "${grid[@]}"
grep -q "disagree" stderr.txt && fail "--no-check checks: $(cat stderr.txt)"
ok compare unchecked.nc wrong.nc --max 0
ok recon "flipped one.nc" -o wrong.nc --quiet "${grid[@]}"
[ ! -s stderr.txt ] || fail "--quiet says: $(cat stderr.txt)"
ok recon "flipped one.nc" -o wrong.nc --solver cgls:iterations=1 "${grid[@]}"
grep -qF "columns are flipped" stderr.txt || fail "an iterative method does not check: $(cat stderr.txt)"
ok import "right one.nc" -o off.nc --axis 57
ok recon off.nc -o wrong.nc "${grid[@]}"
grep -q "the column of the central ray is wrong: 55.1.*try: gantry import off.nc -o fixed.nc --axis 55.1" stderr.txt ||
	fail "a wrong centre is not reported: $(cat stderr.txt)"
# Without comparable rays there is no message.
ok simulate --reduce 8 --turns 0.3 --phantom body.txt --rays 1 -o part.nc
ok recon part.nc -o vol.nc --solver cgls:iterations=1 "${grid[@]}"
grep -q "disagree\|both ends" stderr.txt && fail "a part of a turn is blamed: $(cat stderr.txt)"
ok simulate --scanner synchrotron --reduce 8 --phantom body.txt --scale 0.003 --rays 1 -o synchrotron.nc
ok recon synchrotron.nc -o vol.nc --backend "$backend"
grep -q "disagree" stderr.txt && fail "parallel rays are blamed: $(cat stderr.txt)"

# A column that is saturated in all views, in MetaImage projections.
ok simulate --reduce 8 --geometry-only -o head.nc
ok info head.nc --json
python3 - "$(value columns)" "$(value rows)" "$(value views)" <<'END' || fail "python3"
import array, math, sys
columns, rows, views = (int(n) for n in sys.argv[1:])
half = (columns - 1) / 2
row = [4 * math.sqrt(max(0, 1 - ((c - half) / (0.6 * half)) ** 2)) for c in range(columns)]
def write(name):
    array.array('f', row * rows * views).tofile(open(name + '.raw', 'wb'))
    open(name + '.mhd', 'w').write('ObjectType = Image\nNDims = 3\nDimSize = %d %d %d\nElementSpacing = 1 1 1\nElementByteOrderMSB = False\n'
                                   'ElementType = MET_FLOAT\nElementDataFile = %s.raw\n' % (columns, rows, views, name))
write('good')
row[70] = 12
write('saturated')
row[70] = 1e30
write('hot')
END
ok recon head.nc --data good.mhd -o vol.nc "${grid[@]}"
grep -q "out in the mean" stderr.txt && fail "good columns are blamed: $(cat stderr.txt)"
ok recon head.nc --data saturated.mhd -o vol.nc "${grid[@]}"
grep -qF "saturated.mhd: 1 column stands out in the mean of views and rows, most of all column 70 with 12 between" stderr.txt ||
	fail "a saturated column is not reported: $(cat stderr.txt)"
grep -qF "; --auto, or prepare --rings dead, interpolates them" stderr.txt || fail "no cure: $(cat stderr.txt)"
refused_output 1 "the first 1e+30 in view 0, row 0, column 70" recon head.nc --data hot.mhd "${grid[@]}"
ok recon head.nc --data hot.mhd --force -o vol.nc "${grid[@]}"
finish
