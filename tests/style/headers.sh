#!/bin/bash
# Headers: each compiles alone (rule_alone.py), and what they define and are called (rule_headers.py), with the faults planted to test it.
# Usage: headers.sh ROOT [BUILD]; exits 2 if a rule itself is broken.
set -u
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 -B "$(dirname "$0")/measure.py" headers alone --root "${1:?usage: headers.sh ROOT}"
