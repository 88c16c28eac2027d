#!/bin/bash
# Repeated code becomes less.
# The rule and the faults planted to test it: rule_duplicates.py. Usage: duplicates.sh ROOT [BUILD]; exits 2 if the rule itself is broken.
set -u
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 -B "$(dirname "$0")/measure.py" duplicates --root "${1:?usage: duplicates.sh ROOT}"
