#!/bin/bash
# No name that is retired: retired.txt lists them with their successors.
# The rule and the faults planted to test it: rule_glossary.py. Usage: glossary.sh ROOT [BUILD]; exits 2 if the rule itself is broken.
set -u
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 -B "$(dirname "$0")/measure.py" glossary --root "${1:?usage: glossary.sh ROOT}"
