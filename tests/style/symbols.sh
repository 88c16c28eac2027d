#!/bin/bash
# The library exports what its public headers mark GT_API, and nothing else. Usage: symbols.sh ROOT BUILD; exits 2 if the check itself is broken.
set -u
if ! command -v python3 >/dev/null || ! command -v nm >/dev/null; then
	echo "no python3, or no nm"
	exit 77
fi
exec python3 -B "$(dirname "$0")/symbols.py" "${1:?usage: symbols.sh ROOT BUILD}" "${2:?usage: symbols.sh ROOT BUILD}"
