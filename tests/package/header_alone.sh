#!/bin/sh
# usage: header_alone.sh HEADER INCLUDE_DIR TBB_INCLUDE_DIR CC CXX [FLAG...]
# Compiles a file that includes nothing but HEADER, in every language and mode it is made for, with
# all warnings as errors.
set -eu
header=$1 include_dir=$2 tbb_include_dir=$3 cc=$4 cxx=$5
shift 5
more=$*

compile() {
  echo "+ $*"
  # A list of flags.
  # shellcheck disable=SC2086
  printf '#include <%s>\n' "$header" | "$@" $more -O2 -Wall -Wextra -Wshadow -Wconversion -Werror \
    -I "$include_dir" -S -o /dev/null -
}

case $header in
  */compat/fibril.h)
    # The 2016 paper's macros need GNU C, which -Wpedantic exists to refuse.
    compile "$cc" -x c -std=gnu11
    compile "$cc" -x c -std=gnu11 -DNOPAL_ELIDE
    compile "$cxx" -x c++ -std=c++20
    compile "$cxx" -x c++ -std=c++20 -DNOPAL_ELIDE
    ;;
  */compat/cilk/*)
    # As programs in Cilk include them, translated; reducers are C++'s.
    case $header in
      *reducer* | */holder.h) ;;
      *) compile "$cc" -x c -std=c11 -I "$include_dir/nopal/compat" ;; # some are macros alone
    esac
    header=${header#*/compat/}
    compile "$cxx" -x c++ -std=c++20 -Wpedantic -I "$include_dir/nopal/compat"
    ;;
  */compat/tbb/*)
    # The other spelling, by its whole path.
    compile "$cxx" -x c++ -std=c++20 -Wpedantic -I "${tbb_include_dir%/nopal/compat}"
    ;;
  */compat/*)
    # As programs for oneTBB include them, found first in the folder that holds both spellings. One header has all the
    # others: that one in every mode.
    header=${header#*/compat/}
    modes=-O2
    case $header in oneapi/tbb.h) modes='-O2 -fno-exceptions -DNOPAL_ELIDE' ;; esac
    for mode in $modes; do
      compile "$cxx" -x c++ -std=c++20 -Wpedantic -I "$tbb_include_dir" "$mode"
    done
    ;;
  *.h)
    compile "$cc" -x c -std=c11 -Wpedantic
    compile "$cc" -x c -std=c11 -Wpedantic -DNOPAL_ELIDE
    compile "$cc" -x c -std=c11 -Wpedantic -DNOPAL_FORKS_EAGER
    compile "$cxx" -x c++ -std=c++20 -Wpedantic
    compile "$cxx" -x c++ -std=c++20 -Wpedantic -fno-exceptions
    compile "$cxx" -x c++ -std=c++20 -Wpedantic -DNOPAL_ELIDE
    ;;
  *)
    compile "$cxx" -x c++ -std=c++20 -Wpedantic
    compile "$cxx" -x c++ -std=c++20 -Wpedantic -fno-exceptions
    compile "$cxx" -x c++ -std=c++20 -Wpedantic -DNOPAL_ELIDE
    ;;
esac

# What takes long to compile, and no user of this header asked for.
case $header in
  */compat/* | tbb/* | oneapi/*) exit 0 ;;
  *.h) set -- "$cc" -x c -std=c11 ;;
  *) set -- "$cxx" -x c++ -std=c++20 ;;
esac
# shellcheck disable=SC2086
if printf '#include <%s>\n' "$header" | "$@" $more -I "$include_dir" -M - | tr ' ' '\n' |
  grep -E '/(iostream|regex|thread|ranges)$'; then
  echo "$header includes these" >&2
  exit 1
fi
