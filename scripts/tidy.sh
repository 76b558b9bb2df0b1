#!/bin/sh
# tidy.sh FILE: runs $tidy on a source, or on a file that CMake made of several, by the commands in
# the directory $together; where those do not compile together, on each alone by those in $apart.
# Run by ./dev lint.
set -eu

case $1 in
  *.cxx) ;;
  *) exec "${tidy:?}" -p "${together:?}" --quiet "$1" ;;
esac
if found=$("${tidy:?}" -p "${together:?}" --quiet --checks=-bugprone-suspicious-include "$1"); then exit 0; fi
case $found in
  *clang-diagnostic-error*) ;;
  *) printf '%s\n' "$found"; exit 1 ;;
esac
sed -n 's/^#include "\(.*\)"$/\1/p' "$1" | xargs -n 1 "${tidy:?}" -p "${apart:?}" --quiet
