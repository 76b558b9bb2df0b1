#!/bin/sh
# same_as_elided.sh PROGRAM ELIDED [ARGUMENT...]: both must succeed and print the same.
set -eu
program=$1
elided=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" "$@" >"$work/parallel"
"$elided" "$@" >"$work/serial"
test -s "$work/serial" # what prints nothing shows nothing
cmp "$work/parallel" "$work/serial"
cat "$work/parallel"
