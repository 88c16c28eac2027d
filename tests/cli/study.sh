#!/bin/bash
# A quick study on the CPU: the folder is complete, the figures are plausible, and the report needs no other file.
. "$(dirname "$0")/support/lib.sh"
gnuplot -e 'set terminal pngcairo' >/dev/null 2>&1 || skip "no gnuplot that draws PNG"

# number FILE ROW-PATTERN COLUMN: a value of a table.
number() { awk -F, -v row="$2" -v column="$3" '$1 ~ row { print $column; exit }' "$1"; }

ok study accuracy -o small --quick --backend "$backend"
# Times depend on the load of the machine, which is recorded.
[ ! -r /proc/loadavg ] || grep -qE ", load [0-9.]+" small/about.csv || fail "the load is not recorded: $(cat small/about.csv)"
says "small/report.html"
for name in times gups views size slices few-slices forward-0 forward-45 back-one back-all bar interpolation; do
	[ "$(head -c 8 "small/$name.png" | od -An -c | tr -d ' ')" = '211PNG\r\n032\n' ] || fail "small/$name.png is no PNG"
	[ -s "small/$name.gp" ] || fail "small/$name.gp is not there"
done
for name in times gups views-forward views-back size-forward size-back slices-forward slices-back few-slices-back forward-errors back-errors \
	random random-cube bar-1 bar-errors head interpolation; do
	[ "$(wc -l <"small/$name.csv")" -ge 2 ] || fail "small/$name.csv has no rows"
	[ "$(awk -F, '{ print NF }' "small/$name.csv" | sort -u | wc -l)" -eq 1 ] || fail "small/$name.csv has rows of different lengths"
done
find small -name '*.log' -o -name '*.tmp' | grep . && fail "something is left over"
[ -n "$(find small/arrays -name '*.f32')" ] || fail "no arrays"
find small -maxdepth 1 -name '*.f32' | grep . && fail "arrays are next to the report"

# Single precision stays within rounding; another projector sees the same object.
forward=$(number small/forward-errors.csv '^"dd \(' 4)
back=$(number small/back-errors.csv '^"dd \(' 7)
bar=$(number small/bar-errors.csv '^"dd \(' 2)
holds "$forward > 0 && $forward < 1e-5 && $back > 0 && $back < 1e-5" "dd: relative error forward $forward, back $back"
holds "$bar < 1e-3" "dd: the bar at 30 degrees is off by $bar %"
for name in random random-cube; do
	forward=$(number small/$name.csv '^"dd \(' 3)
	back=$(awk -F'"*,"*' '/^"dd \(/ { print $9; exit }' small/$name.csv)
	holds "$forward > 0 && $forward < 2e-6 && $back > 0 && $back < 2e-6" "dd: $name: relative error forward $forward, back $back"
done
for name in dd joseph; do
	head=$(number small/head.csv "^\"$name \\(" 3)
	holds "$head > 1e-4 && $head < 0.1" "$name: relative error of the head $head"
done
# A texture unit is off by 1/512 at most; dd interpolates exactly, to single precision.
awk -F, 'NR > 1 { e = $3 - $2; e = e < 0 ? -e : e; d = $4 - $2; d = d < 0 ? -d : d; if (e > unit) unit = e; if (d > dd) dd = d; n++ }
	END { exit !(n == 1024 && unit == 1 / 512 && dd < 2e-6) }' small/interpolation.csv || fail "interpolation: $(sed -n '1p;60,68p' small/interpolation.csv)"
