#!/bin/bash
# gantry tune without a GPU: replays of logs, the cache, and messages about missing parts.
. "$(dirname "$0")/support/lib.sh"
export XDG_CACHE_HOME=$work/cache

cat >toy.txt <<'LOG'
# gantry tune 1
# kernel dd-forward
# class rows=16
# device A device
# driver 13000
# built-in A=2 B=3
# built-in-ms 3
# layer A 1 2 4
# layer B 3 4
3 ok A=2 B=3 | built-in 3 ms
2.5 ok A=1 B=3 | built-in 3 ms
inf wrong A=4 B=3 | it writes outside its result
2 ok A=4 B=4 | built-in 3 ms
2.25 ok A=1 B=4 | built-in 3 ms
LOG
ok tune --replay toy.txt --seeds 5
says "5 candidates, 4 correct; best 2.0000 ms, built-in 3.0000 ms"
for strategy in climb ants random exhaustive ants:as-published; do
	says "$strategy  "
done
first=$out
ok tune --replay toy.txt --seeds 5
[ "$out" = "$first" ] || fail "two replays differ: $out"
ok tune --replay toy.txt --search exhaustive --seeds 1 --programs 5 --curve curve.csv
grep -qE "^exhaustive .* 1\.000  100 %$" <<<"$out" || fail "exhaustive search of a log does not find its best: $out"
grep -q "^exhaustive,1,1.5,0$" curve.csv || fail "curve: $(cat curve.csv)"
grep -q "^exhaustive,5,1,1$" curve.csv || fail "curve: $(cat curve.csv)"
refused 1 "cannot be written" tune --replay toy.txt --curve no/where.csv
refused 2 "unknown search strategy \"bees\": expected climb, ants, random, exhaustive" tune --replay toy.txt --search bees
refused 2 "rho=7" tune --replay toy.txt --search ants:rho=7
sed 's/B=4/B=9/' toy.txt >bad.txt
refused 1 "bad.txt, line 13: a value is missing or not in its layer" tune --replay bad.txt
head -9 toy.txt >empty.txt
refused 1 "empty.txt, line 10: no candidate" tune --replay empty.txt
sed 's/^[0-9.]* ok/inf wrong/' toy.txt >wrong.txt
refused 1 "no candidate of this log was correct" tune --replay wrong.txt
refused 1 "nowhere.txt: No such file or directory" tune --replay nowhere.txt

ok tune --list
says "distributed with gantry"
[ "$(grep -c 'sf-forward on NVIDIA H200' <<<"$out")" -ge 1 ] || fail "the table that came with the library: $out"
mkdir -p cache/gantry/tune
echo '{ "format": 1, "kernel": "dd-forward", "entries": [ { "source": "old", "device": "A device", "class": "rows=16", "variant": "A=4", "ms": 2, "built_in_ms": 3 } ] }' >cache/gantry/tune/dd-forward.json
ok tune --list
says "dd-forward on A device, rows=16"
says "of another version of the kernel's source: not used"
echo '{ "format": 1, "kernel": "dd-forward", "entries": [ { }, 7, "x", { "source": "old", "device": "A device", "class": "rows=16", "variant": "A=4", "ms": 2, "built_in_ms": 3 },
	{ "source": "old", "device": "A device", "class": "rows=16", "ms": "many" } ] }' >cache/gantry/tune/dd-forward.json
ok tune --list
for k in 1 2 3 5; do says "dd-forward: entry $k of the cache is damaged: not used (gantry tune --forget dd-forward removes all of them)"; done
says "dd-forward on A device, rows=16"
[ "$(grep -cE 'is damaged|A device|A=4' <<<"$out")" -eq 6 ] || fail "lines of damaged entries: $out"
echo '{ "format": 1' >cache/gantry/tune/dd-forward.json
refused 1 "dd-forward.json: damaged" tune --list
refused 2 "no kernel \"dd\"" tune --forget dd
ok tune --forget dd-forward
ok tune --list
[ "$(grep -c 'A device' <<<"$out")" -eq 0 ] || fail "forgotten, and still there: $out"
mkfifo cache/gantry/tune/dd-forward.json
timeout 1200 "$gantry" tune --list >/dev/null 2>&1 || fail "a pipe in place of the cache: the command waits"
rm cache/gantry/tune/dd-forward.json

