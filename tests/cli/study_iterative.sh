#!/bin/bash
# A quick study of iterative methods on the CPU: complete, plausible, and the report needs no other file.
. "$(dirname "$0")/support/lib.sh"
gnuplot -e 'set terminal pngcairo' >/dev/null 2>&1 || skip "no gnuplot that draws PNG"

# Refusals leave no file.
refused 2 "unknown study 'iteratve': did you mean 'iterative'" study iteratve -o never
refused 2 "--output is needed" study iterative --quick
refused 2 "is for the study 'accuracy'" study iterative -o never --grid 8x8x8@1x1x1
refused 2 "is for the study 'accuracy'" study iterative scan.nc -o never
refused 2 "--cpu-reduce" study iterative -o never --cpu-reduce 0
refused 2 "is for the study 'iterative'" study accuracy -o never --cpu-iterations 3
refused 2 "--size=large: expected small or full" study iterative -o never --size large
refused 2 "cannot be combined with --quick" study iterative -o never --size small --quick
mkdir there
refused 2 "--output=there: already exists" study iterative -o there --quick
nothing_left never "a study that was refused"
for signal in TERM INT; do
	caught $signal '*ended*' "find . -maxdepth 1 -name '.ended*' | grep -q ." study iterative -o ended
	nothing_left ended "a study that was ended by $signal"
done

# column FILE ROW-PATTERN NUMBER: a value of the first matching row; quoted commas do not separate columns.
column() { grep -m 1 -E "$2" "$1" | awk -v want="$3" '{ n = 1; for (i = 1; i <= length($0); i++) { c = substr($0, i, 1); if (c == "\"") q = !q; else if (c == "," && !q) n++; else if (n == want) out = out c } print out }'; }

ok study iterative -o small --quick --cpu-reduce 2 --backend "$backend"
says "small/report.html"
for name in shepp-logan head pcg sart shepp-logan-reference head-reference pcg-reference sart-reference convergence iteration noise \
	solvers-head-1e5 priors; do
	[ "$(head -c 8 "small/$name.png" | od -An -c | tr -d ' ')" = '211PNG\r\n032\n' ] || fail "small/$name.png is no PNG"
	[ -s "small/$name.gp" ] || fail "small/$name.gp is not there"
done
for name in errors convergence reference iteration profiles-1 profiles-2 profiles-3 profiles-4 noise noise-at-resolution solvers solver-paths \
	solver-costs penalties; do
	[ "$(wc -l <"small/$name.csv")" -ge 2 ] || fail "small/$name.csv has no rows"
done
find small -name '*.log' -o -name '*.tmp' | grep . && fail "something is left over"
[ -n "$(find small/arrays -name '*.f32')" ] || fail "no arrays"
find small -maxdepth 1 -name '*.f32' | grep . && fail "arrays are next to the report"

# The penalty helps; single precision agrees with double; times add up.
fdk=$(column small/errors.csv '^"pcg","fdk"' 4)
pcg=$(column small/errors.csv '^"pcg","pcg:' 4)
holds "$pcg > 0 && $pcg < $fdk" "pcg is $pcg HU from the truth, fdk $fdk"
ssim=$(column small/errors.csv '^"pcg","pcg:' 8)
holds "$ssim > $(column small/errors.csv '^"pcg","fdk"' 8) && $ssim < 1" "pcg: ssim $ssim"
for case in shepp-logan head pcg sart helix; do
	apart=$(column small/reference.csv "^\"$case\"" 6)
	holds "$apart > 0 && $apart < 0.5" "$case: $apart HU from the CPU in double"
	holds "$(column small/iteration.csv "^\"$case\"" 5) > 0" "$case: no time"
done
holds "$(awk -F, 'NR == 2 { a = $3 } NR > 2 && $3 != "NaN" { b = $3 } END { print b / a }' small/convergence.csv) < 0.7" "os-sart does not converge"

# Noise decreases along both curves while edges widen.
awk -F'",' 'NR > 1 { split($2, v, ","); print $1, v[1], v[2] }' small/noise.csv >noise.txt
for method in fdk pcg; do
	grep "^\"$method" noise.txt | awk '{ n = $(NF - 1); w = $NF; if (NR > 1 && (n >= before || (w != "NaN" && w <= wide))) bad = 1; before = n; wide = w } END { exit bad || NR < 2 }' ||
		fail "$method: noise does not fall while edges widen: $(cat noise.txt)"
done

# Every solver and penalty of the library is included, except penalties of several volumes.
names() { "$gantry" help "$1" | awk '/^[a-z]/ && $1 !~ /=/ { print $1 }' | grep -vxE 'fdk|fbp|wfbp|gantry'; }
if [ "$(names solver | wc -l)" -lt 25 ] || [ "$(names penalty | wc -l)" -lt 15 ]; then fail "help lists too few: $(names solver) $(names penalty)"; fi
for name in $(names solver); do
	grep -qE "^\"head-1e5\",\"$name\"," small/solvers.csv || fail "solver $name is in no table: $(cat small/left-out.csv)"
	grep -qE "^\"$name\",[1-9]" small/solver-costs.csv || fail "solver $name has no costs: $(grep "$name" small/solver-costs.csv)"
done
for name in $(names penalty); do
	[ "$name" = low-rank ] || grep -qE "^\"$name\"," small/penalties.csv || fail "penalty $name is in no table: $(cat small/left-out.csv)"
	[ "$name" = low-rank ] || [ -s "small/arrays/prior-$name.f32" ] || fail "penalty $name has no picture"
done
grep -qE '^"few views","low-rank",' small/left-out.csv || fail "low-rank is not listed: $(cat small/left-out.csv)"
grep -q '"CPU reference",.*repeated at 1/2 of the size' small/left-out.csv || fail "the reduced reference is not listed: $(cat small/left-out.csv)"
[ "$(grep -c '^' small/left-out.csv)" -eq 3 ] || fail "left out: $(cat small/left-out.csv)"
holds "$(column small/solver-costs.csv '^"sirt"' 4) == 3 && $(column small/solver-costs.csv '^"svrg"' 2) == 2" "costs are not those of docs/solvers.md"
# Without a penalty the target noise lies between two iterations.
for name in cgls lsqr sirt; do
	holds "$(column small/solvers.csv "^\"head-1e5\",\"$name\"" 5) <= 10.2" "$name: noise of $(column small/solvers.csv "^\"head-1e5\",\"$name\"" 5) HU, 10 asked for"
done

report=small/report.html
grep -qF "gantry study iterative -o small --quick" $report || fail "the report does not say which command"
grep -q "times that of pcg" $report || fail "the report does not define the noise"
[ "$(grep -c 'src="data:image/png;base64,' $report)" -ge 11 ] || fail "the report does not hold all figures"
if grep -nE '(src|href)="([^d#"].*|.)?"|https?:|url\(|@import' $report | cut -c 1-200 | grep .; then fail "the report refers to other files"; fi
finish
