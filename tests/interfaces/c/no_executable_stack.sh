#!/bin/sh
# usage: no_executable_stack.sh PROGRAM
# Passes if PROGRAM asks for a stack that is not executable, as a nested function's trampoline would need it.
# Skipped (77) without readelf.
set -eu
command -v readelf >/dev/null || exit 77
line=$(readelf --program-headers --wide "$1" | grep GNU_STACK)
echo "$line"
case $line in
  *RWE*) exit 1 ;;
esac
