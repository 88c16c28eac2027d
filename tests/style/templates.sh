#!/bin/bash
# The C templates of docs/adding.md compile without warnings, and the library defines the functions that they call. Usage: templates.sh ROOT BUILD;
# exits 2 if the check itself is broken. tests/long/module.sh also builds and runs them.
set -u
root=${1:?usage: templates.sh ROOT BUILD} build=${2:?usage: templates.sh ROOT BUILD}
archive=$build/libgantry_private.a how=--defined-only
# a library for shared tests exports all functions
[ -f "$archive" ] || archive=$build/libgantry.so how="-D --defined-only"
if ! command -v nm >/dev/null || [ ! -f "$archive" ]; then
	echo "no nm, or no library in $build"
	exit 77
fi
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
# shellcheck disable=SC2086 # options
nm $how "$archive" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u >"$dir/defined"
grep -qx gt_volume_new "$dir/defined" || { echo "$archive does not define gt_volume_new"; exit 2; }
grep -qx gt_volume_check "$dir/defined" || { echo "$archive exports public functions alone"; exit 77; }

# check PAGE: prints what is wrong with the templates of a page
check() {
	local path line
	while IFS=: read -r line path; do
		case $path in *.c) ;; *) continue ;; esac
		tail -n +"$((line + 1))" "$1" | sed '/^```/,$d' >"$dir/template.c"
		if ! "${compiler:-cc}" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror -I "$root" -I "$root/include" -c "$dir/template.c" -o "$dir/template.o" 2>"$dir/log"; then
			echo "$path does not compile: $(grep -m 1 error "$dir/log")"
			continue
		fi
		nm -u "$dir/template.o" | awk '/ gt_/ { print $NF }' | sort -u | comm -23 - "$dir/defined" | sed "s|^|$path: undefined: |"
	done < <(grep -n '^```c ' "$1" | sed 's/^\([0-9]*\):```c /\1:/')
}

# planted faults must be found
printf '%s\n' '```c io/a.c' '#include <gantry/io.h>' 'int gt_nowhere(void);' 'int f(void);' 'int f(void) { return gt_nowhere(); }' '```' \
	'```c io/b.c' 'int g(void) { return wrong; }' '```' '```c io/c.c' '#include <gantry/data.h>' 'void h(gt_volume *v);' 'void h(gt_volume *v) { gt_volume_free(v); }' '```' >"$dir/planted.md"
found=$(check "$dir/planted.md")
if [ "$(grep -c . <<<"$found")" != 2 ] || ! grep -q 'io/a.c: undefined: gt_nowhere' <<<"$found" || ! grep -q 'io/b.c does not compile' <<<"$found"; then
	echo "planted faults: found '$found'"
	exit 2
fi
[ "$(grep -c '^```c .*\.c$' "$root/docs/adding.md")" -ge 3 ] || { echo "docs/adding.md: expected at least 3 templates"; exit 1; }
found=$(check "$root/docs/adding.md")
[ -z "$found" ] || { echo "$found"; exit 1; }
