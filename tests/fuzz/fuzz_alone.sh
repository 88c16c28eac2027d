#!/bin/bash
# Runs the archive of pack.sh for SECONDS on PROCESSORS, with nothing else installed: a table and all findings in OUT.
# Usage: fuzz.sh SECONDS PROCESSORS OUT
set -euo pipefail
here=$(realpath "$(dirname "$0")")
usage() { echo "usage: fuzz.sh SECONDS PROCESSORS OUT" >&2 && exit 2; }
[[ $# -eq 3 && $1 =~ ^[1-9][0-9]{0,6}$ && $2 =~ ^[1-9][0-9]{0,3}$ ]] || usage
export PATH=${PATH:-/usr/bin:/bin} LD_LIBRARY_PATH=$here/lib DCMDICTPATH=$here/dicom.dic
mkdir -p "$3"
# in case something hangs
code=0
timeout -k 3 $(($1 + 15)) nice -n 19 "$here/campaign.sh" "$here/fuzzers" "$here/corpus" "$1" "$3" "$2" >"$3/log.txt" 2>&1 || code=$?
cat "$3/log.txt"
exit $code
