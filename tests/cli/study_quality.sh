#!/bin/bash
# A quick study of image quality on the CPU: equal noise, consistent errors and verdict, a complete report.
. "$(dirname "$0")/support/lib.sh"
gnuplot -e 'set terminal pngcairo' >/dev/null 2>&1 || skip "no gnuplot that draws PNG"

refused 2 "is for the study 'accuracy'" study quality scan.nc -o never
refused 2 "is for the study 'accuracy'" study quality -o never --grid 8x8x8@1x1x1
refused 2 "--size=huge: expected small or full" study quality -o never --size huge
refused 2 "cannot be combined with --quick" study quality -o never --size full --quick
refused 2 "is for the studies 'iterative' and 'quality'" study accuracy -o never --size full
refused 2 "is for the studies 'accuracy', 'fdk' and 'quality'" study iterative -o never --case helix
refused 2 "did you mean 'helix'" study quality -o never --case helx
nothing_left never "a study that was refused"

ok study quality -o small --quick --backend "$backend"
says "small/report.html"
[ "$(head -c 8 small/head-1e5.png | od -An -c | tr -d ' ')" = '211PNG\r\n032\n' ] || fail "small/head-1e5.png is no PNG"
for name in errors asked verdict goals; do
	[ "$(wc -l <"small/$name.csv")" -ge 2 ] || fail "small/$name.csv has no rows"
done
[ "$(find small/arrays -name 'head-1e5-*.f32' | wc -l)" = 7 ] || fail "not all pictures are there: $(ls small/arrays)"

# The truth has the height that one row sees at the axis (40 mm of six rows), not that of the slice.
ok simulate --phantom forbild-head --reduce 48 --rows 1 -o scan.nc --truth truth.nc --grid 33x33x1@7.5x7.5x6.666666667 --points 4 -q
ok convert truth.nc -o truth.raw --unit HU -q
floats() { od -An -v -w4 -t f4 "$1" | tr -d ' '; }
off=$(paste <(floats truth.raw) <(floats small/arrays/head-1e5-truth.f32) | awk '{ d = $1 - $2; d = d < 0 ? -d : d; if (!(d <= most)) most = d } END { print NR == 1089 ? most + 0 : "no voxels" }')
holds "$off < 0.01" "the truth is off by $off HU"

# number FILE PATTERN FIELD-AFTER-TEXTS: a value of the first matching row, whose texts contain one comma in the first candidate's name.
number() { grep -m 1 "$2" "$1" | sed 's/"[^"]*",//g' | cut -d, -f "$3"; }
for name in "preset iterative" "uniform weights"; do
	noise=$(number small/errors.csv "\"$name\"" 1)
	holds "$noise > 9.5 && $noise < 10.5" "$name: noise of $noise HU"
done
preset=$(number small/errors.csv '"preset iterative"' 2)
uniform=$(number small/errors.csv '"uniform weights"' 2)
fdk=$(number small/errors.csv '"direct' 2)
holds "$preset > 0 && $preset < 1.1 * $uniform && $preset < $fdk" "errors: preset $preset, uniform $uniform, fdk $fdk HU"
holds "$(number small/verdict.csv '"all"' 1) == $preset" "the verdict is of another number"
asked=$(number small/asked.csv '"preset iterative"' 3)
holds "$asked > 0.5 && $asked < 1.5" "achieved over target noise: $asked"
# The report lists each promise with its figure, kept or not.
holds "$(number small/goals.csv '"achieved over target noise"' 1) == $asked" "the judged noise differs from the achieved one"
over=$(number small/goals.csv '"overshoot at steps' 1)
holds "$over == $(number small/errors.csv '"preset iterative"' 9)" "another overshoot is judged than was found: $over"
holds "$over > 0.01 && $over < 0.5" "overshoot of $over of a step"
for goal in '"overshoot at steps:0:0.1' '"achieved over:0.9:1.1' '"error over:0:1'; do
	IFS=: read -r name low high <<<"$goal"
	row=$(grep -m 1 "$name" small/goals.csv) || fail "no line of $name in small/goals.csv"
	found=$(number small/goals.csv "$name" 1)
	kept=$(awk -v x="$found" -v a="$low" -v b="$high" 'BEGIN { print (x >= a && x <= b) ? "yes" : "no" }')
	[ "${row##*,}" = "\"$kept\"" ] || fail "$row: expected $kept"
done
grep -q "The preset is within 1.03 of the best in" small/report.html || fail "no verdict in the report"
if grep -nE '(src|href)="([^d#"].*|.)?"|https?:|url\(|@import' small/report.html | cut -c 1-200 | grep .; then fail "the report refers to other files"; fi

# Finer voxels have enough tissue for both curves of every candidate: MTF from 1 down, and the noise power.
ok study quality -o fine --quick --case head-fine --backend "$backend"
for name in direct "preset iterative" "uniform weights"; do
	for curve in MTF NPS; do
		grep "\"${name}[^\"]*\",\"$curve\"" fine/curves.csv | sed 's/"[^"]*",//g' >points.txt
		holds "$(wc -l <points.txt) >= 4" "$name: $(wc -l <points.txt) points of its $curve"
	done
	holds "$(awk -F, '$2 > 0 { power += $2 } END { print power + 0 }' points.txt) > 10" "$name: no power of the noise in $(cat points.txt)"
done
[ "$(head -c 8 fine/curves-head-fine.png | od -An -c | tr -d ' ')" = '211PNG\r\n032\n' ] || fail "fine/curves-head-fine.png is no PNG"
grep -q "^plot [$]MTF0 " fine/curves-head-fine.gp || fail "a curve of a name with a comma is not drawn"

# One scan alone: a helix has several rows and its own analytic method.
ok study quality -o one --quick --case helix --backend "$backend"
[ "$(cut -d, -f1 one/errors.csv | sed 1d | sort -u)" = '"helix"' ] || fail "other scans than the helix: $(cat one/errors.csv)"
[ -s one/helix.png ] || fail "no figure of the helix: $(ls one)"
[ ! -e one/head-1e5.png ] || fail "a figure of a scan that was not asked for: $(ls one)"
finish
