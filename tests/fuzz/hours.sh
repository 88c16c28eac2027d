#!/bin/bash
# Sums the processor hours of hours.txt that count for the current sources (sources.sh). Prints executions, edges, hours and findings per
# harness of readers and in total. Exits with 1 if the total is below LEAST hours, or if there were findings.
# Usage: hours.sh [LEAST]
set -euo pipefail
least=${1:-24}
[[ $least =~ ^[0-9]+(\.[0-9]+)?$ ]] || { echo "hours.sh: '$least': expected hours" >&2 && exit 2; }
here=$(realpath "$(dirname "$0")")
"$here/sources.sh" | awk -v least="$least" -v list="$here/hours.txt" '
	BEGIN { while ((getline line <list) > 0) if (line !~ /^#/ && split(line, f, " ") == 7) {
			k = f[2] " " f[3]; hours[k] += f[4]; runs[k] += f[5]; if (f[6] > edges[k]) edges[k] = f[6]; found[k] += f[7]; old[f[2]] += f[4] }
		printf "%-18s %12s %8s %8s %6s  %s\n", "harness", "executions", "edges", "cpu h", "found", "hours at other sources" }
	{ k = $1 " " $2; printf "%-18s %12d %8d %8.3f %6d  %.3f\n", $1, runs[k], edges[k], hours[k], found[k], old[$1] - hours[k]; h += hours[k]; r += runs[k]; n += found[k] }
	END { printf "all: %d executions in %.2f processor hours, %d found\n", r, h, n; exit h < least || n > 0 }'
