#!/bin/bash
# MPI processes compute what one does: methods, helices, splits, threads; bit-identical with --reproducible. Another number of
# processes continues a checkpoint. A failure of one process is printed once, with its name, and ends all within seconds, and so
# does a killed one. Skipped without mpirun or MPI.
. "$(dirname "$0")/support/lib.sh"
command -v mpirun >/dev/null || exit 77
"$gantry" --version | grep -q 'MPI yes' || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
launch=(timeout 1200 mpirun --oversubscribe --quiet)
# s: a process that misses the end of the others waits for its timeout, 600 s; otherwise it takes a second, or more under load.
told_within=120

# team N ARGUMENTS: the command succeeds with N processes. Its output is in $out.
team() {
	local n=$1 code
	shift
	out=$("${launch[@]}" -n "$n" "$gantry" "$@" 2>stderr.txt)
	code=$?
	[ $code -eq 0 ] || fail "$n processes, gantry $* gave $code: $(cat stderr.txt)"
}

# team_refused CODE TEXT N ARGUMENTS: all end with the code, and the text is printed once.
team_refused() {
	local want=$1 text=$2 n=$3 code start=$SECONDS
	shift 3
	# mpirun would wait a second between SIGTERM and SIGKILL.
	OMPI_MCA_odls_base_sigkill_timeout=0 "${launch[@]}" -n "$n" "$@" >out.txt 2>stderr.txt
	code=$?
	[ $code -eq "$want" ] || fail "$n x $* gave $code, expected $want: $(cat stderr.txt)"
	[ "$(grep -cF -- "$text" stderr.txt)" = 1 ] || fail "$n x $*: '$text' is not printed once: $(cat stderr.txt)"
	[ $((SECONDS - start)) -le $told_within ] || fail "$n x $* took $((SECONDS - start)) s"
}

ok simulate --phantom shepp-logan --reduce 20 --rows 6 --photons 1e4 --seed 5 -o scan.nc
ok simulate --phantom shepp-logan --reduce 20 --rows 6 --pitch 40 --turns 3 -o helix.nc
ok simulate --phantom shepp-logan --reduce 20 --rows 5 --photons 1e4 --seed 5 -o other.nc
common=(--precision double --quiet)

# same N SCAN BACKEND SPLIT ARGUMENTS
same() {
	local n=$1 scan=$2 each=$3 split=$4
	shift 4
	ok recon "$scan" -o one.nc --backend cpu:1 "${common[@]}" "$@"
	team "$n" recon "$scan" -o team.nc --backend "$each" --split "$split" "${common[@]}" "$@"
	ok compare team.nc one.nc --rmse 1e-9
}
same 2 scan.nc cpu:1 views --solver os-sart:subsets=4,iterations=2
same 3 scan.nc cpu:1 slices --solver pcg:iterations=3 --penalty qggmrf:strength=10 --init zero
same 2 helix.nc cpu:1x4 views --solver os-sart:subsets=3,iterations=1
same 3 scan.nc cpu:1 auto

team 2 recon scan.nc -o team.nc --team mpi --backend cpu:1 --solver sirt:iterations=1 --json
[ "$(grep -c '"output"' <<<"$out")" = 1 ] || fail "not one report: $out"
[ "$(grep -c 'sirt in' stderr.txt)" -le 1 ] || fail "several reports: $(cat stderr.txt)"
team 2 recon scan.nc --backend cpu:1 --solver sirt --dry-run
[ "$(grep -c 'rank_1 *host .*, cpu:1 slices=.*memory=' <<<"$out")" = 1 ] || fail "not one line of rank 1: $out"

# Bit-identical on one, two and four processes.
bits=(--reproducible --backend cpu:1 --quiet --solver "os-sart:subsets=2,iterations=1")
ok recon scan.nc -o bits.npy "${bits[@]}"
for n in 2 4; do
	team $n recon scan.nc -o bits$n.npy "${bits[@]}"
	cmp bits.npy bits$n.npy || fail "other bits on $n processes"
done

