#!/bin/sh
# word_count.sh PROGRAM ELIDED FILE: the counts of many copies of FILE are those of the elision and of tr, sort and uniq;
# each bad line is one line, in order, and an exit code, and the others count all the same.
set -eu
program=$1
elided=$2
file=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$file"; done >"$work/ten"
for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$work/ten" "$work/ten" "$work/ten"; done >"$work/good"

"$elided" "$work/good" >"$work/serial"
sed 's/.*"text": "\(.*\)"}$/\1/; s/\\u2014/ /g' "$work/good" | tr '[:upper:]' '[:lower:]' | tr -cs '[:alpha:]' '\n' |
  sed '/^$/d' | sort | uniq -c | sed 's/^ *//' | sort -k1,1nr -k2 >"$work/expected"
cmp "$work/serial" "$work/expected"
"$program" "$work/good" >"$work/parallel"
cmp "$work/parallel" "$work/serial"

sed '3i not JSON
100i {"text": 7}
8000i []' "$work/good" >"$work/bad"
status=0
"$program" "$work/bad" >"$work/parallel" 2>"$work/errors" || status=$?
test "$status" -eq 1
cmp "$work/parallel" "$work/serial"
for line in 3 101 8002; do echo "word_count: line $line is no JSON object with a string \"text\""; done >"$work/expected"
cmp "$work/errors" "$work/expected"
head -3 "$work/serial"
