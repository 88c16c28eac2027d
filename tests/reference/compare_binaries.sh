#!/bin/bash
# Whether two versions of the command compute the same numbers, to the bit, in every command of the scripts of tests/cli.
# Usage: compare_binaries.sh [OPTIONS] OLD_GANTRY NEW_GANTRY TESTS_CLI_FOLDER [SCRIPT...]
#   --report FOLDER     where report.txt (a line per command) and differences.txt go (default: a new folder of /tmp, which is named)
#   --threads N         on N threads of the CPU, where the command takes a number and was given none
#   --jobs N            N scripts at the same time (default 1)
#   --allow-strength    where a penalty's strength is found, arrays may differ by 1e-6 of their largest number
# The folder is that of the old version, and SCRIPT a name in it (pipeline.sh). The same processor, please, for both: other
# instructions round in another way. Text that files hold (text) and that commands say (said) is compared and told, but words may
# change; exit codes and arrays may not. Exit 1 if any differ, 2 if nothing could be compared.
set -u

stop() {
	echo "compare_binaries.sh: $*" >&2
	exit 2
}

report='' jobs=1
export REFERENCE_THREADS='' REFERENCE_ALLOW=''
while [[ ${1:-} == --* ]]; do
	case $1 in
	--report) report=${2:?} && shift ;;
	--threads) REFERENCE_THREADS=${2:?} && shift ;;
	--jobs) jobs=${2:?} && shift ;;
	--allow-strength) REFERENCE_ALLOW=yes ;;
	*) stop "unknown option $1" ;;
	esac
	shift
done
[ $# -ge 3 ] || stop "expected OLD_GANTRY NEW_GANTRY TESTS_CLI_FOLDER"
here=$(realpath "$(dirname "$0")")
REFERENCE_OLD=$(realpath "$1") REFERENCE_NEW=$(realpath "$2") scripts=$(realpath "$3")
export REFERENCE_OLD REFERENCE_NEW REFERENCE_PATH=$PATH
for file in "$REFERENCE_OLD" "$REFERENCE_NEW"; do
	[ -x "$file" ] || stop "$file: no such command"
done
shift 3
[ $# -gt 0 ] || mapfile -t names < <(cd "$scripts" && ls -- *.sh)
[ $# -eq 0 ] || names=("$@")
for name in "${names[@]}"; do
	[ -x "$scripts/$name" ] || stop "$scripts/$name: no such script"
done

work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
report=${report:-$(mktemp -d)}
mkdir -p "$report" || exit 2
: >"$report/report.txt"
: >"$report/differences.txt"
export REFERENCE_HASH=$work/hash_arrays
read -ra flags <<<"$(pkg-config --cflags --libs netcdf zlib)"
"${CC:-cc}" -std=c11 -O2 -D_GNU_SOURCE -I"$here/../.." "$here"/{hash_arrays,read_contents,read_netcdf}.c -o "$REFERENCE_HASH" "${flags[@]}" -lm || stop "hash_arrays could not be built"

# The module of RabbitCT lies near the command that it was built with.
module_of() { find "$(dirname "$1")" "$(dirname "$1")/../lib" -name libgantry_rabbitct.so 2>/dev/null | head -n 1; }
REFERENCE_OLD_MODULE=$(module_of "$REFERENCE_OLD") REFERENCE_NEW_MODULE=$(module_of "$REFERENCE_NEW")
REFERENCE_RUNNER=$work/rabbitct_runner
"${CC:-cc}" -std=c11 -D_GNU_SOURCE "$scripts/../rabbitct/runner.c" -o "$REFERENCE_RUNNER" -ldl -lm || stop "the runner of RabbitCT could not be built"
export REFERENCE_OLD_MODULE REFERENCE_NEW_MODULE REFERENCE_RUNNER
read -r stat <"/proc/$$/stat"
read -r _ _ REFERENCE_GROUP _ <<<"${stat##*) }"
export REFERENCE_GROUP

: >"$work/no-input"
for kind in gantry runner; do
	printf '#!/bin/bash\nexec "%s/both.sh" %s "$@"\n' "$here" $kind >"$work/$kind"
	chmod +x "$work/$kind"
done

# run_script NAME: with its own folders. A shell has what it runs in the background ignore signals: env undoes that.
run_script() {
	local state=$work/$1.state code
	mkdir "$state" "$work/$1.tmp"
	: >"$state/report"
	: >"$state/differences"
	REFERENCE_STATE=$state REFERENCE_SCRIPT=$1 TMPDIR=$work/$1.tmp env --default-signal=INT,QUIT \
		"$scripts/$1" "$work/gantry" "$work/runner" "${REFERENCE_OLD_MODULE:-none}" <"$work/no-input" >"$state/said" 2>&1
	code=$?
	{
		cat "$state/report"
		echo "# $1: exit $code after $SECONDS s$([ $code -eq 0 ] || echo ": $(tail -n 1 "$state/said")")"
	} >>"$report/report.txt"
	cat "$state/differences" >>"$report/differences.txt"
	printf '%-24s exit %3d, %4d commands, %d different\n' "$1" $code "$(wc -l <"$state/report")" "$(grep -c '^DIFFERENT' "$state/report")"
	chmod -R u+w "$state" "$work/$1.tmp" && rm -rf "$state" "$work/$1.tmp"
}

running=0
for name in "${names[@]}"; do
	[ $running -lt "$jobs" ] || { wait -n; running=$((running - 1)); }
	run_script "$name" &
	running=$((running + 1))
done
wait

awk '
	/^#/ { next }
	/^skipped/ { skipped++; next }
	{ n++; if (!match($0, /files [0-9]+/)) next; files += substr($0, RSTART + 6, RLENGTH - 6) }
	match($0, /arrays [0-9]+/) { arrays += substr($0, RSTART + 7, RLENGTH - 7) }
	/^DIFFERENT/ { different++ }
	/  text differs  / { text++ }
	/  said differs  / { said++ }
	END {
		printf "%d commands, %d files, %d arrays: %d different; text differs in %d, what is said in %d; %d not compared (killed, or limited)\n",
			n, files, arrays, different, text, said, skipped
		exit n == 0 ? 2 : different > 0
	}' "$report/report.txt"
code=$?
echo "report: $report/report.txt, $report/differences.txt"
exit $code
