#!/bin/bash
# Every second shell script passes shellcheck. Usage: scripts_odd.sh ROOT [BUILD]
exec "$(dirname "$0")/scripts.sh" "${1:?usage: scripts_odd.sh ROOT}" "${2:-}" 1
