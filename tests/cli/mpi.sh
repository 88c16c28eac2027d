#!/bin/bash
# MPI processes compute what one does: methods, helices, splits, threads; bit-identical with --reproducible. Another number of
# processes continues a checkpoint. A binding launcher is reported. Processes with different outputs compute alone.
# shellcheck disable=SC2154
. "$(dirname "$0")/support/lib.sh"
# shellcheck source=/dev/null
. "$support/mpi.sh"

ok simulate --phantom shepp-logan --reduce 20 --rows 6 --pitch 40 --turns 3 -o helix.nc
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
# grids narrower and wider than the requested one
same 2 scan.nc cpu:1 auto --preset iterative --grid 48x48x6@12x12x12
same 3 scan.nc cpu:1 slices --solver os-sart:subsets=2,iterations=1 --grid 9x11x6@6x6x6+30,0,0 --outside grid

team 2 recon scan.nc -o team.nc --team mpi --backend cpu:1 --solver sirt:iterations=1 --json
[ "$(grep -c '"output"' <<<"$out")" = 1 ] || fail "not one report: $out"
[ "$(grep -c 'sirt in' stderr.txt)" -le 1 ] || fail "several reports: $(cat stderr.txt)"
team 2 recon scan.nc --backend cpu:1 --solver sirt --dry-run
[ "$(grep -c 'rank_1 *host .*, cpu:1 slices=.*memory=' <<<"$out")" = 1 ] || fail "not one line of rank 1: $out"

# A launcher that binds a process to fewer processors than it can use is reported once; other limits are none of its binding.
if [ "$(nproc)" -gt 1 ]; then
	cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	bound() { # TIMES BACKEND COMMAND...
		local times=$1 each=$2
		shift 2
		"$@" "$gantry" recon scan.nc -o bound.nc --team mpi --backend "$each" --solver sirt:iterations=1 2>stderr.txt ||
			fail "$*: $(cat stderr.txt)"
		[ "$(grep -c "the launcher binds the process to 1 of $(nproc) processors: mpirun --bind-to none" stderr.txt)" = "$times" ] ||
			fail "$*, $each: expected $times sentences on binding: $(cat stderr.txt)"
	}
	bound 1 cpu "${launch[@]}" --bind-to none -n 1 taskset -c "$cpu"
	bound 0 cpu:1 "${launch[@]}" --bind-to none -n 1 taskset -c "$cpu"
	bound 0 cpu "${launch[@]}" --bind-to none -n 1
	bound 0 cpu taskset -c "$cpu" "${launch[@]}" --bind-to none -n 1
fi

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
exit $((failures > 0))
