#!/bin/sh
# usage: exits_with.sh CODE PROGRAM ARGUMENT...
# Passes if PROGRAM exits with CODE, and says nothing.
wanted=$1
shift
said=$("$@" 2>&1)
code=$?
# An emulator says of each program that a signal ended it.
said=$(printf '%s\n' "$said" | grep -v '^qemu: uncaught target signal ')
echo "exit code $code: $said"
[ "$code" -eq "$wanted" ] && [ -z "$said" ]
