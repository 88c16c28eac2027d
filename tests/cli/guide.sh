#!/bin/bash
# Runs the sh blocks of a page of docs/guide/ in order, in an empty folder.
# Usage: guide.sh GANTRY PAGE.md runs that page; without a page the script tests itself and counts the pages. CMake adds a test for each page.
tree=$(cd "$(dirname "$0")/../.." && pwd)
file=$(realpath -m "${2:-.}")
. "$(dirname "$0")/support/lib.sh"
mark='<!-- tests/cli/guide.sh runs the blocks marked sh.'

# blocks PAGE: prints the lines of the sh blocks. Comments `<!-- test: OLD => NEW -->` of the page make sizes smaller, unless GT_LONG=1.
blocks() {
	awk -v long="${GT_LONG:-}" 'BEGIN { n = 0 }
		match($0, /^<!-- test: .* => .* -->$/) { split(substr($0, 12, length($0) - 15), part, " => "); old[n] = part[1]; new[n++] = part[2] }
		/^```sh$/ { on = 1; next }
		/^```/ { on = 0 }
		on {
			for (i = 0; i < n && long != 1; i++)
				if (at = index($0, old[i])) { $0 = substr($0, 1, at - 1) new[i] substr($0, at + length(old[i])); used[i] = 1 }
			print
		}
		END { for (i = 0; i < n; i++) if (!used[i] && long != 1) print "echo \"the page has no " old[i] "\"; exit 1" }' "$1"
}

# page FILE: runs a page in its own folder with docs/ and the command on the path; the output is in out.txt.
page() {
	mkdir -p run && ln -sfn "$tree/docs" run/docs && blocks "$1" >page.sh && [ -s page.sh ] || return 1
	(cd run && PATH=$(dirname "$gantry"):$PATH bash -eu -o pipefail ../page.sh) >out.txt 2>&1
	local code=$?
	rm -rf run
	return $code
}

self_test() {
	# Detects a wrong option, a missing file and a page without commands.
	fence='```'
	printf '%s\n' "# P" "${fence}sh" "gantry devices" "$fence" >good.md
	page good.md || fail "a page that is right: $(cat out.txt)"
	printf '%s\n' "${fence}sh" "gantry devices --none" "gantry devices" "$fence" >option.md
	page option.md && fail "a wrong option is not seen"
	printf '%s\n' "${fence}sh" "gantry devices" "$fence" "${fence}sh" "gantry info none.nc" "$fence" >file.md
	page file.md && fail "a missing file is not seen"
	printf '%s\n' "$fence" "gantry devices" "$fence" >empty.md
	page empty.md && fail "a page without commands is not seen"
	# A smaller size is used, and one that the page does not have is an error.
	printf '%s\n' "<!-- test: --none 3 => --json -->" "${fence}sh" "gantry devices --none 3" "$fence" >smaller.md
	GT_LONG="" page smaller.md || fail "a smaller size: $(cat out.txt)"
	GT_LONG=1 page smaller.md && fail "the page's own size is not run with GT_LONG=1"
	printf '%s\n' "<!-- test: --views 3 => --views 2 -->" "${fence}sh" "gantry devices" "$fence" >stale.md
	GT_LONG="" page stale.md && fail "a smaller size that the page does not have is not seen"
	[ "$(grep -lF "$mark" "$tree"/docs/guide/*.md | wc -l)" -ge 5 ] || fail "fewer than 5 pages have the mark"
}

# missing PAGE: requirements in its first line that this machine or build lacks.
missing() {
	local need
	for need in $(head -n 1 "$1" | sed -n 's/.* Needs \([A-Za-z0-9, ]*\)\..*/\1/p' | tr ',' ' '); do
		case $need in
		python3) command -v python3 >/dev/null ;;
		DCMTK) "$gantry" simulate --reduce 40 --phantom shepp-logan --rays 1 --format dicom-ct-pd -o try -q 2>/dev/null ;;
		NIfTI) "$gantry" simulate --reduce 40 --phantom box --geometry-only -o try.nc --truth try.nii --grid 4x4x4@9x9x9 -q 2>/dev/null ;;
		data) [ -f "${GT_DATA:-}/pin/angles.txt" ] && [ -f "${GT_DATA:-}/disc_fan.npy" ] ;;
		*) echo "what this test does not know:" && false ;;
		esac || echo "$need"
		rm -rf try try.nc try.nii
	done
}
if [[ $file != *.md ]]; then
	self_test
	finish
fi
without=$(missing "$file")
case $without in
"") page "$file" || fail "$(basename "$file"): $(tail -n 12 out.txt)" ;;
*"does not know"*) fail "$(basename "$file") needs $without" ;;
*) skip "$(basename "$file") needs $without" ;;
esac
finish
