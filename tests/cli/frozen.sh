#!/bin/bash
# Reads files of an older version (tests/frozen, made by tests/reference/make_frozen.sh), and continues each solver from its
# checkpoint. Volumes of analytic methods are newer, because the truncation extension has changed.
frozen=$(realpath "$(dirname "$0")/../frozen")
. "$(dirname "$0")/support/lib.sh"
# Instruction sets differ in rounding, and devices in the order of sums. Conjugate directions and bidiagonalisation amplify
# this: 0.1.0 was 1.0e-4 from double precision, so a more accurate result differs from it by at least that amount.
# cgls and lsqr differ by 1.4e-4, ramp by 2.9e-4.
near=1e-5 steep=5e-4
[[ $backend == cpu* ]] || near=1e-3

cp "$frozen"/* .
chmod u+w ./*
ok info volume.nc
says "12x11x2@20x22x8+1,-2,0"
for scan in arc:18 flat:14 helix:36 parallel:18; do
	name=${scan%:*}
	ok info "$name.nc"
	says "views                    ${scan#*:}"
	ok import "$name.nc" -o again.nc
	ok compare again.nc "$name.nc" --max 0
	ok recon "$name.nc" -o direct.nc --like volume.nc --backend "$backend"
	ok compare direct.nc "$name.mha" --relative $near
done

# bits A B: compares two volumes bit by bit.
bits() { "$gantry" compare "$1" "$2" --max 0 >/dev/null 2>&1; }

# If the whole run is bit-identical to the older version, so is the run from the older checkpoint.
solvers=0
while read -r name half whole stop options; do
	read -ra first <<<"${options//=N/=$half}"
	read -ra all <<<"${options//=N/=$whole}"
	[ "$stop" = - ] || first+=(--stop "$stop")
	same=(--like volume.nc --padding no --backend "$backend" --quiet)
	ok recon arc.nc -o whole.mha "${same[@]}" "${all[@]}"
	ok recon arc.nc -o resumed.mha "${same[@]}" "${all[@]}" --resume "$name.ck"
	case $name in cgls | lsqr | ramp) close=$steep ;; *) close=$near ;; esac
	ok compare whole.mha "$name.mha" --relative $close
	ok compare resumed.mha "$name.mha" --relative $close
	if bits whole.mha "$name.mha"; then bits resumed.mha "$name.mha" || fail "$name: resumed from the older checkpoint, other bits than the older run"; fi
	# A checkpoint of its own: the same bits, whatever the older version had.
	ok recon arc.nc -o half.mha "${same[@]}" "${first[@]}" --checkpoint own.ck
	if bits half.mha whole.mha; then fail "$name: nothing is left to do after the checkpoint"; fi
	ok recon arc.nc -o resumed.mha "${same[@]}" "${all[@]}" --resume own.ck
	ok compare resumed.mha whole.mha --max 0
	rm own.ck
	solvers=$((solvers + 1))
done < <(grep -v '^#' "$frozen/runs.txt")
[ $solvers -ge 11 ] || fail "$solvers runs in runs.txt, expected 11 or more"
finish
