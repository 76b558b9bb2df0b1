#!/bin/sh
# usage: parlaylib.sh NOPAL_ROOT TBB_INCLUDE_DIR ARCHIVE CXX OUTPUT
# Compiles the tests that Parlaylib, a library with a backend for oneTBB, has of its own, with Nopal's headers found in
# oneTBB's place, and runs them. Takes some fifteen minutes, and needs NOPAL_TEST_PARLAYLIB, the path of a clone of
# github.com/cmuparlay/parlaylib.
set -eu
root=$1 tbb_include=$2 archive=$3 cxx=$4 output=$5
checkout=${NOPAL_TEST_PARLAYLIB-}
if [ -z "$checkout" ]; then
  echo 'skipped: NOPAL_TEST_PARLAYLIB names no clone of Parlaylib'
  exit 77
fi
mkdir -p "$output"

# Left out: what is no test of its own or does not compile with oneTBB's headers either, and what asserts there as well,
# being a test of memory after its objects' end.
left_out='test_separate_compilation1 test_collect_reduce test_uninitialized_memory'

status=0
passed=0
for source in "$checkout"/test/test_*.cpp; do
  name=$(basename "$source" .cpp)
  case " $left_out " in *" $name "*) continue ;; esac
  if ! "$cxx" -std=c++20 -O1 -w -DPARLAY_TBB -I "$tbb_include" -I "$root/include" -I "$checkout/include" \
    "$source" -o "$output/$name" "$archive" -lgtest -lgtest_main -pthread; then
    echo "$name: does not compile"
    status=1
    continue
  fi
  if "$output/$name" --gtest_brief=1 >"$output/$name.log" 2>&1; then
    now=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$output/$name.log")
    echo "$name: $now passed"
    passed=$((passed + now))
  else
    echo "$name: failed"
    tail -n 20 "$output/$name.log"
    status=1
  fi
  rm -f "$output/$name"
done
echo "$passed tests passed"
[ "$passed" -gt 0 ] || status=1
exit $status