# the cache moves to another machine; the tables of the library have the same format
refused 1 "nothing is kept that another machine could use" tune --export moved.json
[ ! -e moved.json ] || fail "nothing to export, and there is a file"
cp "$(dirname "$0")/../../core/variant/tables/nvidia-h200.json" table.json
if [ ! -e /dev/nvidia0 ]; then # of another GPU nothing is taken
	entries=$(grep -c '"variant"' table.json)
	ok tune --import table.json
	[ "$(grep -c '; taken$' <<<"$out")" -eq "$entries" ] || fail "a table is imported: $out"
	ok tune --list
	[ "$(grep -c 'on NVIDIA H200' <<<"$out")" -eq $((2 * entries)) ] || fail "the table was imported: $out"
	ok tune --export moved.json
	says "moved.json: $entries entries"
	refused 1 "one of that device and problem is kept here: not taken" tune --import moved.json
	rm -r cache
	ok tune --import moved.json
	ok tune --export again.json
	refused 1 "cannot be written" tune --export nowhere/table.json
	cmp -s moved.json again.json || fail "export, import, export: $(diff moved.json again.json)"
	rm -r cache
	# of each table one thing is wrong, of which the rest is taken
	sed '0,/"source": *"[0-9a-f]*/s//"source": "0123/' table.json >wrong.json
	ok tune --import wrong.json
	says "of another version of the kernel's source (0123, here "
	[ "$(grep -c '; taken$' <<<"$out")" -eq $((entries - 1)) ] || fail "all but one are taken: $out"
	rm -r cache
	sed '0,/TILE=64/s//TILE=63/' table.json >wrong.json
	ok tune --import wrong.json
	says "is no variant of it for that problem: not taken"
	rm -r cache
	sed '0,/"kernel": *"sf-forward"/s//"kernel": "..\/..\/evil\\u001b"/' table.json >wrong.json
	ok tune --import wrong.json
	says "../../evil? on NVIDIA H200"
	says "no kernel of this version: not taken"
	rm -r cache
	sed '0,/"ms": *[0-9]/s//"ms": -0/' table.json >wrong.json
	ok tune --import wrong.json
	says "damaged: not taken"
	rm -r cache
	sed 's/"source": *"/&0/' table.json >wrong.json
	refused 1 "none of its $entries entries is taken" tune --import wrong.json
	[ ! -e cache ] || fail "nothing is taken, and there is a cache"
fi
if [ ! -e /dev/nvidia0 ]; then # a cache that cannot be made: nothing is said to be taken
	XDG_CACHE_HOME=$work/table.json refused 1 "the tuned kernel is not cached" tune --import table.json
	[ -z "$out" ] || fail "nothing is kept, and it says: $out"
fi
head -c 500 table.json >half.json
refused 1 "half.json: damaged, or no table of gantry tune --export" tune --import half.json
echo '[]' >none.json
refused 1 "none.json: damaged, or no table" tune --import none.json
refused 1 "nowhere.json: cannot be read (No such file" tune --import nowhere.json
refused 2 "list: cannot be combined with --import" tune --list --import table.json

