# shellcheck shell=bash
# Common functions of the command tests. A test sources it with the path of the command as $1:
# `. "$(dirname "$0")/support/lib.sh"`. It then runs in an empty folder, which is removed at the end.
set -u
# shellcheck disable=SC2034
backend=${GT_BACKEND:-cpu}
gantry=$(realpath "$1")
[ -x "$gantry" ] || { echo "$1: no such command"; exit 1; }
support=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
# Fontconfig caches its tables.
LSAN_OPTIONS=suppressions=$support/lsan.txt:print_suppressions=0
export LSAN_OPTIONS
work=$(mktemp -d)
trap 'cd / && chmod -R u+w "$work" && rm -rf "$work"' EXIT
cd "$work" || exit 1
# C locale; neither tuned kernels nor cached load fractions of the user change the computation.
export LC_ALL=C TZ=UTC XDG_CACHE_HOME=$work/.cache
failures=0

fail() {
	printf 'FAILED: %s\n' "$*"
	failures=$((failures + 1))
}

# ok ARGUMENTS: the command succeeds. Its output is in $out.
ok() {
	out=$("$gantry" "$@" 2>stderr.txt)
	local code=$?
	[ $code -eq 0 ] || fail "gantry $* gave $code: $(cat stderr.txt)"
}

# refused CODE TEXT ARGUMENTS: exits with this code and prints the text to stderr.
refused() {
	local want=$1 text=$2 code
	shift 2
	out=$("$gantry" "$@" 2>stderr.txt)
	code=$?
	[ $code -eq "$want" ] || fail "gantry $* gave $code, expected $want: $(cat stderr.txt)"
	grep -qF -- "$text" stderr.txt || fail "gantry $*: '$text' is not in the message: $(cat stderr.txt)"
}

# refused_output CODE TEXT ARGUMENTS: like refused, and leaves no out.nc.
refused_output() {
	refused "$@" -o out.nc
	nothing_left out.nc "$*"
}

# nothing_left FILE WHY: neither the file nor a temporary one exists.
nothing_left() {
	local left
	left=$(find . -name "*$1*")
	[ -z "$left" ] || fail "$2: left $left"
	find . -name "*$1*" -delete
}

# caught SIGNAL FILES CONDITION ARGUMENTS: sends the signal when the bash condition holds; the exit code is in $code. A command that
# ended before is repeated without the FILES (a pattern), on fast and on loaded machines, in the same initial state.
caught() {
	local signal=$1 files=$2 condition=$3 job
	shift 3
	for _ in {1..50}; do
		# shellcheck disable=SC2086 # a pattern
		rm -rf $files
		env --default-signal=INT,TERM "$gantry" "$@" >/dev/null 2>stderr.txt &
		job=$!
		until eval "$condition" || ! kill -0 $job 2>/dev/null; do sleep 0.01; done
		kill -"$signal" $job 2>/dev/null
		wait $job 2>/dev/null
		code=$?
		[ $code -eq 0 ] || return 0
	done
	fail "SIG$signal: gantry $* was always over too soon: $(cat stderr.txt)"
}

# says TEXT: the output of the last ok contains the text.
says() { grep -qF -- "$1" <<<"$out" || fail "'$1' is not in: $out"; }

# value KEY: a number of the last JSON output.
value() { sed -n "s/.*\"$1\":[[:space:]]*\\([-+0-9.eE]*\\).*/\\1/p" <<<"$out" | head -1; }

# holds EXPRESSION: true in awk, e.g. holds "$rmse < 0.1".
holds() { awk "BEGIN { exit !($1) }" || fail "not true: $1${2:+ ($2)}"; }

# short_memory ARGUMENTS: sets $little, a limit (--host-memory) 4 MB below what this run needs. The limit of the dry run is small, because
# free memory below it would count instead.
short_memory() {
	local needs free
	ok "$@" --host-memory 256MiB --dry-run --json
	needs=$(sed -n 's/.*"peak":[[:space:]]*\([0-9.e+]*\),.*/\1/p' <<<"$out" | tail -n 1)
	free=$(sed -n 's/.*"free":[[:space:]]*\([0-9.e+]*\),.*/\1/p' <<<"$out" | tail -n 1)
	if [ -z "$needs" ] || [ -z "$free" ]; then
		fail "the dry run of gantry $* states no memory: $out"
		exit 1
	fi
	# shellcheck disable=SC2034
	little=$(awk "BEGIN { printf \"%.0f\", 256 * 1024^2 - $free + $needs - 4e6 }")
}

skip() {
	[ $failures -eq 0 ] || exit 1
	printf 'skipped: %s\n' "$*"
	exit 77
}

finish() {
	[ $failures -eq 0 ] || exit 1
	exit 0
}