# Saved by two, continued by three and by one.
solve=(--solver "fista:iterations=6,prox=yes" --penalty tv:strength=0.01)
team 2 recon scan.nc -o two.nc --backend cpu:1 "${common[@]}" "${solve[@]/6/3}" --checkpoint run.ck
ok recon scan.nc -o one.nc --backend cpu:1 "${common[@]}" "${solve[@]}"
team 3 recon scan.nc -o more.nc --backend cpu:1 "${common[@]}" "${solve[@]}" --resume run.ck
ok compare more.nc one.nc --rmse 1e-9
ok recon scan.nc -o more.nc --backend cpu:1 "${common[@]}" "${solve[@]}" --resume run.ck
ok compare more.nc one.nc --rmse 1e-9

# One process with different arguments.
cat >odd.sh <<'END'
#!/bin/bash
[ "${OMPI_COMM_WORLD_RANK:-}" = 1 ] && exec "$gantry" recon "$odd" "${@:2}" $more
exec "$gantry" recon "$@"
END
chmod +x odd.sh
export gantry odd=none.nc more=
args=(scan.nc -o out.nc --backend cpu:1 --solver sirt:iterations=3 --quiet)
team_refused 2 "unknown solver 'sirrt'" 2 "$gantry" recon scan.nc -o out.nc --solver sirrt
team_refused 1 "none.nc: No such file or directory" 2 "$gantry" recon none.nc -o out.nc
team_refused 1 "process 1 of 2 (host $(uname -n)): none.nc: No such file or directory" 2 ./odd.sh "${args[@]}"
odd=other.nc
team_refused 2 "differs from rank 0" 2 ./odd.sh "${args[@]}" --grid 20x20x6@20x20x10
# Different problems of equal size: none waits, and no mixture is computed.
odd=scan.nc
other() {
	local text=$1
	shift
	team_refused 2 "differs from rank 0: $text" 2 ./odd.sh "${args[@]}" "$@"
}
cat >odd.sh <<'END'
#!/bin/bash
[ "${OMPI_COMM_WORLD_RANK:-}" = 1 ] && exec "$gantry" recon "$odd" "${@:2}" ${more:-}
exec "$gantry" recon "$@"
END
more="--solver sirt:iterations=5" other "sirt:iterations=5"
more="--weights photons:count=100" other "weights photons"
more="--init fdk" other "init fdk" --init zero
more="--dry-run" other "sirt:iterations=3,relax=1,reduce=1,nonneg=yes,momentum=no,anderson=0,threshold=0.001, a dry run"
ok simulate --phantom shepp-logan --reduce 20 --rows 6 --photons 1e4 --seed 6 -o noise.nc
odd=noise.nc
other "other projections: expected the same file for all"
ok simulate --phantom shepp-logan --reduce 20 --rows 6 --photons 1e4 --seed 5 --start 1 -o turned.nc
odd=turned.nc
other "other positions of source and detector: expected the same file for all"
odd=other.nc
team_refused 2 "expected a divisor of 8" 3 "$gantry" recon "${args[@]}" --reproducible
team_refused 2 "split: 9 slabs of" 3 "$gantry" recon "${args[@]}" --grid 20x20x1@20x20x10 --padding no --split slices --backend cpu:1x9
refused 1 "expected mpirun -n 4 before the command" recon scan.nc -o out.nc --team mpi
nothing_left out.nc "refusals"

# A process that ends early and successfully is detected within seconds.
cat >early.sh <<'END'
#!/bin/bash
[ "${OMPI_COMM_WORLD_RANK:-}" = "$who" ] && exec "$gantry" recon --help >help.txt
exec "$gantry" recon "$@"
END
chmod +x early.sh
for who in 0 1; do
	export who
	team_refused 1 "process $who of 2: it has ended without the others, which wait for it" 2 ./early.sh "${args[@]}"
done

# One output per process: each computes alone, in sequence.
cat >alone.sh <<'END'
#!/bin/bash
for n in 1 2; do
	"$gantry" recon scan.nc -o "alone$OMPI_COMM_WORLD_RANK-$n.nc" --backend cpu:1 --solver "sirt:iterations=$n" || exit 3
