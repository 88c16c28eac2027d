#!/bin/bash
# Logs, plots, dry runs and their memory, and the best image after divergence.
. "$(dirname "$0")/support/lib.sh"

ok simulate --phantom shepp-logan --reduce 8 --photons 300 --seed 5 -o scan.nc --truth truth.nc --grid 40x40x6@6x6x6.5
pcg=(--like truth.nc --padding no --backend "$backend" --solver "pcg:iterations=6" --penalty "huber:strength=2e4,delta=10HU" --quiet)

# Both logs contain the same lines, with units and settings.
ok recon scan.nc -o a.nc "${pcg[@]}" --log a.csv
ok recon scan.nc -o a.nc "${pcg[@]}" --log a.json
for text in "# solver: pcg:iterations=6," "# scan: scan.nc" "# weights: uniform" "# penalty: huber:" "# units: seconds [s] gradient [mm] change_HU [HU]" \
	"iteration,seconds,cost,data,penalty,gradient,relative_residual,change_HU"; do
	grep -qF -- "$text" a.csv || fail "a.csv lacks '$text'"
done
[ "$(grep -vc '^#' a.csv)" -eq 7 ] || fail "a.csv has not 6 lines and a head"
cost() { grep -v '^#' a.csv | awk -F, 'NR > 1 { printf "%.6g\n", $3 }'; }
cost_json() { sed -n 's/.*"cost":\([^,]*\),.*/\1/p' a.json | awk '{ printf "%.6g\n", $1 }'; }
[ "$(cost)" = "$(cost_json)" ] || fail "the costs of a.csv and a.json differ: $(cost) $(cost_json)"
if command -v python3 >/dev/null; then
	python3 - <<'END' || fail "a.json has wrong contents"
import json
log = json.load(open("a.json"))
names = [c["name"] for c in log["columns"]]
assert [list(row) for row in log["iterations"]] == [names] * 6, names
assert dict((c["name"], c["unit"]) for c in log["columns"])["change_HU"] == "HU"
assert log["run"]["solver"].startswith("pcg:iterations=6,") and log["run"]["scan"] == "scan.nc", log["run"]
assert log["end"] == {"iterations": 6, "of": 6, "reason": None}, log["end"]
END
fi
ok recon scan.nc -o a.nc --like truth.nc --backend "$backend" --solver cgls:iterations=9 --stop change=1000HU --quiet --log a.json
grep -qF '"end": {"iterations":1,"of":9,"reason":"small change"}}' a.json || fail "a.json does not say how it ended: $(tail -1 a.json)"
grep -qF '"relative_residual":null' a.json && fail "cgls knows its residual"
refused 1 "--log" recon scan.nc -o a.nc "${pcg[@]}" --log nowhere/a.csv
for name in a.xyz a .csv a.csv.gz; do
	refused 2 "expected a name that ends in .csv or .json" recon scan.nc -o no.nc "${pcg[@]}" --log "$name"
done

# An iteration with fewer steps changes less, which does not end a run; small changes do.
sqs=(recon scan.nc -o a.nc --like truth.nc --padding no --backend "$backend" --solver "os-sqs:iterations=20,subsets=12" --quiet --log sqs.csv)
change() { grep -v '^#' sqs.csv | awk -F, -v k="$1" '$1 == k { print $8 }'; }
ended() { sed -n 's/^# ended after \([0-9]*\) of 20 iterations: small change$/\1/p' sqs.csv; }
ok "${sqs[@]}"
holds "$(change 11) < 0.8 * $(change 10)" "a drop of the change is wanted here"
# Cost, data term and penalty of every iteration, also with subsets; they add up.
ok recon scan.nc -o a.nc --like truth.nc --padding no --backend "$backend" --solver "os-sqs:iterations=9,subsets=12" --quiet --log costs.csv \
	--weights noise --penalty huber:strength=100,delta=10HU --init zero
grep -v '^#' costs.csv | awk -F, '$1 ~ /^[0-9]+$/ { n++; if ($3 == "" || $4 <= 0 || (n > 1 && $5 <= 0) || ($3 - $4 - $5) ^ 2 > (1e-5 * $3) ^ 2) exit 1 }
	END { exit n != 9 }' || fail "os-sqs does not tell the cost of every iteration: $(grep -v '^#' costs.csv)"
holds "$(grep -v '^#' costs.csv | awk -F, '$1 == 9 { print $3 }') < 0.5 * $(grep -v '^#' costs.csv | awk -F, '$1 == 1 { print $3 }')"
between=$(awk "BEGIN { print 0.9 * $(change 10) }") after=$(awk "BEGIN { print 1.1 * $(change 4) }")
ok "${sqs[@]}" --stop "change=${between}HU"
early=$(ended)
holds "${early:-20} > 12" "ended after iteration $early"
ok "${sqs[@]}" --stop "change=${after}HU"
holds "$(ended) == 4"

