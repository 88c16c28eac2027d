#!/bin/bash
# Planted faults fit the tree; otherwise only the long tests would report a line that moved. Usage: planted.sh ROOT
"${1:?usage: planted.sh ROOT}/tests/fuzz/planted.sh" --fits || exit
command -v python3 >/dev/null || exit 0
exec python3 -B "$1/tests/planted/planted.py" --fits
