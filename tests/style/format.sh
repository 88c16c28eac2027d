#!/bin/bash
# .clang-format decides how sources look; headers keep their hand-made columns. One process checks many files: most of the time is its start.
# Usage: format.sh ROOT [BUILD] names the files that differ, `format.sh ROOT fix` formats them; exits 2 if the check itself is broken.
set -u
cd "${1:?usage: format.sh ROOT}" || exit 2
tool=$(command -v clang-format-14 || command -v clang-format) || { echo "no clang-format"; exit 77; }
"$tool" --version | grep -q 'version 14' || { echo "versions differ in taste: clang-format 14 is needed"; exit 77; }

# each ARGUMENTS: clang-format with these arguments on every source below the current folder.
each() { find . -path './build*' -prune -o \( -name '*.c' -o -name '*.cpp' -o -name '*.cu' \) -print0 | xargs -0 -n 100 "$tool" "$@"; }
# check: prints a line for each file that differs and fails; prints the complaint if clang-format itself fails.
check() {
	local said
	said=$(each --dry-run -Werror 2>&1) && return
	sed -n 's/^\(.*\):[0-9]*:[0-9]*: error: code should be clang-formatted.*/\1 is not as clang-format lays it out: .\/run format/p' <<<"$said" | sort -u | grep . || echo "$said"
	return 1
}

if [ "${2:-}" = fix ]; then
	each -i
	exit
fi

dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cp .clang-format "$dir/" && mkdir "$dir/core" && echo 'int twice(int a) { return 2 * a; }' >"$dir/core/fine.c" || exit 2
(cd "$dir" && check) || { echo "format.sh refuses a source that is laid out"; exit 2; }
echo 'int twice(int a) {return 2*a;}' >"$dir/core/fault.cu"
(cd "$dir" && check) | grep -q '^./core/fault.cu ' || { echo "format.sh does not see a source that is not laid out"; exit 2; }
check