# An iteration shows progress and remaining time, ten times a second on a terminal and else every 5 s. Each reading of the clock is a
# step after the one before, so that the number of reports does not depend on the computer.
if [ -f "${4:-}" ]; then
	long=("$gantry" recon scan.nc -o a.nc --like truth.nc --padding no --no-check --backend cpu:1 --init zero --solver cgls:iterations=1)
	GT_CLOCK_STEP=6 LD_PRELOAD=$4 "${long[@]}" 2>lines.txt || fail "with another clock: $(cat lines.txt)"
	lines=$(grep -o '^recon 0/1  iteration 1: [0-9]* %  [0-9.]* [smin]*, about [0-9.]* [smin]* left' lines.txt | sort -u | wc -l)
	[ "$lines" -ge 3 ] || fail "an iteration reports $lines times off a terminal: $(cat lines.txt)"
	if command -v script >/dev/null; then
		SHELL=/bin/sh GT_CLOCK_STEP=0.15 script -qec "LD_PRELOAD='$4' ${long[*]@Q}" /dev/null </dev/null >terminal.txt
		moves=$(tr '\r' '\n' <terminal.txt | grep -o '0/1  iteration 1: [0-9]* %  left [0-9]*:[0-9][0-9]' | sort -u | wc -l)
		[ "$moves" -ge 3 ] || fail "an iteration reports $moves times on a terminal: $(cat terminal.txt)"
	fi
fi

