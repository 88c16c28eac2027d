#!/bin/bash
# Words and things that no tracked file may hold. Usage: words.sh ROOT [BUILD]
set -u
cd "${1:?usage: words.sh ROOT}" || exit 2
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "not a clone: nothing to ask git"; exit 77; }

bad=0
# found WHY PATTERN [PATHS]: prints the lines of tracked text files that match.
found() {
	local why=$1 pattern=$2
	shift 2
	git grep -nIE "$pattern" -- "$@" ':!tests/style/words.sh' && { echo "^ $why"; bad=1; }
}
found "unfinished work belongs in an issue" '\b(TODO|FIXME|XXX|HACK)\b' .
found "a path of one machine" '(^|[^A-Za-z0-9._/-])/(work|home|root|Users)/|\.\./shared' . ':!.ci/run'
found "trailing blanks" '[[:blank:]]+$' '*.c' '*.h' '*.cpp' '*.cu' '*.sh' '*.py' '*.cmake' 'CMakeLists.txt' run .ci/run
mapfile -t library < <(awk '$2 ~ /^[0-3]$/ { print $1 }' cmake/rooms.txt)
[ ${#library[@]} -gt 0 ] || { echo "cmake/rooms.txt names no room of the library"; exit 2; }
found "the library neither prints, exits nor aborts" '\b(printf|puts|putchar|perror|exit|abort|assert) ?\(|\bfprintf ?\((stdout|stderr)' \
	include "${library[@]}"
found "one C, one dialect" '#pragma once|\btypedef .*_t;' '*.h'

size=$(git ls-files -z | xargs -0 stat -c '%s %n' 2>/dev/null | awk '$1 > 400000')
[ -n "$size" ] && { echo "$size"; echo "^ too large for the repository"; bad=1; }
exit $bad
