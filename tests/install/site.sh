#!/bin/bash
# The site of ./run docs is complete: no dead link, a page for each command, public function and guide, nothing from a network; it is
# installed. Usage: site.sh ROOT BUILD
set -eu
root=${1:?usage: site.sh ROOT BUILD} build=${2:?usage: site.sh ROOT BUILD}
skip() { echo "skipped: $*"; exit 77; }
command -v python3 >/dev/null || skip "there is no python3"
[ -s "$build/html/index.html" ] || skip "no site in $build/html: ./run docs builds it, where pip can get its generator"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cmake --install "$build" --prefix "$dir/usr" --component doc >"$dir/log"
python3 -B "$root/docs/site/check_site.py" "$dir/usr/share/doc/gantry/html" "$root" "$build/gantry"
