#!/bin/bash
# Who may include whom (docs/design.md). Usage: layers.sh ROOT [BUILD]
# Prints every include that the table does not allow and exits 1; exits 2 if the check itself is broken.
set -u

rooms="core geometry projectors analytic regularizers io phantoms solvers metrics recon"

# What may stand between the quotes of an include: rooms whose private headers this one may see. All may see <gantry/...>.
allowed() {
	case $1 in
	core) echo core ;;
	geometry) echo "core|geometry" ;;
	projectors | analytic | regularizers | io | phantoms | solvers | metrics | recon) echo "core|geometry|$1" ;;
	apps) echo apps ;;
	tests) echo "${rooms// /|}|tests" ;;
	esac
}

# Includes from the root name a room that this one may see; nothing climbs up or reaches into a source; public headers see public ones alone.
check() {
	local bad=0 room
	for room in $rooms apps tests; do
		[ -d "$1/$room" ] || continue
		grep -rnE --include='*.[ch]' --include='*.cpp' --include='*.cu' --include='*.cuh' --include='*.inc' --include='*.def' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$1/$room" |
			grep -vE "\"($(allowed $room))/[^\"]*\.(h|cuh|inc|def)\"" && bad=1
	done
	grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$1/include" 2>/dev/null && bad=1
	grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<gantry/(scan|grid|data|projector|scan_math)\.h>' "$1/core" 2>/dev/null && bad=1
	grep -rnE --include='*.cu' '^' "$1/solvers" 2>/dev/null | head -n 1 | grep . && bad=1
	for room in $rooms apps; do
		[ -d "$1/$room" ] || continue
		grep -rnE --include='*.[ch]' --include='*.cpp' --include='*.cu' --include='*.cuh' --include='*.inc' '"[^"]*\.\./|GT_HAVE_CUDA' "$1/$room" |
			grep -vE "^$1/core/device/backend\.h:[0-9]+:.*GT_HAVE_CUDA" && bad=1
	done
	return $bad
}

# The check must find what it looks for: each of these trees holds one known fault, the first none.
self_test() {
	dir=$(mktemp -d) || exit 2
	trap 'rm -rf "$dir"' EXIT
	seed() { # NAME FILE LINE
		mkdir -p "$dir/$1/$(dirname "$2")" && echo "$3" >"$dir/$1/$2"
	}
	seed fine projectors/dd/dd.c '#include "projectors/dd/dd.h"'
	seed fine apps/main.c '#include <gantry/io.h>'
	seed fine recon/recon.c '#include "geometry/vec3.h"'
	seed fine core/device/backend.h '#ifdef GT_HAVE_CUDA'
	check "$dir/fine" >/dev/null || { echo "layers.sh refuses a correct tree"; exit 2; }

	seed up core/array.c '#include "solvers/solver.h"'
	seed strangers projectors/dd/dd.c '#include "io/format.h"'
	seed solver solvers/cgls.c '#include "projectors/projector.h"'
	seed app phantoms/body.c '  #  include "apps/cli.h"'
	seed beside core/array.c '#include "array.h"'
	seed climb core/array.c '#include "../io/format.h"'
	seed source core/array.c '#include "core/linop.c"'
	seed public include/gantry/array.h '#include "core/device/backend.h"'
	seed scan core/array.c '#include <gantry/scan.h>'
	seed private apps/main.c '#include "io/sink.h"'
	seed engine recon/recon.c '#include "analytic/fbp/fbp.h"'
	seed kernel solvers/cgls_cuda.cu '__global__ void k(void);'
	seed conditional analytic/fdk/fdk.c '#ifdef GT_HAVE_CUDA'
	local tree
	for tree in up strangers solver app beside climb source public scan private engine kernel conditional; do
		check "$dir/$tree" >/dev/null && { echo "layers.sh does not see the fault in its tree '$tree'"; exit 2; }
	done
	return 0
}

self_test
check "${1:?usage: layers.sh ROOT}"
