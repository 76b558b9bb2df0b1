#!/bin/sh
# checksums.sh PROGRAM ELIDED DIRECTORY: the sums of what is in DIRECTORY are those of sha256sum, and come in serial
# order; what cannot be read is one line each and an exit code, and the others are there all the same.
set -eu
program=$1
elided=$2
directory=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$program" "$directory" >"$work/parallel"
"$elided" "$directory" >"$work/serial"
cmp "$work/parallel" "$work/serial"
find "$directory" -type f -exec sha256sum {} + | LC_ALL=C sort >"$work/expected"
test -s "$work/expected"
LC_ALL=C sort "$work/parallel" | cmp - "$work/expected"

# A path that is too long can be read by nobody, not even by root. A link to a directory is not followed.
mkdir "$work/tree"
(
  cd "$work/tree"
  echo first >a
  echo last >z
  ln -s .. link
  name=$(printf '%0250d' 0)
  mkdir m
  cd m
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
    mkdir "$name"
    cd -P "$name"
  done
)
status=0
"$program" "$work/nowhere" "$work/tree" >"$work/sums" 2>"$work/errors" || status=$?
test "$status" -eq 1
(cd "$work/tree" && sha256sum a z) | sed "s|  |  $work/tree/|" | cmp - "$work/sums"
sed 's|/000*|/0|g' "$work/errors"
test "$(wc -l <"$work/errors")" -eq 2
head -1 "$work/errors" | grep -q "^checksums: $work/nowhere: No such file or directory\$"
tail -1 "$work/errors" | grep -q "^checksums: $work/tree/m/0.*0: File name too long\$"
