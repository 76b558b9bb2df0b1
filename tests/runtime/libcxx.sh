#!/bin/sh
# The library and the tests of its exceptions, compiled with Clang for libc++ and libc++abi, whose records of exceptions
# differ from libstdc++'s. Exits with 77 where there is no libc++, or no source of GoogleTest to compile for it.
# Usage: libcxx.sh CLANG SOURCE LIST WORK    LIST is a file that names the library's sources
set -eu
clang=$1
source=$2
list=$3
work=$4
googletest=/usr/src/googletest/googletest

mkdir -p "$work/objects"
cat >"$work/probe.cpp" <<'END'
#include <version>
#ifndef _LIBCPP_VERSION
#error not libc++
#endif
int main() { try { throw 1; } catch (int) { return 0; } }
END
if ! { "$clang" -stdlib=libc++ "$work/probe.cpp" -o "$work/probe" 2>"$work/said" && "$work/probe"; }; then
  echo 'there is no libc++'
  exit 77
fi
[ -e "$googletest/src/gtest-all.cc" ] || { echo "there is no $googletest"; exit 77; }

# compile OBJECT FLAG... FILE
cat >"$work/compile.sh" <<END
set -eu
out=\$1; shift
"$clang" -stdlib=libc++ -std=c++20 -O0 -DNOPAL_STATIC -I "$source/include" -I "$source/src" -I "$source/tests" -I "$googletest/include" \
  -I "$googletest" -pthread -Wno-unused-command-line-argument "\$@" -c -o "$work/objects/\$out.o"
END
{
  cat "$list"
  for name in support/program support/watchdog runtime/exceptions_test runtime/exception_state_test runtime/exceptions_in_flight_test runtime/foreign_exceptions_test; do
    echo "$source/tests/$name.cpp"
  done
  echo "$googletest/src/gtest-all.cc"
} | while read -r file; do
  flags=''
  case $file in
    */src/scheduler/publish.cpp | */src/deque/*_deque.cpp) flags='-mno-mmx -mno-sse' ;;
    */src/sanitizers/*.cpp) flags='-fno-sanitize=all' ;;
    *.S) flags='-x assembler-with-cpp -std=gnu11' ;;
  esac
  echo "$(echo "${file#"$source/"}" | tr '/.' '__') $flags $file"
done >"$work/files"
xargs -P 2 -L 1 sh "$work/compile.sh" <"$work/files"

cd "$work/objects"
for name in exceptions exception_state exceptions_in_flight foreign_exceptions; do
  test_object=tests_runtime_${name}_test_cpp.o
  others=$(find . -name '*.o' ! -name 'tests_runtime_*')
  # The names have no blanks.
  # shellcheck disable=SC2086
  "$clang" -stdlib=libc++ -pthread "$test_object" $others -o "$work/$name"
  "$work/$name" --gtest_brief=1
done
