#!/bin/bash
# gantry tune without a GPU: replays of logs, what is kept, and a sentence for what is missing.
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
says "5 candidates, 4 right; best 2.0000 ms, built-in 3.0000 ms"
for searcher in auto climb ants random exhaustive forest ants:as-published; do
	says "$searcher  "
done
first=$out
ok tune --replay toy.txt --seeds 5
[ "$out" = "$first" ] || fail "two replays differ: $out"
ok tune --replay toy.txt --search exhaustive --seeds 1 --programs 5 --curve curve.csv
grep -qE "^exhaustive .* 1\.000  100 %$" <<<"$out" || fail "exhaustive search of a log does not find its best: $out"
grep -q "^exhaustive,1,1.5,0$" curve.csv || fail "curve: $(cat curve.csv)"
grep -q "^exhaustive,5,1,1$" curve.csv || fail "curve: $(cat curve.csv)"
refused 1 "cannot be written" tune --replay toy.txt --curve no/where.csv
refused 2 "expected auto, climb, ants, random, exhaustive, forest" tune --replay toy.txt --search bees
refused 2 "rho=7" tune --replay toy.txt --search ants:rho=7
sed 's/B=4/B=9/' toy.txt >bad.txt
refused 1 "bad.txt, line 13: a value is none of its layer's" tune --replay bad.txt
head -9 toy.txt >empty.txt
refused 1 "empty.txt, line 10: no candidate" tune --replay empty.txt
sed 's/^[0-9.]* ok/inf wrong/' toy.txt >wrong.txt
refused 1 "no candidate of this log was right" tune --replay wrong.txt
refused 1 "nowhere.txt: cannot be read" tune --replay nowhere.txt

ok tune --list
says "came with gantry"
[ "$(grep -c 'dd-forward on NVIDIA H200' <<<"$out")" -ge 1 ] || fail "the table that came with the library: $out"
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
timeout 20 "$gantry" tune --list >/dev/null 2>&1 || fail "a pipe in place of the cache: the command waits"
rm cache/gantry/tune/dd-forward.json

refused 2 "expected a scan or --workload" tune
refused 2 "no workload \"even\"" tune --workload even
refused 2 "no kernel \"dd-bs\" that can be tuned: expected dd-forward, dd-back, sf-forward, sf-back, joseph-forward, joseph-back or fdk-published" tune --workload quick-arc --kernel dd-bs
refused 2 "unknown solver 'bees'" tune --workload quick-arc --solver bees
refused 2 "cannot be combined with --candidate" tune --workload quick-arc --solver os-sart --candidate ""
refused 1 "no kernel of the projector dd-bs can be tuned" tune --workload quick-arc --projector dd-bs
refused 2 "no searcher \"bees\"" tune --workload quick-arc --search bees
if [ "$backend" = cpu ] && [ ! -e /dev/nvidia0 ]; then # no NVRTC, or no GPU: a sentence, and nothing is kept
	"$gantry" tune --workload quick-arc --programs 3 >out.txt 2>err.txt
	code=$?
	[ $code -eq 1 ] || fail "tune without a GPU gave $code: $(cat err.txt)"
	grep -qE "NVRTC is not there|no usable GPU|this build has no CUDA" err.txt || fail "tune without a GPU: $(cat err.txt)"
	[ "$(wc -l <err.txt)" -eq 1 ] || fail "more than a sentence: $(cat err.txt)"
	[ ! -e cache/gantry/tune/dd-forward.json ] || fail "something is kept"
	refused 1 "needs a GPU, or --logs FOLDER" study tuner -o study --no-figures
fi

# the study, on logs
mkdir logs
sed 's/^# kernel .*/# kernel fdk-published/; s/^# built-in-ms 3/&\n# problem 10 views of 8 x 8, 256 x 256 x 256 voxels\n# updates 1.7e8/; s/ ms, 5 pairs/&/; s/built-in 3 ms$/&, at 4.5 s/' toy.txt >logs/fdk-256.txt
echo "no log" >logs/readme.txt
ok study tuner -o study --logs logs --no-figures
grep -q ',5,4,3,2,1.5,4.5$' study/gains.csv || fail "gains: $(cat study/gains.csv)"
grep -q '^"256^3","ants, 30 x 5",2.54,0.002,1.0669' study/table-2.csv || fail "table II: $(cat study/table-2.csv)"
grep -q '^"fdk-256","climb",' study/searchers.csv || fail "searchers: $(cat study/searchers.csv)"
rm logs/fdk-256.txt
refused 2 "expected logs of gantry tune" study tuner -o none --logs logs --no-figures
refused 1 "nowhere: cannot be read" study tuner -o none --logs nowhere --no-figures
refused 2 "is for the study 'tuner'" study fdk -o none --logs logs
finish
