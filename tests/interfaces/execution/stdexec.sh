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

# What asks for a pool or for a context of one thread by name. Left out: what is another library's, and tests of the replacement by
# a pool of stdexec.
pools='exec/static_thread_pool.hpp\|exec/tbb/\|exec/taskflow/\|exec/single_thread_context.hpp'
left_out='test_asio_thread_pool test_parallel_scheduler_replacement test_io_uring_context'

# The cases of a program that are for any scheduler, on so many workers, where others are not: those of the pool itself, which are
# about its threads, its memory nodes and its sequences, and those that know the one thread of a context again.
cases_of() {
  case $1-$2 in
  exec-test_static_thread_pool-7) echo '*executes on multiple threads*,*drains remote work*' ;;
  exec-test_static_thread_pool-*) echo '*drains remote work*' ;;
  exec-test_task-*) echo '~*stickiness with two single threads*' ;;
  esac
}

status=0
passed=0
run() {
  numbers='1 2 7'
  # Some of its cases ask for more than one thread.
  [ "$1" != adaptors-test_bulk ] || numbers='2 7'
  for workers in $numbers; do
    cases=$(cases_of "$1" "$workers")
    if NOPAL_WORKERS=$workers timeout 300 "$output/$1" ${cases:+"$cases"} >"$output/$1.log" 2>&1; then
      # The second form is that of cases without an assertion.
      now=$(sed -n -e 's/^All tests passed (.* in \([0-9]*\) test case.*/\1/p' \
        -e 's/^test cases: *\([0-9]*\) | \1 passed$/\1/p' "$output/$1.log")
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

grep -rl --include='test_*.cpp' "$pools" "$tests/stdexec" "$tests/exec" | sort >"$output/sources"
while read -r source <&3; do
  name=$(basename "$source" .cpp)
  case " $left_out " in *" $name "*) continue ;; esac
  if [ $# -gt 0 ]; then
    case " $* " in *" $name "*) ;; *) continue ;; esac
  fi
  # Several folders have a file of one name.
  program=$(basename "$(dirname "$source")")-$name
  more="-I $here/in_place"
  case $name in
  test_parallel_scheduler | test_task_scheduler) more=$here/in_place/parallel_scheduler.cpp ;;
  esac
  # A list of words.
  # shellcheck disable=SC2086
  if compile $more -I "$root/include" -I "$stdexec/include" -I "$tests" "$source" "$output/catch.o" "$archive" \
    -o "$output/$program" -pthread; then
    run "$program"
  else
    echo "$program: does not compile"
    status=1
  fi
done 3<"$output/sources"
echo "$passed test cases passed"
[ "$passed" -gt 0 ] || status=1
exit $status
