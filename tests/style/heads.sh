#!/bin/bash
# Comments: the head of a source, one for every public function, and how wide they may be.
# The rule and the faults planted to test it: rule_heads.py. Usage: heads.sh ROOT [BUILD]; exits 2 if the rule itself is broken.
set -u
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 -B "$(dirname "$0")/measure.py" heads --root "${1:?usage: heads.sh ROOT}"
