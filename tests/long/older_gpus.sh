#!/bin/bash
# Every kernel compiles for the oldest GPUs of the default list. Usage: older_gpus.sh ROOT BUILD; skips without nvcc.
exec "${1:?usage: older_gpus.sh ROOT BUILD}/tests/install/older_gpus.sh" "$1" "${2:?usage: older_gpus.sh ROOT BUILD}" all
