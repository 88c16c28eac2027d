#!/bin/bash
# Circles of calls between files.
# The rule and the faults planted to test it: rule_cycles.py. Usage: cycles.sh ROOT [BUILD]; exits 2 if the rule itself is broken.
set -u
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 -B "$(dirname "$0")/measure.py" cycles --root "${1:?usage: cycles.sh ROOT}"
