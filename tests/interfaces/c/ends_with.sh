#!/bin/sh
# usage: ends_with.sh TEXT PROGRAM ARGUMENT...
# Passes if PROGRAM aborts after one line on stderr that has TEXT in it.
text=$1
shift
said=$("$@" 2>&1)
code=$?
# An emulator says of each program that a signal ended it.
said=$(printf '%s\n' "$said" | grep -v '^qemu: uncaught target signal ')
echo "exit code $code: $said"
[ "$code" -eq 134 ] || exit 1
case $said in
  *"
"*) exit 1 ;;
  *"$text"*) exit 0 ;;
esac
exit 1
