#!/bin/bash
# try.sh WHEEL PYTHON...: installs a wheel with NumPy alone into a bare environment of each Python, and works with it there as a stranger does (try_wheel.py);
# then the package's own tests, of which TESTS names some (all). Says which libraries come along and how large all is.
set -eu
[ $# -ge 2 ] || { echo "usage: $0 WHEEL PYTHON..." >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
wheel=$(readlink -f "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m zipfile -l "$wheel" | awk '/\.so|bin\/gantry/ { printf "%-60s %9d bytes\n", $1, $NF }'
stat -c '%n: %s bytes' "$wheel" | sed 's#.*/##'
for python in "$@"; do
	command -v "$python" >/dev/null || { echo "try.sh: $python is not here" >&2; exit 1; }
	rm -rf "$work/venv" "$work/files"
	mkdir "$work/files"
	"$python" -m venv "$work/venv"
	"$work/venv/bin/pip" install -q --only-binary :all: "$wheel"
	"$work/venv/bin/pip" list 2>/dev/null | awk 'NR > 2 { printf "%s %s; ", $1, $2 } END { print "" }'
	(cd "$work/files" && env -i PATH="$work/venv/bin" HOME="$work/files" "$work/venv/bin/python" -B "$here/try_wheel.py")
	"$work/venv/bin/pip" install -q pytest
	mkdir -p "$work/files/tests" "$work/files/docs"
	cp -r "$here/../../tests/python" "$work/files/tests/python"
	cp -r "$here/../../docs/gallery" "$work/files/docs/gallery"
	# shellcheck disable=SC2086
	(cd "$work/files/tests/python" && env -i PATH="$work/venv/bin" HOME="$work/files" "$work/venv/bin/python" -B -m pytest -q -p no:cacheprovider ${TESTS:-} | tail -3)
	echo "$("$python" --version): works"
done
