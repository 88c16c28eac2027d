#!/bin/bash
# Tunes problems of every kind. Each kernel is searched, then timed in a new process, tuned and built-in in turn: no tuned kernel may be
# more than 1 % slower. Usage: tuner_workloads.sh GANTRY RESULTS [SECONDS_OF_ALL [SECONDS_OF_EACH [WORKLOADS [KERNELS]]]]; lists with
# commas. Default: dd on all, sf-tr and joseph on seven, the published forms of fdk on two; 540 and 8 s. RESULTS: logs, results.csv,
# again.csv. A repeated call continues after the entries in RESULTS. Needs an NVIDIA GPU and NVRTC, else exits with 77; 1: a tuned kernel is
# slower; 3: not finished in time.
set -u -o pipefail
usage="usage: tuner_workloads.sh GANTRY RESULTS [SECONDS_OF_ALL [SECONDS_OF_EACH [WORKLOADS [KERNELS]]]]"
gantry=${1:?$usage} results=${2:?$usage} all=${3:-540} each=${4:-8}
end=$((SECONDS + all)) late=0
minutes() { awk -v s="$1" 'BEGIN { printf "%.4f", s / 60 }'; }
"$gantry" devices | grep -q '^cuda:' || { echo "no NVIDIA GPU here: gantry tune searches on one"; exit 77; }

# search WORKLOADS KERNELS: within the remaining time
search() {
	local said left=$((end - SECONDS))
	[ $left -gt 0 ] || { late=1; return; }
	said=$("$gantry" tune --folder "$results" --workload "$1" --kernel "$2" --minutes "$(minutes "$each")" --within "$(minutes $left)" \
		--no-keep | tee /dev/stderr) || exit 1
	! grep -q 'the same command goes on' <<<"$said" || late=1
}
# Sizes that fit no tile, views of a subset, a C-arm (dd has untuned kernels for the slightly tilted detector of rabbit512; c-arm is the
# same without tilt).
odd="odd-101,odd-16,step-2.5,rabbit512,c-arm,ge-hd:every=50"
# few rows and thin volumes, long ones, flat and curved, a helix
rest="ge-hd,ge-hd:every=12,ge-hd:every=24,ge-hd-helical,cube512,cube512:every=12,cube1024:every=20,odd-16x1,odd-512,odd-flat,odd-2048:every=4,odd-helix,step-0.4,step-1.6,step-arc"
if [ $# -gt 4 ]; then
	search "$5" "${6:-dd-forward,dd-back}"
else
	search "$odd,$rest" dd-forward,dd-back
	search "$odd,cube512:every=12" sf-forward,sf-back,joseph-forward,joseph-back
	search rabbit512,cube512 fdk-published
fi

# Measures the chosen variants again. A line of results.csv: names have no commas, variants no quotation marks.
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
