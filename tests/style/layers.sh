#!/bin/bash
# Who may include whom (docs/design.md): cmake/rooms.txt is the table.
# The rule and the faults planted to test it: rule_layers.py. Usage: layers.sh ROOT [BUILD]; exits 2 if the rule itself is broken.
set -u
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 -B "$(dirname "$0")/measure.py" layers --root "${1:?usage: layers.sh ROOT}"
