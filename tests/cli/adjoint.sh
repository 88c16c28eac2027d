#!/bin/bash
# The pairs are exactly adjoint for every detector and orbit that simulate makes.
. "$(dirname "$0")/support/lib.sh"

check() { # NAME SIMULATE-OPTIONS
	local name=$1 precision
	shift
	ok simulate --geometry-only "$@" -o "$name.nc"
	for precision in single double; do
		ok adjoint "$name.nc" --precision $precision --backend "$backend"
		says elements
	done
}
check arc --reduce 16 --column-offset 1.25 --spot '0.6,0,0;-0.6,0,0'
check helix --scanner ge-ct750hd-helical --reduce 16 --row-offset 0.3
check flat --scanner c-arm --reduce 24
check parallel --detector parallel --columns 40 --rows 6 --views 30 --column-pitch 6 --row-pitch 5 --column-offset -0.7

ok adjoint arc.nc --grid 20x16x6@9x9x5+31,-17,3 --json --coarse-only --backend "$backend"
holds "$(value element_difference) <= 1e-5"
holds "$(value largest_entry_mm) > 0.1"
finish