# Plots: without gnuplot nothing is computed.
refused 2 "expected a name that ends in .png" recon scan.nc -o no.nc "${pcg[@]}" --plot a.jpg
(PATH=$work && "$gantry" recon scan.nc -o no.nc "${pcg[@]}" --plot a.png) 2>stderr.txt && fail "a plot without gnuplot did not fail"
grep -q 'figures: gnuplot is not installed.*gnuplot-nox' stderr.txt || fail "the missing gnuplot is not reported: $(cat stderr.txt)"
nothing_left no.nc "a plot without gnuplot"
if gnuplot -e 'set terminal pngcairo' >/dev/null 2>&1; then
	ok recon scan.nc -o a.nc "${pcg[@]}" --plot "it's.png"
	[ "$(head -c 4 "it's.png" | tail -c 3)" = PNG ] || fail "it's.png is no PNG"
	# Names are text to gnuplot, never commands, whatever is in them.
	hostile=$'x\nsystem("touch PWNED")\n`touch PWNED`\'.nc'
	cp scan.nc "$hostile"
	mkdir '|touch PWNED;' '<touch PWNED;'
	for picture in p.png '|touch PWNED;/p.png' '<touch PWNED;/p.png'; do
		ok recon "$hostile" -o a.nc "${pcg[@]}" --plot "$picture"
		[ "$(head -c 4 "$picture" | tail -c 3)" = PNG ] || fail "$picture is no PNG"
	done
	refused 2 "without control characters" recon scan.nc -o no.nc "${pcg[@]}" --plot $'p\nsystem("touch PWNED")\n.png'
	[ -z "$(find . -name PWNED)" ] || fail "gnuplot ran a command that stands in a name"
	nothing_left .tmp "a plot"
	plot=(--plot no.png)
else
	plot=()
	echo "plots are not drawn: there is no gnuplot here that draws PNG (Debian, Ubuntu: the package gnuplot-nox)"
fi

# A dry run reports everything and writes nothing; its memory is that of a run, with and without the sums of every subset.
ok recon scan.nc -o no.nc "${pcg[@]}" --dry-run --log no.csv "${plot[@]}"
for text in "solver      pcg:iterations=6,preconditioner=diagonal" "grid        40x40x6@6x6x6.5" "weights     uniform" "penalty     huber:strength=2e4" \
	"projector   dd:memory=" "start       fdk" "best image" "at most"; do
	says "$text"
done
nothing_left no. "a dry run"
ok recon scan.nc --like truth.nc --padding no --backend "$backend" --solver os-sart:subsets=5,keep=no --dry-run --json --quiet
no=$(value peak)
holds "$no == $(value peak_keep_no)"
volume=$(value volume)
holds "$volume == 40 * 40 * 6 * 4"
holds "$(value best_image) == $volume"
holds "$(value subsets) == 5"
# Three volumes, two arrays of the largest subset: 123 views of 8 x 111 pixels.
on_device() { sed -n '/"device_bytes"/,$p' <<<"$out" | sed -n "s/.*\"$1\":[[:space:]]*\([0-9]*\).*/\1/p" | head -1; }
holds "$(on_device solver) == 3 * $volume + 2 * 25 * 8 * 111 * 4" "$out"
holds "$(value peak_keep_yes) > $no"
ok recon scan.nc --like truth.nc --backend "$backend" --solver fdk --dry-run --json --quiet
holds "$(on_device solver) == 0 && $(value peak) > $volume"
ok recon scan.nc --like truth.nc --backend "$backend" --preset iterative --dry-run --quiet
refused 2 "solver 'os-sart' cannot take a penalty" recon scan.nc --like truth.nc --backend "$backend" --solver os-sart --penalty huber --dry-run
refused 2 "solver 'asd-pocs' needs a penalty" recon scan.nc --like truth.nc --backend "$backend" --solver asd-pocs --dry-run

# Excessive memory is refused before computing, with settings that fit and then do.
huge=40000x40000x400@.006x.006x.1
refused 1 "are free; would fit: --grid" recon scan.nc --grid $huge --backend "$backend" --solver cgls --dry-run --quiet
refused 1 "are free; would fit: --grid" recon scan.nc -o no.nc --grid $huge --backend "$backend" --solver cgls --quiet
nothing_left no.nc "a run that does not fit"
# Free memory changes between two runs, the limit does not; 64 MiB exceed the variation of the process.
refused 1 "(--host-memory) is 1 GiB; would fit: --grid" recon scan.nc --grid $huge --backend "$backend" --solver cgls --dry-run --quiet --host-memory 1GiB
fits=$(sed -n 's/.*would fit: --grid \([^ ]*\) .*/\1/p' stderr.txt)
ok recon scan.nc --grid "$fits" --backend "$backend" --solver cgls --dry-run --quiet --host-memory 1100MiB
# A dry run does not allocate host memory for the penalty.
for kappa in no yes noise; do
	refused 1 "are free; would fit: --grid" recon scan.nc --grid $huge --backend "$backend" --solver pcg:iterations=1 --weights noise \
		--penalty qggmrf:noise=10HU,kappa=$kappa --dry-run --quiet
done
refused 1 "are free; would fit: --grid" recon scan.nc --grid $huge --backend "$backend" --solver pcg:iterations=1 --weights noise \
	--penalty qggmrf:strength=2,kappa=yes --dry-run --quiet

# Divergence: momentum with too many subsets. The result is the image of the named iteration, and none was better.
wild() { echo "os-sqs:iterations=$1,subsets=41,fewer=1,single=1,restart=no"; }
refused 1 "solver 'os-sqs' diverged: after " recon scan.nc -o best.nc --like truth.nc --padding no --backend "$backend" --solver "$(wild 40)" --log wild.csv --quiet
kept=$(sed -n 's/.*holds the best image, of iteration \([0-9]*\)$/\1/p' stderr.txt)
[ -n "$kept" ] || fail "the best image is not named: $(cat stderr.txt)"
grep -q '^# ended after .* the cost rose 5 times in a row' wild.csv || fail "wild.csv does not say why it ended"
ended=$(grep -v '^#' wild.csv | tail -1 | cut -d, -f1)
holds "$ended < 40 && ${kept:-99} < $ended"
misfit() { # of an image: what sirt finds before it moves
	ok recon scan.nc -o moved.nc --like "$1" --padding no --init "$1" --backend "$backend" --solver sirt:iterations=1 --log misfit.csv --quiet
	tail -1 misfit.csv | cut -d, -f7
}
best=$(misfit best.nc)
for k in 1 2 3 4; do
	ok recon scan.nc -o k.nc --like truth.nc --padding no --backend "$backend" --solver "$(wild $k)" --quiet
	if [ "$k" = "$kept" ]; then
		ok compare best.nc k.nc --json
		holds "$(value rmse) == 0"
	fi
	this=$(misfit k.nc)
	holds "$best <= $this" "iteration $k is better than $kept, which was kept"
done

# Not finite at once: the start is kept.
ok simulate --phantom shepp-logan --reduce 8 --views 984 --rows 4 --photons 300 --seed 5 -o many.nc
refused 1 "not finite" recon many.nc -o start.nc --like truth.nc --padding no --backend "$backend" --solver os-sqs:iterations=20,subsets=984,fewer=1,single=1,restart=no,nonneg=no --quiet
ok recon many.nc -o fdk.nc --like truth.nc --backend "$backend" --solver fdk --quiet
ok compare start.nc fdk.nc --max 0

# Limit cycles and noise are not divergence: steps near 2, one view at a time, small long rises of the residual.
quiet=(--like truth.nc --padding no --backend "$backend" --quiet)
ok recon scan.nc -o k.nc "${quiet[@]}" --solver os-sart:iterations=40,subsets=82,relax=1.99,reduce=1,nonneg=no --log sart.csv
rises=$(grep -v '^#' sart.csv | awk -F, 'NR > 2 { n = $7 > last ? n + 1 : 0; if (n > most) most = n } NR > 1 { last = $7 } END { print most + 0 }')
holds "$rises >= 5" "a run whose residual rises is wanted here"
ok recon scan.nc -o k.nc "${quiet[@]}" --solver os-sqs:iterations=20
ok recon scan.nc -o k.nc "${quiet[@]}" --solver cgls:iterations=60
ok recon scan.nc -o k.nc "${quiet[@]}" --solver asd-pocs:iterations=20,relax=1.99,reduce=1,alpha=1 --penalty tv:strength=5
# Nor are methods with another norm if the grid truncates the object: one slice of a cone beam.
ok simulate --phantom shepp-logan --reduce 8 --rows 8 --photons 1e4 --seed 5 -o cone.nc
ok recon cone.nc -o k.nc --grid 90x90x1@5x5x5 --padding no --backend "$backend" --solver os-sart --quiet
finish