refused 2 "expected a scan or --workload" tune
refused 2 "no workload \"even\"" tune --workload even
refused 2 "no kernel \"dd-bs\" that can be tuned: expected dd-forward, dd-back, sf-forward, sf-back, joseph-forward, joseph-back or fdk-published" tune --workload quick-arc --kernel dd-bs
refused 2 "unknown solver 'bees'" tune --workload quick-arc --solver bees
refused 2 "cannot be combined with --candidate" tune --workload quick-arc --solver os-sart --candidate ""
refused 2 "kernel=dd-back: cannot be combined with --solver" tune --workload quick-arc --solver os-sart --kernel dd-back
refused 2 "kernel=dd-forward: cannot be combined with --projector" tune --workload quick-arc --projector dd --kernel dd-forward
ok simulate --geometry-only --reduce 16 --views 12 -o few.nc
refused 2 "few.nc: expected --every, or subsets of --solver, of at most its 12 views, found 13" tune few.nc --solver os-sart:subsets=13
refused 1 "no kernel of the projector dd-bs can be tuned" tune --workload quick-arc --projector dd-bs
refused 2 "unknown search strategy \"bees\"" tune --workload quick-arc --search bees
refused 2 "device=cpu:2: expected an NVIDIA GPU" tune --workload quick-arc --device cpu:2
refused 2 "shared=1KiB: expected shared=BYTES or shared=NKiB, of 16 to 1024 KiB" tune --workload quick-arc --device cuda:0,shared=1KiB
# invalid libraries in front of valid ones
mkdir nolib
for name in libnvrtc.so.13 libnvrtc.so.12 libnvrtc.so; do echo none >nolib/$name; done
LD_LIBRARY_PATH=$work/nolib refused 1 "NVRTC is not there" tune --workload quick-arc --programs 3
if [ "$backend" = cpu ] && [ ! -e /dev/nvidia0 ]; then # no NVRTC, or no GPU: a sentence, and nothing is kept
	"$gantry" tune --workload quick-arc --programs 3 >out.txt 2>err.txt
	code=$?
	[ $code -eq 1 ] || fail "tune without a GPU gave $code: $(cat err.txt)"
	grep -qE "NVRTC is not there|no usable GPU|this build has no CUDA" err.txt || fail "tune without a GPU: $(cat err.txt)"
	[ "$(wc -l <err.txt)" -eq 1 ] || fail "more than a sentence: $(cat err.txt)"
	[ ! -e cache/gantry/tune/dd-forward.json ] || fail "something is kept"
	refused 1 "needs a GPU, or --logs FOLDER" study tuner -o study --no-figures
	for solver in os-sart:subsets=4 cgls; do
		refused 1 "can be tuned here: needs an NVIDIA GPU and NVRTC" tune few.nc --solver $solver --minutes 0.1
	done
fi

# many searches in a folder: complete logs are skipped without a GPU; the table summarises all logs
refused 2 "no workload \"ge-hx\"" tune --folder many --workload ge-hd,ge-hx
refused 2 "every=0: expected NAME:every=N with N of 1 to 10000" tune --folder many --workload ge-hd:every=0
refused 2 "every=2x: expected NAME:every=N" tune --workload ge-hd:every=2x
refused 2 "unknown kernel 'bees'" tune --folder many --workload ge-hd --kernel dd-back,bees
refused 2 "expected --workload NAME" tune --folder many
refused 2 "expected a comma-separated list of names, found \",\"" tune --folder many --workload ge-hd,
refused 2 "cannot be combined with --log" tune --folder many --workload ge-hd --log toy.txt
refused 2 "expected with --folder" tune --within 3 --workload ge-hd
[ ! -e many ] || fail "a refusal leaves a folder"
if [ "$backend" = cpu ] && [ ! -e /dev/nvidia0 ]; then
	"$gantry" tune --folder many --workload quick-arc:every=5 --kernel all >out.txt 2>err.txt && fail "a folder of searches without a GPU"
	[ ! -e many ] || fail "no GPU, and a folder is left: $(ls many)"
fi
mkdir many
problem='# problem 2 views of 8 x 8, 16 x 16 x 16 voxels'
{ sed "s/^# built-in-ms 3/&\n$problem/" toy.txt; printf '# chosen-ms 2.6\n# chosen-built-in-ms 3.12\n# chosen A=1 B=3\n'; } >many/quick-arc-every5.dd-forward.txt
{ sed "s/^# built-in-ms 3/&\n$problem/" toy.txt; printf '# chosen-ms 3.09\n# chosen-built-in-ms 3.1\n# chosen built-in\n'; } >many/quick-arc-every5.dd-back.txt
printf '# gantry tune 1\n# kernel sf-back\n# failed this problem does not ask for "sf-back"\n' >many/quick-arc-every5.sf-back.txt
cp many/quick-arc-every5.dd-back.txt many/step-0.4.dd-back.txt
ok tune --folder many --workload quick-arc:every=5 --kernel dd-forward,dd-back,sf-back --minutes 0.1
says "many/results.csv: 3 of 3 searches are done"
grep -qxF "quick-arc-every5,forward,dd-forward,3.12,2.6,1.2000,5,1,0,\"A=1 B=3\",\"${problem#\# problem }\",\"\"" many/results.csv || fail "the table: $(cat many/results.csv)"
grep -q "^quick-arc-every5,back,dd-back,3.1,3.1,1.0000,5,1,0,\"built-in\"," many/results.csv || fail "the table: $(cat many/results.csv)"
grep -qF 'quick-arc-every5,back,sf-back,,,,,,,"","","many/quick-arc-every5.sf-back.txt: this problem does not ask for ""sf-back"""' many/results.csv ||
	fail "the table: $(cat many/results.csv)"
