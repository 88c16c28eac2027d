#!/bin/bash
# .clang-format decides how sources look. Usage: format.sh ROOT [BUILD]; `format.sh ROOT fix` reformats.
# Headers keep their hand-made columns.
set -u
cd "${1:?usage: format.sh ROOT}" || exit 2
tool=$(command -v clang-format-14 || command -v clang-format) || { echo "no clang-format"; exit 77; }
"$tool" --version | grep -qE 'version 1[4-9]' || { echo "clang-format 14 or later is needed"; exit 77; }
mode=(--dry-run --Werror)
[ "${2:-}" = fix ] && mode=(-i)
find core projectors analytic solvers regularizers io phantoms apps tests \( -name '*.c' -o -name '*.cu' \) -print0 |
	xargs -0 "$tool" "${mode[@]}"
