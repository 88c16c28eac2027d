#!/bin/bash
# The study of analytic reconstruction: measured on the CPU, drawn again from its tables, and drawn from tables of a GPU.
. "$(dirname "$0")/support/lib.sh"

# column FILE ROW-PATTERN NUMBER: a value of the first matching row; quoted commas do not separate columns.
column() { grep -m 1 -E "$2" "$1" | awk -v want="$3" '{ n = 1; for (i = 1; i <= length($0); i++) { c = substr($0, i, 1); if (c == "\"") q = !q; else if (c == "," && !q) n++; else if (n == want) out = out c } print out }'; }

figures="ladder quality angles passes sizes stages rabbitct"
launched="blocks launches textures patterns" counted=counts # by kernels with textures: on CUDA alone
tables="about forms limits ladder quality angles passes sizes stages pipelines rabbitct copies cache"

# Refusals leave no file.
refused 2 "--grid=8x8x8@1x1x1: is for the study 'accuracy'" study fdk -o never --grid 8x8x8@1x1x1
refused 2 "scan=scan.nc: is for the study 'accuracy'" study fdk scan.nc -o never
refused 2 "is for the study 'iterative'" study fdk -o never --cpu-reduce 2
refused 2 "--seconds=3: is for the studies 'accuracy', 'iterative', 'fdk' and 'tuner'" study scale -o never --seconds 3
refused 2 "cannot be combined with --seconds" study fdk -o never --from small --seconds 3
refused 2 "cannot be combined with --quick" study fdk -o never --from small --quick
refused 2 "cannot be combined with --no-figures" study accuracy -o never --from small --no-figures
refused 2 "cannot be combined with scan" study accuracy scan.nc -o never --from small
refused 2 "cannot be combined with --cpu-" study iterative -o never --from small --cpu-reduce 1
mkdir there
refused 2 "--output=there: already exists" study fdk -o there --quick
nothing_left never "a study that was refused"

# Tables alone, as on a machine without gnuplot.
out=$(PATH=$work && "$gantry" study fdk -o plain --quick --no-figures --backend "$backend" 2>stderr.txt) || fail "without gnuplot: $(cat stderr.txt)"
[ "$backend" = cpu ] || { figures="$figures $launched" && tables="$tables $launched $counted"; }
for name in $tables; do
	[ "$(wc -l <"plain/$name.csv")" -ge 2 ] || fail "plain/$name.csv has no rows"
done
find plain -name '*.png' -o -name '*.tmp' -o -name '*.log' | grep . && fail "something is left over, or drawn"
grep -q 'src="data' plain/report.html && fail "a figure without gnuplot"

for k in 1 2; do
	[ "$(stat -c %s plain/arrays/data-$k-single.f32)" -eq $((4 * 40 * 40)) ] || fail "no slice of data $k"
	cmp -s plain/arrays/data-$k-single.f32 plain/arrays/data-$k-reference.f32 && fail "single precision equals double in data $k"
done
grep -q 'PSNR [0-9]*\.[0-9] dB' plain/report.html || fail "the slices have no PSNR"
hits() { column plain/cache.csv "^\"9: block and angle\",\"$1\",$2," 5; }
holds "$(hits '256 x 1' 0) > 97 && $(hits '256 x 1' 90) < 85 && $(hits '16 x 16' 90) > 97" "hit rates of the model depend on the angle"
holds "$(column plain/cache.csv '^"10: .*,32,' 5) < $(column plain/cache.csv '^"10: .*,16,' 5)" "hit rates fall as views rise"
holds "$(column plain/copies.csv '^"volume' 3) > 0 && $(column plain/copies.csv '^"volume' 2) < 0.2561" "the read-back"

# Without time the report contains limits and omissions.
ok study fdk -o short --quick --no-figures --backend "$backend" --seconds 0
grep -q '^"sizes".*the 0 s of --seconds were over' short/left-out.csv || fail "nothing is left out: $(cat short/left-out.csv)"
[ "$(wc -l <short/limits.csv)" -ge 2 ] || fail "no limits in short/"