grep -q "^step-0.4,back,dd-back,3.1," many/results.csv || fail "a workload with a dot: $(cat many/results.csv)"
# an incomplete log counts as missing, and the time may not suffice for the rest
grep -v '^# chosen' many/quick-arc-every5.dd-back.txt >half.txt
cp half.txt many/quick-arc-every5.dd-back.txt
ok tune --folder many --workload quick-arc:every=5 --kernel dd-forward,dd-back --minutes 1 --within 0.5
says "1 of 2 searches are done; repeat the command to continue"
grep -q '^quick-arc-every5,back,dd-back,.*"not at its end"$' many/results.csv || fail "the table: $(cat many/results.csv)"
cmp -s half.txt many/quick-arc-every5.dd-back.txt || fail "a log was written without time for its search"

# the study on logs
mkdir logs
sed 's/^# kernel .*/# kernel fdk-published/; s/^# built-in-ms 3/&\n# problem 10 views of 8 x 8, 256 x 256 x 256 voxels\n# updates 1.7e8/; s/ ms, 5 pairs/&/; s/built-in 3 ms$/&, at 4.5 s/' toy.txt >logs/fdk-256.txt
echo "no log" >logs/readme.txt
ok study tuner -o study --logs logs --no-figures
grep -q ',5,4,3,2,1.5,4.5,NaN,NaN,NaN$' study/gains.csv || fail "gains: $(cat study/gains.csv)"
grep -q '^"256^3","ants, 30 x 5",2.54,0.002,1.0669' study/table-2.csv || fail "table II: $(cat study/table-2.csv)"
grep -q '^"fdk-256","climb",' study/searchers.csv || fail "searchers: $(cat study/searchers.csv)"
grep -q '^"fdk-256",1,0.66666[67]*,20,20,""$' study/success.csv || fail "kept promises: $(cat study/success.csv)"
grep -q 'Of 1 logs all four hold on 1' study/report.html || fail "what holds is not told"
grep -q '364 views of 1014' study/report.html || fail "the caption of table III"
# a log with a manually tuned kernel that is faster than all candidates
mkdir hard
{
	sed -n '1,7p' toy.txt | sed 's/A=2 B=3/A=1 B=1/; s/^# built-in-ms .*/# built-in-ms 1/'
	for name in A B; do echo "# layer $name $(seq -s ' ' 0 7)"; done
	for a in $(seq 0 7); do for b in $(seq 0 7); do echo "$((2 + (7 * a + 13 * b) % 97)) ok A=$a B=$b | built-in 1 ms"; done; done
} >hard/hard.txt
ok study tuner -o study-hard --logs hard --no-figures
grep -q '^"hard",.*as published as good as hand-tuned' study-hard/success.csv || fail "violations: $(cat study-hard/success.csv)"
grep -q 'Of 1 logs all four hold on 0' study-hard/report.html || fail "violations are not reported"
printf '# chosen-ms 3\n# chosen-built-in-ms 3.09\n# chosen built-in\n' >>logs/fdk-256.txt # none stood at last
ok study tuner -o study-end --logs logs --no-figures
grep -q ',5,4,3,2,1.5,4.5,3.09,NaN,1$' study-end/gains.csv || fail "gains: $(cat study-end/gains.csv)"
grep -q '0 of 1 searches found' study-end/report.html || fail "the claim uses the first timing"
rm logs/fdk-256.txt
refused 2 "expected logs of gantry tune" study tuner -o none --logs logs --no-figures
refused 1 "nowhere: cannot be read" study tuner -o none --logs nowhere --no-figures
refused 2 "is for the study 'tuner'" study fdk -o none --logs logs
finish
