#!/bin/bash
# The guide works as it stands: the blocks marked sh of each page of docs/guide/ that says so run in order in an empty folder.
tree=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/support/lib.sh"
mark='<!-- tests/cli/guide.sh runs the blocks marked sh.'

# blocks PAGE: the lines of its blocks marked sh.
blocks() { awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$1"; }

# page FILE: in a folder of its own, where docs/ is that of the tree, with the command on the path; what it prints is in out.txt.
page() {
	mkdir -p run && ln -sfn "$tree/docs" run/docs && blocks "$1" >page.sh && [ -s page.sh ] || return 1
	(cd run && PATH=$(dirname "$gantry"):$PATH timeout 100 bash -eu -o pipefail ../page.sh) >out.txt 2>&1
	local code=$?
	rm -rf run
	return $code
}

# A wrong option, a missing file and a page without commands are seen.
printf '# P\n```sh\ngantry devices\n```\n' >good.md
page good.md || fail "a page that is right: $(cat out.txt)"
printf '# P\n```sh\ngantry devices --none\ngantry devices\n```\n' >option.md
page option.md && fail "a wrong option is not seen"
printf '# P\n```sh\ngantry devices\n```\n```sh\ngantry info none.nc\n```\n' >file.md
page file.md && fail "a missing file is not seen"
printf '# P\n```\ngantry devices\n```\n' >empty.md
page empty.md && fail "a page without commands is not seen"

missing() {
	case "$(head -n 1 "$1")" in
	*"Needs python3."*) ! command -v python3 >/dev/null ;;
	*"Needs DCMTK."*) ! "$gantry" simulate --reduce 40 --phantom shepp-logan --rays 1 --format dicom-ct-pd -o try -q 2>/dev/null ;;
	*) false ;;
	esac
}
ran=0
for file in "$tree"/docs/guide/*.md; do
	grep -qF "$mark" "$file" || continue
	if missing "$file"; then
		echo "$(basename "$file") is left out: $(head -n 1 "$file" | sed 's/.*\(Needs [A-Za-z0-9]*\).*/\1/'), which is not here"
		continue
	fi
	page "$file" || fail "$(basename "$file"): $(tail -n 12 out.txt)"
	ran=$((ran + 1))
done
[ $ran -ge 5 ] || fail "only $ran pages were run"
finish
