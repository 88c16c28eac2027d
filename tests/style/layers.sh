#!/bin/bash
# Who may include whom (docs/design.md). Usage: layers.sh ROOT [BUILD]
# Prints every include that the table does not allow and exits 1; exits 2 if the check itself is broken.
set -u

allowed() {
	case $1 in
	core) echo core ;;
	projectors | analytic | regularizers | io | phantoms | solvers) echo "core|$1" ;;
	apps | tests) echo "core|projectors|analytic|regularizers|io|phantoms|solvers|$1" ;;
	esac
}

# Includes from the root name a room that this one may see; nothing climbs up or reaches into a source.
check() {
	local bad=0 room
	for room in core projectors analytic regularizers io phantoms solvers apps tests; do
		[ -d "$1/$room" ] || continue
		grep -rnE --include='*.[ch]' --include='*.cpp' --include='*.cu' --include='*.def' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$1/$room" |
			grep -vE "\"($(allowed $room))/[^\"]*\.(h|def)\"" && bad=1
	done
	grep -rnE --include='*.cu' '^' "$1/solvers" 2>/dev/null | head -n 1 | grep . && bad=1
	grep -rnE --include='*.[ch]' --include='*.cpp' --include='*.cu' '"[^"]*\.\./|GT_HAVE_CUDA' "$1"/{core,projectors,analytic,regularizers,io,phantoms,solvers,apps} 2>/dev/null |
		grep -vE "^$1/core/backend\.h:[0-9]+:.*GT_HAVE_CUDA" && bad=1
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
	seed fine apps/main.c '#include "io/format.h"'
	seed fine core/backend.h '#ifdef GT_HAVE_CUDA'
	check "$dir/fine" >/dev/null || { echo "layers.sh refuses a correct tree"; exit 2; }

	seed up core/array.c '#include "solvers/solver.h"'
	seed strangers projectors/dd/dd.c '#include "io/format.h"'
	seed solver solvers/cgls.c '#include "projectors/projector.h"'
	seed app phantoms/body.c '  #  include "apps/cli.h"'
	seed beside core/array.c '#include "array.h"'
	seed climb core/array.c '#include "../io/format.h"'
	seed source core/array.c '#include "core/linop.c"'
	seed kernel solvers/cgls_cuda.cu '__global__ void k(void);'
	seed conditional analytic/fdk/fdk.c '#ifdef GT_HAVE_CUDA'
	local tree
	for tree in up strangers solver app beside climb source kernel conditional; do
		check "$dir/$tree" >/dev/null && { echo "layers.sh does not see the fault in its tree '$tree'"; exit 2; }
	done
	return 0
}

self_test
check "${1:?usage: layers.sh ROOT}"
