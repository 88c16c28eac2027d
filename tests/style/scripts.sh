#!/bin/bash
# Every shell script passes shellcheck. Usage: scripts.sh ROOT [BUILD]
set -u
cd "${1:?usage: scripts.sh ROOT}" || exit 2
command -v shellcheck >/dev/null || { echo "no shellcheck"; exit 77; }
find tests -name '*.sh' -print0 | xargs -0 shellcheck run .ci/run
