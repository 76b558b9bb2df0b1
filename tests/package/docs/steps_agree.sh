#!/bin/sh
# steps_agree.sh DIRECTORY STEP...: each step of the tutorial finds as many lines as grep does. Run where the programs are.
set -eu
directory=$1
shift
wanted=$(grep -rF return "$directory" | wc -l)
[ "$wanted" -gt 50 ]
for step in "$@"; do
  found=$("./test_docs_$step" "$directory" return 2>/dev/null | tail -n 1)
  if [ "$found" != "$wanted lines" ]; then
    echo "$step: '$found', where there are $wanted lines"
    exit 1
  fi
done
# What is printed comes in serial order.
NOPAL_WORKERS=1 ./test_docs_tutorial_reducers "$directory" return >serial.out
for workers in 2 3 7; do
  NOPAL_WORKERS=$workers ./test_docs_tutorial_reducers "$directory" return | cmp - serial.out
done
