#!/bin/sh
# tidy.sh FILE: runs $tidy on a source, or on a file that CMake made of several, by the commands in
# the directory $together; where those do not compile together, on each alone by those in $apart.
# Run by ./dev lint.
set -eu

# The static analyzer takes as long as all else: it looks at the library alone.
case $1 in
  */src/CMakeFiles/* | */src/*.cpp) checks='' ;;
  *) checks='-clang-analyzer-*' ;;
esac
case $1 in
  *.cxx) ;;
  *) exec "${tidy:?}" -p "${together:?}" --quiet --checks="$checks" "$1" ;;
esac
if found=$("${tidy:?}" -p "${together:?}" --quiet --checks="-bugprone-suspicious-include,$checks" "$1"); then exit 0; fi
case $found in
  *clang-diagnostic-error*) ;;
  *) printf '%s\n' "$found"; exit 1 ;;
esac
sed -n 's/^#include "\(.*\)"$/\1/p' "$1" | xargs -n 1 "${tidy:?}" -p "${apart:?}" --quiet --checks="$checks"
