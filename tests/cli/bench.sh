#!/bin/bash
# The smallest workloads run, and the table is valid JSON with figures.
. "$(dirname "$0")/support/lib.sh"

ok bench --workload quick --repeat 2 --every 2 --backend "$backend" --json -o bench.json
cmp -s <(printf '%s\n' "$out") bench.json || fail "--json and --output differ"
for operation in forward back direct iteration; do
	says "\"operation\":	\"$operation\""
done
holds "$(value ms) > 0 && $(value gups) > 0 && $(value peak_bytes) > 0"
# What a workload cannot do is a line of the table.
ok bench --workload quick-flat --operation iteration --solver os-sart:subsets=40 --repeat 1 --every 9 --backend "$backend"
says "subsets=40"
refused 2 "did you mean 'os-sart'" bench --solver os-srt
ok bench --workload quick-flat --operation forward --repeat 1 --every 9 --backend "$backend"
says "quick-flat     forward"
finish
