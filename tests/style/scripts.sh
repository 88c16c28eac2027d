#!/bin/bash
# Every second shell script passes shellcheck, from script PART on: 0 (default) or 1. Scripts that passed are checked again after a change
# of them or of shellcheck: names of empty files in ~/.cache/gantry/shellcheck are checksums of both. Usage: scripts.sh ROOT [BUILD [PART]]
set -u
cd "${1:?usage: scripts.sh ROOT}" || exit 2
command -v shellcheck >/dev/null || { echo "no shellcheck"; exit 77; }
passed=${XDG_CACHE_HOME:-$HOME/.cache}/gantry/shellcheck
mkdir -p "$passed" 2>/dev/null || passed=
version=$(shellcheck --version)

# check FILES: prints the findings and fails; otherwise marks the files. The cache is optional.
check() {
	local file sum left=() marks=()
	for file in "$@"; do
		sum=$({ echo "$version" && cat "$file"; } | sha1sum)
		[ -z "$passed" ] || [ ! -e "$passed/${sum%% *}" ] || continue
		left+=("$file") marks+=("$passed/${sum%% *}")
	done
	[ ${#left[@]} -gt 0 ] || return 0
	shellcheck "${left[@]}" || return 1
	[ -z "$passed" ] || touch "${marks[@]}" 2>/dev/null || true
}

self_test() {
	local dir cache=$passed
	dir=$(mktemp -d) || exit 2
	passed=$dir
	# shellcheck disable=SC2016
	printf '#!/bin/bash\necho "$1"\n' >"$dir/script.sh"
	check "$dir/script.sh" || { echo "scripts.sh refuses a correct script"; exit 2; }
	[ "$(find "$dir" -empty | wc -l)" -eq 1 ] || { echo "scripts.sh does not mark a script that passed"; exit 2; }
	# shellcheck disable=SC2016
	printf '#!/bin/bash\necho $1\n' >"$dir/script.sh"
	for _ in 1 2; do check "$dir/script.sh" >/dev/null && { echo "scripts.sh does not see a fault in a script that passed before"; exit 2; }; done
	rm -r "$dir"
	passed=$cache
}

self_test
mapfile -t scripts < <(printf '%s\n' run .ci/run && find tests -name '*.sh' | sort)
for i in "${!scripts[@]}"; do [ $((i % 2)) -eq "${3:-0}" ] || unset "scripts[$i]"; done
check "${scripts[@]}"
