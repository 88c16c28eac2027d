#!/bin/bash
# Runs each harness for SECONDS, one per processor, and prints a summary. Findings are in BUILD/fuzz/found: add them to tests/fuzz/corpus
# with the fix. Usage: run.sh BUILD SECONDS [HARNESS...]
set -u
build=$(realpath "${1:?usage: run.sh BUILD SECONDS [HARNESS...]}")
seconds=${2:?usage: run.sh BUILD SECONDS [HARNESS...]}
shift 2
here=$(realpath "$(dirname "$0")")
mkdir -p "$build/fuzz/found" "$build/fuzz/files"
TMPDIR=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)")
trap 'rm -rf "$TMPDIR"' EXIT
export build seconds here TMPDIR
export ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export LSAN_OPTIONS=suppressions=$here/leaks.txt:print_suppressions=0

one() { # HARNESS: a line of the table; what is invented stays in BUILD/fuzz/HARNESS for the next time; a child that tries a file may take 20 s
	local log=$build/fuzz/$1.log code most=40000 words=() what=
	[[ $1 == made_* || $1 == read_geometry ]] && most=600
	[ ! -f "$here/words/$1" ] || words=(-dict="$here/words/$1")
	mkdir -p "$build/fuzz/$1"
	"$build/tests/fuzz_$1" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 -max_len=$most -len_control=0 "${words[@]}" -print_final_stats=1 \
		-artifact_prefix="$build/fuzz/found/$1-" "$build/fuzz/$1" "$here/corpus/$1" >"$log" 2>&1
	code=$?
	[ $code -eq 0 ] || what=$(grep -E '^fuzz:|runtime error|SUMMARY|ERROR' "$log" | head -1)
	printf '%-18s %10s %8s  %s\n' "$1" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -c6-)" "$what"
	return $code
}
export -f one

[ $# -gt 0 ] || for source in "$here"/read_*.c "$here"/made_*.c "$here"/parse_*.c; do set -- "$@" "$(basename "$source" .c)"; done
printf '%-18s %10s %8s  %s\n' harness executions edges "found in $seconds s each"
printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} bash -c 'one {} || exit 1'
code=$?
[ $code -eq 0 ] || echo "what was found: $build/fuzz/found; whole messages: $build/fuzz/*.log"
[ $code -eq 0 ]
