#!/bin/sh
# Writes package_graph.mtx, the graph of what the packages of this machine's distribution depend on, for
# `nopal bench pbfs --matrix` and `nopal bench --reducers --graph`; see README.md beside this file.
# usage: package_graph.sh [FILE]
set -eu

file=${1:-package_graph.mtx}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v apt-cache >"$work/where"; then
  echo 'package_graph.sh: apt-cache is missing; this needs Debian, Ubuntu or the like' >&2
  exit 1
fi
apt-cache dumpavail >"$work/available"
if ! grep -q '^Package: ' "$work/available"; then
  echo 'package_graph.sh: no package lists; apt-get update gets them' >&2
  exit 1
fi

# Packages become numbers, from 1, as they come first. A pair of them for each dependency that names a package, one of
# several alternatives or not; the larger number first, as it is below the diagonal.
awk '
  /^Package: / { if (!($2 in number)) number[$2] = ++count; package = $2 }
  /^(Pre-)?Depends: / { sub(/^[^:]*: /, ""); needs[package] = needs[package] "," $0 }
  END {
    print count >vertices
    for (package in needs) {
      length_of_list = split(needs[package], names, /[,|]/)
      for (i = 1; i <= length_of_list; ++i) {
        name = names[i]
        sub(/^ +/, "", name)
        sub(/[ :(].*/, "", name)
        if (!(name in number) || name == package) continue
        a = number[package]
        b = number[name]
        print (a > b ? a " " b : b " " a)
      }
    }
  }' vertices="$work/vertices" "$work/available" | sort -u >"$work/edges"

vertices=$(cat "$work/vertices")
edges=$(wc -l <"$work/edges")
{
  echo '%%MatrixMarket matrix coordinate pattern symmetric'
  echo "$vertices $vertices $edges"
  cat "$work/edges"
} >"$file"
echo "$file written: $vertices packages, $edges dependencies"
