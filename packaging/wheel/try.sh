#!/bin/bash
# try.sh WHEEL PYTHON...: installs a wheel into a bare environment of each Python, and works with it there as a stranger does: the command, every format, a
# reconstruction from Python; says which libraries come along and how large all is.
set -eu
[ $# -ge 2 ] || { echo "usage: $0 WHEEL PYTHON..." >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
wheel=$(readlink -f "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m zipfile -l "$wheel" | awk '/\.so/ { print $1, $NF }'
echo "$(basename "$wheel"): $(($(stat -c %s "$wheel") / 1000000)) MB"
for python in "$@"; do
	command -v "$python" >/dev/null || { echo "try.sh: $python is not here" >&2; exit 1; }
	rm -rf "$work/venv" "$work/files"
	mkdir "$work/files"
	"$python" -m venv "$work/venv"
	"$work/venv/bin/pip" install -q --only-binary :all: "$wheel"
	(cd "$work/files" && env -i PATH="$work/venv/bin" HOME="$work/files" "$work/venv/bin/python" -B "$here/try_wheel.py")
	echo "$("$python" --version): works"
done
