#!/bin/sh
# usage: exits_with.sh CODE PROGRAM ARGUMENT...
# Passes if PROGRAM exits with CODE, and says nothing.
wanted=$1
shift
said=$("$@" 2>&1)
code=$?
echo "exit code $code: $said"
[ "$code" -eq "$wanted" ] && [ -z "$said" ]
