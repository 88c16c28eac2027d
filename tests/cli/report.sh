#!/bin/bash
# gantry recon --report: the page contains settings, notes and figures; an impossible output is refused before the run.
. "$(dirname "$0")/support/lib.sh"

ok simulate --scanner ge-ct750hd --reduce 16 --phantom forbild-head --photons 1e5 --seed 2 -o scan.nc --truth truth.nc --grid 24x20x6@10x12x8
holds_text() { grep -qF -- "$1" page/report.html || fail "'$1' is not in the report"; }
ok recon scan.nc -o out.nc --like truth.nc --solver fdk -q --timings
for stage in start reading "estimate of memory" "direct method" writing all; do
	grep -qE "^ *[0-9]+\.[0-9]{3} s  $stage\$" stderr.txt || fail "--timings lacks '$stage': $(cat stderr.txt)"
done
rm out.nc
only_volume() { nothing_left out.nc "$1"; }

ok recon scan.nc -o out.nc --like truth.nc --solver os-sqs:iterations=4,subsets=3 --penalty 'huber:strength=100,delta=10HU' --report page -q
[ -z "$(cat stderr.txt)" ] || fail "--quiet printed: $(cat stderr.txt)"
for text in "Reconstruction of scan.nc" "before: the analytic method" "after: the iterative method" "start: fdk" "huber:" "4 of 4" "<h2>Cost</h2>" \
	"maximum process memory" "-o out.nc" ">operators and data of the subsets</td>"; do
	holds_text "$text"
done
[ "$(find page -type f | wc -l)" -eq 1 ] || fail "more than the page: $(ls page)"
# An analytic method has one volume and no cost; a second report replaces the first.
ok recon scan.nc -o out.nc --like truth.nc --solver fdk --report page
grep -qF "page/report.html: open it in a browser" stderr.txt || fail "the page is not named: $(cat stderr.txt)"
grep -qF "before: the analytic" page/report.html && fail "an analytic method has a before"
grep -qF "<h2>Cost</h2>" page/report.html && fail "an analytic method has a cost"
holds_text "the volume"
rm out.nc
touch file
refused 2 "is a file, expected a folder" recon scan.nc -o out.nc --like truth.nc --report file
only_volume "--report=file"
refused 1 "absent" recon scan.nc -o out.nc --like truth.nc --report absent/page
only_volume "--report=absent/page"
finish
