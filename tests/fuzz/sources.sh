#!/bin/bash
# Prints a line for each harness of readers: its name, and a hash of its readers' sources (readers.txt), their headers, and the harness.
# Fuzzing hours count while the hash is unchanged. Usage: sources.sh [ROOT]
set -euo pipefail
here=$(realpath "$(dirname "$0")")
root=$(realpath "${1:-$here/../..}")
list=$root/tests/fuzz/readers.txt
files_of() { # HARNESS
	local patterns pattern file any
	# literal patterns: names in the working directory must not expand them
	read -ra patterns < <(awk -F ' [|] ' -v h="$1" '!/^#/ { n = split($2, a, " "); for (i = 1; i <= n; i++) if (a[i] == h || a[i] == "all") printf "%s ", $3 } END { print "" }' "$list")
	for pattern in "${patterns[@]}"; do
		any=
		for file in "$root/io"/$pattern; do
			[ -f "$file" ] || continue
			any=1
			realpath "$file"
			[ ! -f "${file%.*}.h" ] || realpath "${file%.*}.h"
		done
		[ -n "$any" ] || { echo "sources.sh: readers.txt: no file is io/$pattern" >&2 && return 1; }
	done
	printf '%s\n' "$root/tests/fuzz/$1.c" "$root/tests/fuzz/fuzz.c" "$root/tests/fuzz/fuzz.h"
}
names=$(awk -F ' [|] ' '!/^#/ { n = split($2, a, " "); for (i = 1; i <= n; i++) if (a[i] != "all") print a[i] }' "$list" | LC_ALL=C sort -u)
for name in $names; do
	files=$(files_of "$name")
	hash=$(LC_ALL=C sort -u <<<"$files" | while read -r file; do echo "${file#"$root/"}" && cat "$file"; done | sha256sum | cut -c1-12)
	echo "$name $hash"
done
