#!/bin/sh
# exits_with.sh CODE COMMAND [ARGUMENT...]: passes if the command ends with this code.
set -u
expected=$1
shift
"$@"
code=$?
[ $code = "$expected" ] || { echo "exit code $code, and not $expected"; exit 1; }