done
END
chmod +x alone.sh
"${launch[@]}" -n 2 ./alone.sh 2>stderr.txt || fail "commands alone: $(cat stderr.txt)"
[ "$(grep -c "found 2 processes with different outputs" stderr.txt)" = 1 ] || fail "not printed once: $(cat stderr.txt)"
ok recon scan.nc -o one.nc --backend cpu:1 --solver sirt:iterations=2 --quiet
for n in 0 1; do
	ok compare alone$n-2.nc one.nc --rmse 0
done
sed -i 's/alone.OMPI_COMM_WORLD_RANK/alone/; s/sirt:iterations=.n/sirt:iterations=1/' alone.sh
"${launch[@]}" -n 2 ./alone.sh 2>stderr.txt && fail "two commands joined the others"
grep -q "an earlier command of this mpirun rank already called MPI_Init" stderr.txt || fail "joined twice: $(cat stderr.txt)"

# SIGTERM at the time limit of the launcher: the first process saves and writes the result.
# begun LOG: six iterations of the background run $all are in the log.
begun() { until { [ -e "$1" ] && [ "$(wc -l <"$1")" -gt 5 ]; } || ! kill -0 $all 2>/dev/null; do sleep 0.2; done; }
# The full name distinguishes the output from those of other tests.
run=(recon scan.nc -o "$PWD/saved.nc" --backend cpu:1 --solver sirt:iterations=1000000 --log saved.csv --checkpoint saved.ck:every=100000)
timeout 1200 mpirun --oversubscribe -n 2 "$gantry" "${run[@]}" >out.txt 2>stderr.txt &
all=$!
begun saved.csv
mapfile -t ranks < <(pgrep -f "^$gantry ${run[*]}")
if [ ${#ranks[@]} -eq 2 ]; then
	kill -TERM "${ranks[@]}"
	wait $all && fail "a run that was stopped was no failure"
	grep -q "saved.nc holds the result so far" stderr.txt || fail "not stopped in order: $(tail -c 500 stderr.txt)"
	ok info saved.nc
	[ -s saved.ck ] || fail "no checkpoint"
else
	fail "${#ranks[@]} processes run: $(cat stderr.txt)"
	kill $all
fi

# Ctrl-C under mpirun, followed by SIGTERM: one key press saves the result.
rm -f saved.*
timeout 1200 mpirun --oversubscribe -n 2 "$gantry" "${run[@]}" >out.txt 2>stderr.txt &
all=$!
begun saved.csv
kill -INT "$(pgrep -P $all -x mpirun)"
wait $all && fail "a run that was stopped was no failure"
ok info saved.nc
[ -s saved.ck ] || fail "no checkpoint after Ctrl-C: $(tail -c 500 stderr.txt)"
for _ in {1..600}; do
	pgrep -f "^$gantry ${run[*]}" >/dev/null || break
	sleep 0.1
done
pgrep -f "^$gantry ${run[*]}" >left.txt && fail "processes go on after Ctrl-C"

# A process is killed during the iterations: the launcher names it and ends the others.
run=(recon scan.nc -o "$PWD/out.nc" --backend cpu:1 --solver sirt:iterations=1000000 --log log.csv)
timeout 1200 mpirun --oversubscribe -n 2 "$gantry" "${run[@]}" >out.txt 2>stderr.txt &
all=$!
begun log.csv
mapfile -t ranks < <(pgrep -f "^$gantry ${run[*]}")
if [ ${#ranks[@]} -eq 2 ]; then
	start=$SECONDS
	kill -KILL "${ranks[1]}"
	wait $all && fail "a killed process was no failure"
	for _ in {1..600}; do
		kill -0 "${ranks[0]}" 2>/dev/null || break
		sleep 0.1
	done
	[ $((SECONDS - start)) -le $told_within ] || fail "$((SECONDS - start)) s until all had ended"
	kill -0 "${ranks[0]}" 2>/dev/null && fail "the other process continues"
	grep -q "rank [01] .*on node .* exited on signal 9" stderr.txt || fail "the killed process is not named: $(cat stderr.txt)"
else
	fail "${#ranks[@]} processes run: $(cat stderr.txt)"
	kill $all
fi
nothing_left out.nc "a killed process"
exit $((failures > 0))
