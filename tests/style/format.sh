#!/bin/bash
# .clang-format decides how sources look; headers keep their hand-made columns.
# Usage: format.sh ROOT [BUILD] names the files that differ, `format.sh ROOT fix` lays them out.
set -u
cd "${1:?usage: format.sh ROOT}" || exit 2
tool=$(command -v clang-format-14 || command -v clang-format) || { echo "no clang-format"; exit 77; }
"$tool" --version | grep -q 'version 14' || { echo "versions differ in taste: clang-format 14 is needed"; exit 77; }

bad=0
while IFS= read -r -d '' file; do
	"$tool" "$file" | cmp -s - "$file" && continue
	if [ "${2:-}" = fix ]; then
		"$tool" -i "$file"
	else
		echo "$file is not as clang-format lays it out: ./run format"
		bad=1
	fi
done < <(find . -path './build*' -prune -o \( -name '*.c' -o -name '*.cpp' -o -name '*.cu' \) -print0)
exit $bad
