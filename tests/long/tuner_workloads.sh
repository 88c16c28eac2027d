#!/bin/bash
# The tuner on twenty problems: each kernel searched, then in a process of its own, as tuned against as built in, in turn: none may be slower
# by more than 1 %. Usage: tuner_workloads.sh GANTRY RESULTS [SECONDS_OF_ALL [SECONDS_OF_EACH [WORKLOADS [KERNELS]]]]; lists with commas,
# by default all, both directions of dd; 540 and 8 s. RESULTS: logs, results.csv, again.csv. What has its line there is done: called again it
# goes on. Takes an NVIDIA GPU and NVRTC, else it exits 77; 1: a tuned kernel is slower; 3: time was up before all was done.
set -u -o pipefail
usage="usage: tuner_workloads.sh GANTRY RESULTS [SECONDS_OF_ALL [SECONDS_OF_EACH [WORKLOADS [KERNELS]]]]"
gantry=${1:?$usage} results=${2:?$usage} all=${3:-540} each=${4:-8}
# Views of a subset, few rows and thin volumes, sizes that fit no tile, flat and curved, as matrices, a helix.
workloads=${5:-ge-hd,ge-hd:every=12,ge-hd:every=24,ge-hd:every=50,ge-hd-helical,cube512,cube512:every=12,cube1024:every=20,odd-101,odd-16,odd-16x1,odd-512,odd-flat,odd-2048:every=4,odd-helix,step-0.4,step-1.6,step-2.5,step-arc,rabbit512}
kernels=${6:-dd-forward,dd-back}
end=$((SECONDS + all))
minutes() { awk -v s="$1" 'BEGIN { printf "%.4f", s / 60 }'; }
"$gantry" devices | grep -q '^cuda:' || { echo "no NVIDIA GPU here: gantry tune searches on one"; exit 77; }
said=$("$gantry" tune --folder "$results" --workload "$workloads" --kernel "$kernels" --minutes "$(minutes "$each")" \
	--within "$(minutes "$all")" --no-keep | tee /dev/stderr) || exit 1
late=$(grep -c 'the same command goes on' <<<"$said")

# What was chosen, once more. A line of results.csv: names have no commas, variants no quotation marks.
again=$results/again.csv
[ -s "$again" ] || echo "workload,kernel,built-in [ms],tuned [ms],gain" >"$again"
while IFS=, read -r workload _ kernel _ _ gain _ _ _ rest; do
	variant=${rest#\"} variant=${variant%%\"*}
	if [ -z "$gain" ] || [ "$variant" = built-in ]; then continue; fi
	grep -q "^$workload,$kernel," "$again" && continue
	[ $((end - SECONDS)) -gt 12 ] || { late=1; break; }
	problem=${workload/-every/:every=}
	said=$("$gantry" tune --workload "$problem" --kernel "$kernel" --candidate "$variant" </dev/null) || { echo "$workload, $kernel: $variant: fails"; exit 1; }
	awk -v name="$workload,$kernel" '{ printf "%s,%s,%s,%.4f\n", name, $4, $1, $4 / $1 }' <<<"$said" | tee -a "$again"
done < <(tail -n +2 "$results/results.csv")
awk -F, 'NR > 1 && $5 < 0.99 { print "slower than the built-in kernel: " $0; bad = 1 } END { exit bad }' "$again" || exit 1
[ "$late" = 0 ] || exit 3