# The central ray crosses 500 mm of ones at 0 degrees, and no less at 45.
middle=$(number small/forward-0.csv '^55$' 2)
holds "$middle > 499.5 && $middle < 502" "ones at 0 degrees: $middle mm"
holds "$(number small/forward-45.csv '^55$' 2) > 690"
holds "$(number small/times.csv '^"dd \(1 thread' 4) > 0 && $(number small/times.csv '^"dd \(1 thread' 5) == 1"

report=small/report.html
grep -q 'arrays/\*.f32' $report || fail "the report does not describe the arrays"
if [ "$backend" = cpu ]; then
	grep -q 'how many times faster' $report && fail "the report speaks of speed-ups that no figure shows"
	grep -q 'of the reference on all threads of the CPU' $report || fail "the report does not say whose times are shown"
fi
grep -q "small detector\|scanner ge-ct750hd at an eighth" $report || fail "the report does not say which geometry"
grep -qF "gantry study accuracy -o small --quick" $report || fail "the report does not say which command"
[ "$(grep -c 'src="data:image/png;base64,' $report)" -eq 12 ] || fail "the report does not hold all figures"
if grep -nE '(src|href)="([^d#"].*|.)?"|https?:|url\(|@import' $report | cut -c 1-200 | grep .; then fail "the report refers to other files"; fi
(cd small && rm bar.png && gnuplot bar.gp && [ -s bar.png ]) || fail "bar.gp does not draw bar.png again"

# Drawn again from scripts, tables and arrays: the report does not change otherwise.
mkdir undrawn && cp -r small/*.csv small/*.gp small/arrays undrawn/
sed 's/src="data:image[^"]*"/src=""/' $report >undrawn/report.html
ok study accuracy --from undrawn -o redrawn
for name in times gups views size slices few-slices forward-0 forward-45 back-one back-all bar interpolation; do
	[ -s "redrawn/$name.png" ] || fail "redrawn/$name.png is not there"
done
[ "$(grep -c 'src="data:image/png;base64,' redrawn/report.html)" -eq 12 ] || fail "the report that was drawn again does not hold all figures"
sed 's/src="data:image[^"]*"/src=""/' redrawn/report.html | cmp - undrawn/report.html || fail "the report that was drawn again says something else"
refused 1 "expected a report of 'gantry study iterative'" study iterative --from undrawn -o never
sed -i 's/^plot .*/plot nothing/' undrawn/gups.gp
refused 1 "gnuplot could not draw gups.png" study accuracy --from undrawn -o never
refused 1 "nowhere/report.html: No such file or directory" study accuracy --from nowhere -o never
# the name of the command is not a file
refused 1 "nowhere/report.html: No such file or directory" study accuracy --from nowhere -o accuracy
nothing_left never "a study that was drawn again"

# Without time the study has the errors and times of the paper's scan alone, and lists the rest.
ok study accuracy -o late --quick --seconds 0 --backend "$backend"
for name in bar-errors back-errors times steps; do
	[ "$(wc -l <"late/$name.csv")" -ge 2 ] || fail "late/$name.csv has no rows"
done
for name in gups views size slices few-slices; do
	[ ! -e "late/$name.png" ] || fail "late/$name.png has no values"
done
grep -q '"head","all","the 0 s of --seconds were over"' late/left-out.csv || fail "the head is not listed: $(cat late/left-out.csv)"
awk -F, 'NR > 1 && !($NF > 0)' late/steps.csv | grep . && fail "a step without a time"
[ "$(wc -l <small/steps.csv)" -gt "$(wc -l <late/steps.csv)" ] || fail "--seconds 0 has as many steps"

# One part alone: the other figures are left out, and the report names their tables.
ok study accuracy -o part --quick --case few-slices --backend "$backend"
[ "$(wc -l <part/few-slices-back.csv)" -eq 4 ] || fail "not three sizes: $(cat part/few-slices-back.csv)"
[ "$(find part -name '*.png')" = part/few-slices.png ] || fail "other figures than one: $(ls part)"
grep -q 'times.csv has no rows' part/report.html || fail "the report does not name a part that was not run"
ok study accuracy -o bar --quick --case bar --no-figures --backend "$backend"
[ "$(wc -l <bar/bar-errors.csv)" -ge 2 ] || fail "no errors of the bar"
refused 2 "unknown case of the study 'accuracy' 'few-slice': did you mean 'few-slices'" study accuracy -o never --case few-slice
refused 2 "cannot be combined with --case" study accuracy -o never --from part --case bar

# An existing folder is not touched.
before=$(find small | sort | cksum)
refused 2 "--output=small: already exists" study accuracy -o small --quick
refused 2 "already exists" study accuracy -o small/ --quick
[ "$before" = "$(find small | sort | cksum)" ] || fail "the folder that was there has changed"

# A scan file: helical, with its --grid.
ok simulate --geometry-only --scanner ge-ct750hd-helical --reduce 16 -o helix.nc
ok study accuracy helix.nc -o helix --quick --case random --grid 24x20x12@18x20x9+4,-3,2 --backend "$backend"
grep -q 'helix.nc, made coarser: arc detector' helix/report.html || fail "the report does not name the scan"

# One row of parallel beams: pictures of one row are drawn, and equal data are reported as such.
ok simulate --geometry-only --scanner synchrotron --reduce 32 --rows 1 -o fan.nc
ok study accuracy fan.nc -o fan --quick --case ones --backend "$backend"
grep -q 'with image' fan/forward-0.gp && fail "gnuplot draws no image of one row"
[ "$(grep -c 'with boxxyerror' fan/forward-0.gp)" -ge 2 ] || fail "no pictures of one row: $(cat fan/forward-0.gp)"
grep -q 'In parallel beams every voxel gets the same' fan/report.html || fail "the reason for pictures of one colour is missing"
grep -q '1.0e-17' fan/*.gp && fail "a scale of nothing"
grep -q '^@logarithmic' small/times.gp || fail "logarithmic axes have powers of ten alone"

# Tilted rows: refusing projectors are named, the others are measured, and on the CPU dd is the reference.
if command -v ncdump >/dev/null && command -v ncgen >/dev/null; then
	ok simulate --geometry-only --scanner c-arm --reduce 48 --views 1 --start 0 -o upright.nc
	ncdump upright.nc | sed '/^ row_axis =/{n;s/.*/  0, -0.29552020666134, 0.955336489125606 ;/}' | ncgen -4 -o tilted.nc
	tilted=(study accuracy tilted.nc --quick --no-figures --grid 14x13x6@10x10x10 --backend "$backend")
	ok "${tilted[@]}" -o tilted --case random
	for name in dd sf-tr joseph; do
		[[ $name == dd && $backend == cuda* ]] && continue
		holds "$(number tilted/random.csv "^\"$name \\(" 3) < 1e-5" "$name: no or a poor result with rows that lean"
	done
	grep -q '^"all","dd-bs' tilted/left-out.csv || fail "the reason for omitting dd-bs is missing: $(cat tilted/left-out.csv)"
	ok "${tilted[@]}" -o tilted-times --case times
	[[ $backend == cuda* ]] || holds "$(number tilted-times/times.csv '^"dd \(1 thread' 5) == 1"
fi

# Refusals leave no file.
refused 1 "nowhere.nc" study accuracy nowhere.nc -o never --quick
ok simulate --phantom box --reduce 16 -o scan.nc --truth volume.nc --grid 8x8x8@10x10x10
refused 1 "volume.nc" study accuracy volume.nc -o never --quick
refused 2 "outside the field of view" study accuracy scan.nc -o never --quick --grid 8x8x8@1x1x1+0,0,900
refused 2 "unknown study 'accuraccy': did you mean 'accuracy'" study accuraccy -o never
refused 2 "--output is needed" study accuracy --quick
refused 1 "cannot make the folder" study accuracy -o none/never --quick
(PATH=$work && "$gantry" study accuracy -o never --quick) 2>stderr.txt && fail "a study without gnuplot did not fail"
grep -q -- '--no-figures measures without it' stderr.txt || fail "--no-figures is not suggested: $(cat stderr.txt)"
grep -q 'figures: gnuplot is not installed.*gnuplot-nox' stderr.txt || fail "the missing gnuplot is not reported: $(cat stderr.txt)"
nothing_left never "a study that was refused"

# Neither does an interrupted study.
for signal in TERM INT; do
	caught $signal '*ended*' "find . -maxdepth 1 -name '.ended*' | grep -q ." study accuracy -o ended
	nothing_left ended "a study that was ended by $signal"
	[ $signal = TERM ] || grep -q 'interrupted, nothing written' stderr.txt || fail "Ctrl-C: $(cat stderr.txt)"
done
finish
