#!/bin/bash
# Runs faults.sh on many processors: every call of every command fails once; commands and kinds are split into parts. Prints a table of
# outcomes, also in OUT/table.txt, with messages of failures in OUT/failed.txt. "wrong" is exit code 0 with other data. With SECONDS no part
# starts later; the table reports omitted parts. SAMPLES as in faults.sh; 0: all.
# Usage: all_at_once.sh GANTRY fail_nth.so OUT [PROCESSORS [SECONDS [SAMPLES [KINDS]]]]
set -euo pipefail
usage="usage: all_at_once.sh GANTRY fail_nth.so OUT [PROCESSORS [SECONDS [SAMPLES [KINDS]]]]"
gantry=$(realpath "${1:?$usage}")
fault=$(realpath "${2:?$usage}")
out=$(realpath -m "${3:?$usage}")
processors=${4:-$(nproc)}
end=$(($(date +%s) + ${5:-1000000}))
samples=${6:-0}
kinds=${7:-alloc read system write netcdf hdf5}
here=$(realpath "$(dirname "$0")")
rm -rf "$out/parts" && mkdir -p "$out/parts"
# files of the runs in shared memory, if available
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
# number of calls of each command and kind; a part has at most 400
"$here/faults.sh" "$gantry" "$fault" 0 "" "$kinds" count >"$out/calls.txt" || { cat "$out/calls.txt" >&2 && exit 1; }
# escapes regular expressions
escaped() { awk '{ gsub(/[][\\.*^$+?(){}|]/, "\\\\&"); print }' <<<"$1"; }
one() { # COMMAND KIND PART NAME
	[ "$(date +%s)" -lt "$end" ] || { echo "left out" >"$out/parts/$4" && return 0; }
	local pattern
	pattern=$(escaped "$1")
	"$here/faults.sh" "$gantry" "$fault" "$samples" "^$pattern\$" "$2" "$3" >"$out/parts/$4" 2>&1 || true
}
export -f one escaped
export gantry fault samples out here end
# library allocations are numerous: they come last, spread evenly over the commands
awk -v samples="$samples" '{ kind = $1; calls = samples && samples < $2 ? samples : $2; sub(/^[^ ]+ [^ ]+ /, ""); parts = int((calls + 399) / 400)
	for (p = 0; p < parts; p++) printf "%d\t%s\t%s\t%d/%d\t%d-%s-%d\n", kind == "hdf5" ? 1000000 * (1 + p / parts) : p, $0, kind, p, parts, NR, kind, p }' "$out/calls.txt" |
	sort -s -n | cut -f2- | tr '\t\n' '\0\0' | xargs -0 -n 4 -P "$processors" bash -c 'one "$@"' _
{
	printf '%-6s %8s %8s %8s %8s %8s %8s %8s %7s  %s\n' kind calls tries told wrong other crashes 'of libs' parts command
	n=0
	while read -r kind calls line; do
		n=$((n + 1))
		[ "$calls" -gt 0 ] || continue
		cat "$out/parts/$n-$kind-"* | awk -v kind="$kind" -v calls="$calls" -v command="$line" '
			/^[0-9]+ commands, / { parts++; tries += $3; told += $5; libs += $9; next }
			/^left out/ { without++; next }
			/^FAILED: .*exit code 0, and other data/ { wrong++; next }
			/^FAILED: .*: crashed in / { crashed++; next }
			/^FAILED: / { other++ }
			END { printf "%-6s %8d %8d %8d %8d %8d %8d %8d %3d/%-3d  %s\n", kind, calls, tries, told, wrong, other, crashed, libs, parts, parts + without, command }'
	done <"$out/calls.txt" | tee "$out/rows.txt"
	awk '{ for (k = 2; k <= 8; k++) n[k] += $k; split($9, p, "/"); done += p[1]; all += p[2] }
		END { printf "all: %d calls, %d tries, %d told, %d of exit code 0 with other data, %d other faults, %d crashes of Gantry, %d of libraries; %d of %d parts\n", n[2], n[3], n[4], n[5], n[6], n[7], n[8], done, all }' "$out/rows.txt"
} >"$out/table.txt"
cat "$out/parts/"* | grep -A3 '^FAILED' >"$out/failed.txt" || true
cat "$out/table.txt"
[ ! -s "$out/failed.txt" ]
