#!/bin/bash
# No dead link: relative links of all *.md lead to files of the tree, anchors to headings.
# The rule and the faults planted to test it: rule_links.py. Usage: links.sh ROOT [BUILD]; exits 2 if the rule itself is broken.
set -u
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 -B "$(dirname "$0")/measure.py" links --root "${1:?usage: links.sh ROOT}"