# One part alone.
ok study fdk -o hits --quick --no-figures --backend "$backend" --case cache
cmp hits/cache.csv plain/cache.csv || fail "the model of the cache differs if it runs alone"
[ "$(wc -l <hits/sizes.csv)" -eq 1 ] || fail "another part was run: $(cat hits/sizes.csv)"
ok study fdk -o sizes --quick --no-figures --backend "$backend" --case sizes
[ "$(wc -l <sizes/sizes.csv)" -gt 3 ] || fail "sizes need the ladder: $(cat sizes/left-out.csv)"
refused 2 "did you mean 'patterns'" study fdk -o never --case pattern

# Single precision agrees with double; times exist and add up; GPU measurements are reported as missing.
for body in shepp-logan forbild-head; do
	psnr=$(column plain/quality.csv "^\"$body.*CPU, [0-9]* threads?\",\"CPU\"" 4)
	relative=$(column plain/quality.csv "^\"$body.*CPU, [0-9]* threads?\",\"CPU\"" 6)
	holds "$psnr > 100 && $psnr < 200" "$body: PSNR $psnr"
	holds "$relative > 0 && $relative < 1e-5" "$body: relative error $relative"
done
holds "$(column plain/ladder.csv '^"CPU' 5) > 0 && $(column plain/ladder.csv '^"CPU' 7) >= $(column plain/ladder.csv '^"CPU' 6)" "times of the ladder"
chosen='^"[^"]*","chosen"'
rmse=$(column plain/rabbitct.csv "$chosen" 8)
holds "$rmse >= 0 && $rmse < 0.2" "rabbitct: RMSE $rmse HU"
holds "$(column plain/rabbitct.csv "$chosen" 7) / $(column plain/rabbitct.csv "$chosen" 6) > 1.0737 && $(column plain/rabbitct.csv "$chosen" 7) / $(column plain/rabbitct.csv "$chosen" 6) < 1.0738"
holds "$(sed 's/^"[^"]*"//' plain/stages.csv | awk -F, 'NR > 1 { all += last; last = $2 == "NaN" ? 0 : $2 } END { print all / last }') < 1.0001" "stages take longer than the whole"
holds "$(sed -n 's/^"the whole",[^,]*,[^,]*,\([^,]*\),.*/\1/p' plain/stages.csv) > 0" "no time of the stages at the same time"
[ "$(awk -F, 'NR > 1 && $(NF - 1) > 0' plain/pipelines.csv | wc -l)" -eq 3 ] || fail "pipelines without a time: $(cat plain/pipelines.csv)"
find plain -name '*.nc' | grep . && fail "files of the stages are left over"
if [ "$backend" = cpu ]; then
	grep -q '^"A: .*"needs CUDA"' plain/ladder.csv || fail "the report does not state that form A needs CUDA"
	for name in $launched; do
		[ ! -e "plain/$name.csv" ] || fail "$name.csv without a GPU"
		grep -q "there is no $name.csv" plain/report.html || fail "the missing $name.csv is not reported"
	done
fi

[ ! -e short/angles.csv ] || fail "angles.csv without a measurement"

gnuplot -e 'set terminal pngcairo' >/dev/null 2>&1 || skip "no gnuplot that draws PNG"

# Tables without values, from a study without time, have no figure.
cp plain/angles.csv short/ && sed -i '2,$s/,.*/,NaN,NaN/' short/angles.csv && sed -i '1s/\(\("[^"]*",\)\{2\}"[^"]*"\).*/\1/' short/angles.csv
ok study fdk --from short -o drawn-short
[ ! -e drawn-short/angles.png ] || fail "a figure of nothing"

# drawn FOLDER FIGURE...: the figures exist and are in the report.
drawn() {
	for name in "${@:2}"; do
		[ "$(head -c 8 "$1/$name.png" | od -An -c | tr -d ' ')" = '211PNG\r\n032\n' ] || fail "$1/$name.png is no PNG"
	done
	[ "$(grep -c 'src="data:image/png;base64,' "$1/report.html")" -eq $(($# - 1)) ] || fail "$1: the report does not hold all figures"
	if grep -nE '(src|href)="([^d#"].*|.)?"|https?:|url\(|@import' "$1/report.html" | cut -c 1-200 | grep .; then fail "$1: the report refers to other files"; fi
}
ok study fdk --from plain -o drawn
[ ! -e drawn/arrays ] && grep -qF 'arrays/*.f32' drawn/report.html && fail "the report speaks of arrays that are not there"
# shellcheck disable=SC2086
drawn drawn $figures
for name in $tables; do
	[ "$name" = about ] || cmp "plain/$name.csv" "drawn/$name.csv" || fail "$name.csv is not the same again"
done
grep -qF "gantry study fdk -o plain" drawn/report.html || fail "the report does not say which command measured"
grep -qF "gantry study fdk --from plain" drawn/report.html || fail "the report does not say which command drew"

# Tables like those of a GPU. TEST DATA: all numbers are invented; a text that could end a gnuplot string stays text.
mkdir gpu
cat >gpu/about.csv <<'END'
"what","value"
"geometry","TEST DATA, invented"
"GPU","no such device, ""quoted"", <b>"
END
cat >gpu/limits.csv <<'END'
"device","limit","GUPS [2^30/s]","how"
"CPU","volume read and written once per 16 views",37.25,"invented"
"GPU","volume read and written once per 16 views",8940,"invented"
"GPU","texture unit",963,"invented"
"GPU","instructions",3875,"invented"
END
{
	echo '"stage","form","device","views per launch","filter [s]","backprojection [s]","whole [s]","GUPS [2^30/s]","times the one before","paper: backprojection [s]","paper: whole [s]"'
	echo '"CPU, 16 threads","the CPU'"'"'s","CPU",NaN,0.4,20,20.5,2.25,NaN,NaN,NaN'
	echo '"A: one view per launch","strided","GPU",1,0.001,2.3,2.31,19.6,NaN,458.6,460'
	echo '"B: coalesced","coalesced","GPU",1,0.001,0.25,0.26,180,9.2,51,52.3'
	echo '"C: 4 views per launch","batched","GPU",4,0.001,0.1,0.11,450,2.5,12.8,14.2'
	echo '"D: 12 views, computed ahead","ahead","GPU",12,0.001,0.07,0.08,640,1.4,7.6,8.9'
	echo '"E: 4 views in one expression","batched","GPU",4,0.001,0.1,0.11,450,0.7,6,7.4'
	echo '"F: no local memory","ahead","GPU",12,0.001,0.07,0.08,640,1.4,4.4,5.7'
	echo '"1/w by rsqrt, 16 views","rsqrt","GPU",16,0.001,0.065,0.07,690,1.08,NaN,NaN'
	# shellcheck disable=SC2016
	echo '"it'"'"'s '"'"' . system(""touch hacked"") `touch hacked` . '"'"' so","layered","GPU",16,0.001,0.05,0.06,900,1.3,NaN,NaN'
	echo '"tiles in shared memory","tiles","GPU",NaN,0.001,0.0198,0.021,2272,2.5,NaN,NaN'
} >gpu/ladder.csv
cat >gpu/quality.csv <<'END'
"data","form","device","PSNR [dB]","voxels off by 1 HU when rounded [%]","relative RMS","largest [HU]"
"shepp-logan, 360 views of 512 x 512 to 512^3","CPU, 16 threads","CPU",138.7,0.01,8e-07,0.002
"shepp-logan, 360 views of 512 x 512 to 512^3","strided","GPU",71.5,22,0.0003,3
"shepp-logan, 360 views of 512 x 512 to 512^3","layered","GPU",71.2,23,0.0003,3
"shepp-logan, 360 views of 512 x 512 to 512^3","tiles","GPU",131,0.02,4e-07,0.01
"forbild-head, 96 views of 1024 x 640 to 512^3","CPU, 16 threads","CPU",135.5,0.05,1e-06,0.01
"forbild-head, 96 views of 1024 x 640 to 512^3","strided","GPU",66,31,0.0005,6
"forbild-head, 96 views of 1024 x 640 to 512^3","tiles","GPU",128,0.03,5e-07,0.01
END
awk 'BEGIN {
	print "\"angle [degrees]\",\"CPU, 16 threads [ms per view]\",\"strided [ms per view]\",\"coalesced [ms per view]\",\"layered [ms per view]\",\"tiles [ms per view]\""
	for (a = 0; a <= 360; a += 15) {
		s = sin(a * 3.14159265 / 180); s *= s
		printf "%d,%g,%g,%g,%g,%g\n", a, 55, 6.5 - 2 * s, 0.7 + 0.3 * s, 0.14 + 0.02 * s, 0.055
	}
}' >gpu/angles.csv
cat >gpu/passes.csv <<'END'
"views per pass","CPU, 16 threads [GUPS]","GPU, with uploads [GUPS]","forms with textures [GUPS]","limit by the volume's traffic [GUPS]"
1,1.2,150,180,558
4,1.6,420,450,2235
12,1.9,800,640,6705
16,2,900,900,8940
64,2.1,1000,NaN,35760
END
{
	echo '"data","form","device","filter [s]","backprojection [s]","whole [s]","GUPS [2^30/s]","GUPS [10^9/s]","E [%]","backprojection, times the baseline","whole, times the baseline","voxels along an edge"'
	for n in 512 1024 2048; do
		for form in ahead,640 layered,900 intra,560 tiles,2250; do
			echo "\"1200 x $n x $n to $n^3\",\"${form%,*}\",\"GPU\",0.01,0.5,0.51,$((${form#*,} * (4096 - n) / 4096)),700,58,1,1,$n"
		done
	done
} >gpu/sizes.csv
cat >gpu/stages.csv <<'END'
"stage","one after the other [s]","GB/s","at the same time [s]","paper: one after the other [s]","paper: at the same time [s]"
"storage to host",3,6,2.9,36.9,NaN
"host to device",0.4,50,NaN,3.2,NaN
"weights and filter",0.02,NaN,NaN,16.3,NaN
"filtered views, device to host",NaN,NaN,NaN,3.2,NaN
"filtered views, host to device",NaN,NaN,NaN,55.1,NaN
"backprojection",4.3,NaN,NaN,98.4,NaN
"volume, device to host",0.7,50,NaN,5.4,NaN
"host to storage",20,1.7,19,46.5,NaN
"the whole",28.42,NaN,21,265.5,159.6
END
cat >gpu/rabbitct.csv <<'END'
"step","form","device","views per launch","time [s]","GUPS [2^30/s]","GUPS [10^9/s]","RMSE [HU]","largest [HU]","PSNR [dB]","paper: time on a GTX 680 [s]","paper: GUPS [10^9/s]"
"CPU, 16 threads","chosen","CPU",32,30,2.1,2.2,0.005,1,117.4,NaN,NaN
"uploads during the computation","chosen","GPU",32,0.08,775,832,0.01,1,112,0.951,70.2
"baseline: 12 views, 1/w divided","ahead","GPU",12,0.12,516,554,0.2,3,86,2.2,30.3
"+ rsqrt","rsqrt","GPU",16,0.1,620,665,0.2,3,86,1.01,65.9
"+ transpose","transposed","GPU",16,0.095,650,700,0.2,3,86,0.967,68.8
"+ atomics","atomic","GPU",16,0.09,690,740,0.2,3,86,0.921,72.3
"tiles in shared memory","tilted","GPU",NaN,0.052,1190,1280,0.01,1,112,NaN,NaN
END
# A version without launches.
ok study fdk --from gpu -o older
drawn older ladder quality angles passes sizes stages rabbitct
grep -q 'there is no launches.csv' older/report.html || fail "the missing launches.csv is not reported"
awk 'BEGIN {
	print "\"angle [degrees]\",\"256x1 [ms per view]\",\"16x16 [ms per view]\",\"8x32 [ms per view]\""
	for (a = 0; a <= 360; a += 30) {
		s = sin(a * 3.14159265 / 180); s *= s
		printf "%d,%g,%g,%g\n", a, 1.4 + s, 1.1, 1.2 - 0.05 * s
	}
}' >gpu/blocks.csv
cat >gpu/launches.csv <<'END'
"views per launch","64 threads, 8x8 [ms per view]","256 threads, 16x16 [ms per view]","1024 threads, 32x32 [ms per view]"
1,3,2.9,2.8
8,1.4,1.3,1.35
20,1.2,1.1,NaN
32,1.25,1.15,NaN
END
{
	echo '"data","textures","form","views per launch","slices per launch","backprojection [s]","GUPS [2^30/s]","times a texture per view","paper: backprojection [s]","paper: times a texture per view"'
	for n in 512,1.7,1,1.1,1.55 1024,13.1,1,9.1,1.44 2048,112.9,1,98.4,1.14; do
		IFS=, read -r n a b c d <<<"$n"
		echo "\"$n^3, N' = 20\",\"a texture per view, slices outside\",\"separate\",20,256,0.2,850,1,$a,$b"
		echo "\"$n^3, N' = 20\",\"one layered texture, slices outside\",\"layered\",20,256,0.18,900,1.06,$c,$d"
		echo "\"$n^3, N' = 20\",\"one layered texture, views outside\",\"intra\",20,256,0.3,560,0.66,NaN,NaN"
	done
} >gpu/textures.csv
cat >gpu/patterns.csv <<'END'
"layers","layered, inter-layer first [ns per texel]","layered, intra-layer first [ns per texel]","a texture per layer, inter-layer first [ns per texel]","a texture per layer, intra-layer first [ns per texel]"
1,40,41,40,41
8,25,41,30,41
64,30,42,45,41
END
ok study fdk --from gpu -o redrawn
# shellcheck disable=SC2086
drawn redrawn ladder quality angles passes sizes stages rabbitct $launched
[ -e redrawn/hacked ] || [ -e hacked ] && fail "a text of a table was run by gnuplot"
grep -q 'no such device, &quot;quoted&quot;, &lt;b&gt;' redrawn/report.html || fail "text of about.csv is not as it was"
grep -q 'there is no forms.csv' redrawn/report.html || fail "the missing forms.csv is not reported"
grep -q '^2048,' redrawn/sizes.gp || fail "the size 2048 is not drawn"

