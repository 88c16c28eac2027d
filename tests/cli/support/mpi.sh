# shellcheck shell=bash disable=SC2034
# Common functions of the tests with MPI processes. A test sources it after lib.sh. Skipped without mpirun or MPI.
command -v mpirun >/dev/null || exit 77
"$gantry" --version | grep -q 'MPI yes' || exit 77
export gantry OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
# A command that hangs ends the test. GT_HANGS: the limit, s, which planted faults shorten.
limit=${GT_HANGS:-1200}
launch=(timeout "$limit" mpirun --oversubscribe --quiet)

# hangs CODE WHAT
hangs() {
	[ "$1" -ne 124 ] || { fail "$2: not ended after $limit s"; exit 1; }
}

# no_timeout WHAT: no process missed the end of the others, waited for its timeout of 600 s and printed so.
no_timeout() { ! grep -q 'timeout: no message for' stderr.txt || fail "$1: a process waited for its timeout"; }

# team N ARGUMENTS: the command succeeds with N processes. Its output is in $out.
team() {
	local n=$1 code
	shift
	out=$("${launch[@]}" -n "$n" "$gantry" "$@" 2>stderr.txt)
	code=$?
	hangs $code "$n processes, gantry $*"
	[ $code -eq 0 ] || fail "$n processes, gantry $* gave $code: $(cat stderr.txt)"
}

# team_refused CODE TEXT N ARGUMENTS: all end with the code, and the text is printed once.
team_refused() {
	local want=$1 text=$2 n=$3 code
	shift 3
	# mpirun would wait a second between SIGTERM and SIGKILL.
	OMPI_MCA_odls_base_sigkill_timeout=0 "${launch[@]}" -n "$n" "$@" >out.txt 2>stderr.txt
	code=$?
	hangs $code "$n x $*"
	[ $code -eq "$want" ] || fail "$n x $* gave $code, expected $want: $(cat stderr.txt)"
	[ "$(grep -cF -- "$text" stderr.txt)" = 1 ] || fail "$n x $*: '$text' is not printed once: $(cat stderr.txt)"
	no_timeout "$n x $*"
}

ok simulate --phantom shepp-logan --reduce 20 --rows 6 --photons 1e4 --seed 5 -o scan.nc
