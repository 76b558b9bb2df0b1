#!/bin/sh
# edges.sh PROGRAM ELIDED PICTURE: the same picture of edges, byte for byte, and one line about what is no picture.
set -eu
program=$1
elided=$2
picture=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# It has no code of the library, and a build that counts which lines of that run would say so.
LLVM_PROFILE_FILE=/dev/null "$elided" "$picture" "$work/serial.pgm" >"$work/serial"
for _ in 1 2 3 4 5; do
  "$program" "$picture" "$work/parallel.pgm" >"$work/parallel"
  cmp "$work/parallel" "$work/serial"
  cmp "$work/parallel.pgm" "$work/serial.pgm"
done
test "$(wc -c <"$work/serial.pgm")" -eq "$(wc -c <"$picture")"

for bad in "$work/nowhere" "$0"; do
  status=0
  "$program" "$bad" "$work/none.pgm" 2>"$work/errors" || status=$?
  test "$status" -eq 1
  test "$(wc -l <"$work/errors")" -eq 1
  grep -q "^edges: .*$bad" "$work/errors"
done
cat "$work/parallel"
