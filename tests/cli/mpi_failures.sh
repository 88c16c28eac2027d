#!/bin/bash
# A failure of one MPI process is printed once, with its name, and ends all at once, and so does a killed one. Different
# arguments are refused. A stopped run saves its result.
# shellcheck disable=SC2154
. "$(dirname "$0")/support/lib.sh"
# shellcheck source=/dev/null
. "$support/mpi.sh"

ok simulate --phantom shepp-logan --reduce 20 --rows 5 --photons 1e4 --seed 5 -o other.nc
# One process with different arguments.
cat >odd.sh <<'END'
#!/bin/bash
[ "${OMPI_COMM_WORLD_RANK:-}" = 1 ] && exec "$gantry" recon "$odd" "${@:2}" $more
exec "$gantry" recon "$@"
END
chmod +x odd.sh
export odd=none.nc more=
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
ok import scan.nc -o turned.nc --flip turn
odd=turned.nc
other "other positions of source and detector: expected the same file for all"
odd=other.nc
team_refused 2 "expected a divisor of 8" 3 "$gantry" recon "${args[@]}" --reproducible
team_refused 2 "split: 9 slabs of" 3 "$gantry" recon "${args[@]}" --grid 20x20x1@20x20x10 --padding no --split slices --backend cpu:1x9
refused 1 "expected mpirun -n 4 before the command" recon scan.nc -o out.nc --team mpi
nothing_left out.nc "refusals"

# A process that ends early and successfully is detected by the others.
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

# SIGTERM at the time limit of the launcher: the first process saves and writes the result.
# begin LOG: starts $run on two processes as $all in the background, and waits until six iterations are in the log.
begin() {
	timeout "$limit" mpirun --oversubscribe -n 2 "$gantry" "${run[@]}" >out.txt 2>stderr.txt &
	all=$!
	until { [ -e "$1" ] && [ "$(wc -l <"$1")" -gt 5 ]; } || ! kill -0 $all 2>/dev/null; do sleep 0.2; done
}
# The full name distinguishes the output from those of other tests.
run=(recon scan.nc -o "$PWD/saved.nc" --backend cpu:1 --solver sirt:iterations=1000000 --log saved.csv --checkpoint saved.ck:every=100000)
begin saved.csv
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

# Ctrl-C under mpirun, followed by SIGTERM: one key press saves the result. A busy computer needs more than a second for it.
rm -f saved.*
OMPI_MCA_odls_base_sigkill_timeout=4 begin saved.csv
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
begin log.csv
mapfile -t ranks < <(pgrep -f "^$gantry ${run[*]}")
if [ ${#ranks[@]} -eq 2 ]; then
	kill -KILL "${ranks[1]}"
	wait $all && fail "a killed process was no failure"
	for _ in {1..600}; do
		kill -0 "${ranks[0]}" 2>/dev/null || break
		sleep 0.1
	done
	no_timeout "a killed process"
	kill -0 "${ranks[0]}" 2>/dev/null && fail "the other process continues"
	grep -q "rank [01] .*on node .* exited on signal 9" stderr.txt || fail "the killed process is not named: $(cat stderr.txt)"
else
	fail "${#ranks[@]} processes run: $(cat stderr.txt)"
	kill $all
fi
nothing_left out.nc "a killed process"
exit $((failures > 0))
