#!/bin/sh
# plugin.sh HOST PLUGIN ELIDED: the host, which has nothing of Nopal, draws the same with either plug-in.
set -eu
host=$1
plugin=$2
elided=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$host" "$elided" >"$work/serial"
test "$(grep -c @ "$work/serial")" -ge 12 # the set is in the picture
for _ in 1 2 3 4 5; do
  "$host" "$plugin" >"$work/parallel"
  cmp "$work/parallel" "$work/serial"
done
status=0
"$host" "$work/nowhere.so" 2>"$work/errors" || status=$?
test "$status" -eq 1
grep -q "^plugin_host: $work/nowhere.so: cannot open" "$work/errors"
cat "$work/parallel"
