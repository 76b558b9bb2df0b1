#!/bin/sh
# usage: compiler_refuses.sh TEXT COMPILER ARGUMENT...
# Passes if the compilation fails with one error, which has TEXT in it.
text=$1
shift
said=$("$@" 2>&1) && exit 1
said=$(printf '%s\n' "$said" | grep 'error: ')
echo "$said"
case $said in
  *"
"*) exit 1 ;;
  *"$text"*) exit 0 ;;
esac
exit 1
