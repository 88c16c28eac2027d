#!/bin/bash
# Faults that are planted for the fuzzers have their places in the tree: a line that moved would be found by the long tests alone. Usage: planted.sh ROOT
exec "${1:?usage: planted.sh ROOT}/tests/fuzz/planted.sh" --fits
