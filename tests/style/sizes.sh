#!/bin/bash
# How large functions, files and folders may be.
# The rule and the faults planted to test it: rule_sizes.py. Usage: sizes.sh ROOT [BUILD]; exits 2 if the rule itself is broken.
set -u
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 -B "$(dirname "$0")/measure.py" sizes --root "${1:?usage: sizes.sh ROOT}"
