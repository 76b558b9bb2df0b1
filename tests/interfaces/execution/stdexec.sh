#!/bin/sh
# usage: stdexec.sh NOPAL_ROOT STDEXEC ARCHIVE CXX OUTPUT [NAME...]
# Compiles the tests that stdexec has of its own schedulers, of its pool and of algorithms on a pool, as they are, with a pool by
# Nopal found in the place of its own, and runs them on several numbers of workers. With NAMEs those alone. Takes some twenty
# minutes. STDEXEC is a clone of github.com/NVIDIA/stdexec; it needs NOPAL_TEST_CATCH2, the path of one of github.com/catchorg/Catch2.
set -eu
root=$1 stdexec=$2 archive=$3 cxx=$4 output=$5
catch2=${NOPAL_TEST_CATCH2-}
shift 5
if [ -z "$catch2" ]; then
  echo 'skipped: NOPAL_TEST_CATCH2 names no clone of Catch2'
  exit 77
fi
mkdir -p "$output"
here=$root/tests/interfaces/execution
tests=$stdexec/test

compile() {
  "$cxx" -std=c++20 -O0 -w -DSTDEXEC_NAMESPACE=std::execution -D_GLIBCXX_USE_TBB_PAR_BACKEND=0 \
    -DSTDEXEC_TASK_SCHEDULE_OPSTATE_SIZE=256 -I "$here/catch" -I "$catch2/extras" "$@"
}

# Their program has no `main` of its own for single files, Catch2 has one.
[ -e "$output/catch.o" ] || compile -c "$catch2/extras/catch_amalgamated.cpp" -o "$output/catch.o"

# What asks for a pool by name. Left out: what is about the threads, the memory nodes and the sequences of that pool, and what is
# no test.
pools='exec/static_thread_pool.hpp\|exec/tbb/\|exec/taskflow/'
left_out='test_static_thread_pool test_asio_thread_pool test_parallel_scheduler_replacement'
done=''

status=0
passed=0
run() {
  numbers='1 2 7'
  # Some of its cases ask for more than one thread.
  [ "$1" != test_bulk ] || numbers='2 7'
  for workers in $numbers; do
    if NOPAL_WORKERS=$workers timeout 300 "$output/$1" >"$output/$1.log" 2>&1; then
      now=$(sed -n 's/^All tests passed (.* in \([0-9]*\) test case.*/\1/p' "$output/$1.log")
      echo "$1 on $workers: ${now:-0} passed"
      passed=$((passed + ${now:-0}))
    else
      echo "$1 on $workers: failed"
      tail -n 40 "$output/$1.log"
      status=1
    fi
  done
  rm -f "$output/$1"
}

for source in "$tests/stdexec/schedulers/test_parallel_scheduler.cpp" \
  $(grep -rl --include='test_*.cpp' "$pools" "$tests/stdexec" "$tests/exec" | sort); do
  name=$(basename "$source" .cpp)
  case " $left_out $done " in *" $name "*) continue ;; esac
  done=$done\ $name
  if [ $# -gt 0 ]; then
    case " $* " in *" $name "*) ;; *) continue ;; esac
  fi
  more="-I $here/in_place"
  [ "$name" != test_parallel_scheduler ] || more=$here/in_place/parallel_scheduler.cpp
  # A list of words.
  # shellcheck disable=SC2086
  if compile $more -I "$root/include" -I "$stdexec/include" -I "$tests" "$source" "$output/catch.o" "$archive" \
    -o "$output/$name" -pthread; then
    run "$name"
  else
    echo "$name: does not compile"
    status=1
  fi
done
echo "$passed test cases passed"
[ "$passed" -gt 0 ] || status=1
exit $status