# Damaged, foreign or missing tables.
broken() {
	rm -rf bad && cp -r gpu bad
	printf '%s' "$3" >"bad/$1.csv"
	refused 1 "$2" study fdk --from bad -o never
	nothing_left never "a study from damaged tables"
}
broken ladder "column 1 is 'form': expected 'stage'" $'"form","x"\n'
broken limits "line 2: 3 cells: expected 4" $'"device","limit","GUPS [2^30/s]","how"\n"GPU","a",3'
broken limits "line 3: found '3x': expected a number" $'"device","limit","GUPS [2^30/s]","how"\n"GPU","a",3,"b"\n"GPU","a",3x,"b"'
broken limits "line 2: unclosed quotation marks" $'"device","limit","GUPS [2^30/s]","how"\n"GPU","a'
broken limits "holds text: expected a number" $'"device","limit","GUPS [2^30/s]","how"\n"GPU","a",3,"b"\n"GPU","a","4","b"'
broken limits "holds a number: expected text" $'"device","limit","GUPS [2^30/s]","how"\n1,"a",3,"b"'
broken angles "holds text: expected a number" $'"angle [degrees]","tiles"\n0,"fast"'
broken launches "column 1 is 'threads': expected 'views per launch'" $'"threads","64 threads"\n1,2'
broken about "column 2 is '': expected 'value'" $'"what"\n'
broken stages "expected a line of column names" '"stage","seconds"'
broken stages "expected a line of column names" ''
refused 1 "nowhere/about.csv: No such file or directory" study fdk --from nowhere -o never
nothing_left never "a study from nowhere"

for signal in TERM INT; do
	caught $signal '*ended*' "find . -maxdepth 1 -name '.ended*' | grep -q ." study fdk -o ended
	nothing_left ended "a study that was ended by $signal"
done
finish
