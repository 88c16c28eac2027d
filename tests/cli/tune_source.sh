#!/bin/bash
# gantry tune --source: the user's file as the search space, evaluated by a command without a compiler.
. "$(dirname "$0")/support/lib.sh"

cat >'my kernel.cu' <<'SOURCE'
// tune BLOCK 1 2 4
// tune choose LOAD plain
plain 50
// tune or shared
shared 40
// tune or broken
broken 1
// tune end
// tune choose SUM loop after plain shared
loop 7
// tune or tree after shared broken
tree 2
// tune end
SOURCE
# Time: the sum of the numbers times BLOCK; a broken program is wrong.
cat >check.sh <<'CHECK'
grep -q '// tune' "$1" && { echo "marks are left" >&2; exit 3; }
grep -q '^broken' "$1" && { echo "differs from the reference" >&2; exit 4; }
block=$(sed -n 's/^#define BLOCK //p' "$1")
echo "some other output"
awk -v b="$block" '/^[a-z]/ { sum += $2 } END { print sum * b " ms" }' "$1"
CHECK
export TMPDIR=$work/tmp
mkdir tmp
for search in exhaustive ants:as-published,iterations=20 climb random; do
	ok tune --source 'my kernel.cu' --check 'sh check.sh {}' --search $search --log log.txt -o best.cu
	says "first       57.0000 ms  BLOCK=1 LOAD=plain SUM=loop"
	says "best        42.0000 ms  BLOCK=1 LOAD=shared SUM=tree"
	[ "$(cat best.cu)" = "$(printf '#define BLOCK 1\nshared 40\ntree 2')" ] || fail "$search: the best program: $(cat best.cu)"
done
ok tune --source 'my kernel.cu' --check 'sh check.sh {}' --search exhaustive --log log.txt
says "12 of 12 candidates"
says "3 of which failed"
grep -q '^inf wrong BLOCK=2 LOAD=2 SUM=1 | the check ended with 4: differs from the reference' log.txt || fail "a wrong candidate: $(cat log.txt)"
ok tune --replay log.txt --search exhaustive --seeds 1
says "12 candidates, 9 correct; best 42.0000 ms, built-in 57.0000 ms"
ok tune --source 'my kernel.cu' --check 'sh check.sh {} && echo 5' --programs 4 -o same.cu
says "no candidate is faster by 1 %: the first program stays"
grep -q '^plain 50' same.cu || fail "the first program: $(cat same.cu)"
[ -z "$(ls tmp)" ] || fail "temporary folders are left: $(ls tmp)"

refused 1 "my kernel.cu: the first program fails: the check ended with 3: no such thing" tune --source 'my kernel.cu' --check 'echo no such thing >&2; exit 3; {}' --log failed.txt
refused 1 "failed.txt: the check ended with 3: no such thing" tune --replay failed.txt
refused 1 'the check printed "fast" last: expected a time in ms' tune --source 'my kernel.cu' --check 'echo {} >/dev/null; echo fast'
refused 2 "--check: expected a command with {}" tune --source 'my kernel.cu'
refused 2 "--check: expected a command with {}" tune --source 'my kernel.cu' --check true
refused 2 "check: expected with --source" tune --workload quick-arc --check 'true {}'
refused 2 "cannot be combined with --workload" tune --source 'my kernel.cu' --check 'true {}' --workload quick-arc
refused 2 "cannot be combined with --source" tune --source 'my kernel.cu' --check 'true {}' --list
refused 1 "nowhere.cu: No such file" tune --source nowhere.cu --check 'true {}'
[ -z "$out" ] || fail "a result without a search: $out"
echo 'int x;' >none.cu
refused 1 'none.cu: expected layers, as "// tune BLOCK 64 128", found none' tune --source none.cu --check 'true {}'
# A name of quotes: each takes four bytes in the shell's word.
quotes=$(printf '%0250d' 0 | tr 0 "'")
cp 'my kernel.cu' "$quotes"
ok tune --source "$quotes" --check 'sh check.sh {}' --programs 4
says "first       57.0000 ms  BLOCK=1 LOAD=plain SUM=loop"
for signal in INT TERM; do
	caught $signal started '[ -e started ]' tune --source 'my kernel.cu' --check 'touch started; sleep 30; sh check.sh {}'
	for _ in {1..6000}; do
		[ -n "$(ls tmp)" ] || break
		sleep 0.1
	done
	[ -z "$(ls tmp)" ] || fail "SIG$signal: temporary folders are left: $(ls tmp)"
done
TMPDIR=$work/nowhere refused 1 "no temporary folder can be made" tune --source 'my kernel.cu' --check 'true {}'
[ -z "$(ls tmp)" ] || fail "temporary folders are left: $(ls tmp)"
finish
