# What the system has, what it lacks, and how to get that with apt; and checks of a command line. Sourced by ./dev.
# shellcheck shell=sh

# value_of OPTION COUNT: refuses an option that is last on the line and so has no value.
value_of() { if [ "$2" -lt 2 ]; then refuse "$1: not without a value; accepted: $1 VALUE"; fi; }

# number_of OPTION VALUE LEAST: refuses what is no whole number, or one below LEAST, which is 0 or 1.
number_of() {
  case $2,$3 in ,* | *[!0-9]*,? | 0*,1) refuse "$1 '$2': not understood; accepted: a whole number from $3 up" ;; esac
}

# help_of COMMAND: its part of the help; fails if it has none.
help_of() {
  help | awk -v name="$1" '
    /^  [a-z]/ { shown = $1 == name }
    /^$/ { shown = 0 }
    shown { if (!found++) print "usage: ./dev [--no-install] " name " [OPTION...]"; print }
    END { exit !found }'
}

preferred_llvm=19  # clang-format and clang-tidy differ in what they print from one version to the next
newest_version=40  # where looking for a versioned compiler begins
missing=''
reasons=''
apt_is_updated=no

have() { command -v "$1" >/dev/null 2>&1; }

# want PACKAGE REASON: notes a package to install.
want() {
  case " $missing " in *" $1 "*) return 0 ;; esac
  missing="$missing $1"
  reasons="$reasons  $1: $2
"
}

want_command() { have "$1" || want "$2" "$3"; }
want_header() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] || want "$2" "$3"; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# Which version of a compiler can be had is known only once apt's lists are there. To be called
# before what asks them, and not in a subshell, which would forget that it was done.
update_apt() {
  if [ $apt_is_updated = yes ] || [ "${may_install:?}" = no ] || ! have apt-get; then return 0; fi
  if [ "$(id -u)" != 0 ] && ! have sudo; then refuse "something is missing (--no-install names it), and installing needs root or sudo"; fi
  mkdir -p build
  say 'Reading the package lists (apt-get update)'
  as_root apt-get -q update >build/apt.log 2>&1 </dev/null || { tail -n 20 build/apt.log >&2; fail 'apt-get update failed'; }
  apt_is_updated=yes
}

install_missing() {
  if [ -z "$missing" ]; then return 0; fi
  if [ "${may_install:?}" = no ]; then refuse "missing, and --no-install forbids installing:$missing"; fi
  if ! have apt-get; then refuse "missing, and there is no apt-get to install with:$missing"; fi
  update_apt
  say 'Installing with apt:'
  printf '%s' "$reasons"
  # $missing is a list.
  # shellcheck disable=SC2086
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends $missing \
    >>build/apt.log 2>&1 </dev/null || { tail -n 20 build/apt.log >&2; fail 'apt-get install failed; see build/apt.log'; }
  missing='' reasons=''
}

major_of() {
  case $1 in
    *++*) "$1" -dumpversion | cut -d . -f 1 ;;
    *) "$1" --version | sed -n '1s/.*version \([0-9][0-9]*\).*/\1/p' ;;
  esac
}
is_new_enough() { have "$1" && [ "$(major_of "$1")" -ge "$2" ] 2>/dev/null; }

# The major version apt would install of a package; nothing where it knows none. apt-cache takes a
# name it does not know for a pattern and answers with others, hence the comparison.
candidate_major() {
  apt-cache policy "$1" 2>/dev/null | awk -v name="$1:" '
    /^[^ ]/ { is_it = $0 == name }
    is_it && $1 == "Candidate:" { sub(/^[0-9]+:/, "", $2); if ($2 ~ /^[0-9]/) print int($2) }'
}

# find_versioned TOOL MINIMUM: TOOL-N with the highest N installed.
find_versioned() {
  n=$newest_version
  while [ "$n" -ge "$2" ]; do
    if have "$1-$n"; then say "$1-$n"; return 0; fi
    n=$((n - 1))
  done
  return 1
}

# package_for NAME MINIMUM: the package to install, NAME where that is new enough, else NAME-N;
# nothing where all are known and too old.
package_for() {
  if ! have apt-cache; then say "$1"; return 0; fi
  if [ "$(candidate_major "$1")" -ge "$2" ] 2>/dev/null; then say "$1"; return 0; fi
  n=$newest_version
  while [ "$n" -ge "$2" ]; do
    if [ -n "$(candidate_major "$1-$n")" ]; then say "$1-$n"; return 0; fi
    n=$((n - 1))
  done
  # Without apt's lists nothing is known, and the plain name says best what is meant.
  if [ -z "$(candidate_major "$1")" ]; then say "$1"; fi
}

find_gcc() { if is_new_enough g++ 12; then say g++; else find_versioned g++ 12; fi; }
find_clang() { find_versioned clang++ 16 || { is_new_enough clang++ 16 && say clang++; }; }
find_llvm_tool() {
  if have "$1-$preferred_llvm"; then say "$1-$preferred_llvm"; return 0; fi
  find_versioned "$1" 16 || { is_new_enough "$1" 16 && say "$1"; }
}

llvm_package() {
  if [ -n "$(candidate_major "$1-$preferred_llvm")" ]; then say "$1-$preferred_llvm"; else package_for "$1" 16; fi
}

want_gcc() {
  if find_gcc >/dev/null; then return 0; fi
  update_apt
  want "$(package_for g++ 12)" 'the C++ compiler (GCC 12 or newer)'
}

# Fails where the system offers no Clang that is new enough.
want_clang() {
  if find_clang >/dev/null; then return 0; fi
  update_apt
  package=$(llvm_package clang)
  if [ -z "$package" ]; then return 1; fi
  want "$package" 'the second compiler (Clang 16 or newer)'
}

# A package of its own in Debian, and with --no-install-recommends it does not come along.
want_clang_sanitizers() {
  clang=$(find_clang) || return 0
  echo 'int main() {}' | "$clang" -fsanitize=address -x c++ - -o /dev/null 2>/dev/null ||
    want "libclang-rt-$(major_of "$clang")-dev" "the sanitizers of $clang"
  # Debian's Clang looks for the one of its own version and for no other.
  case $clang in *-[0-9]*) want_command "llvm-symbolizer-${clang##*-}" "llvm-${clang##*-}" 'names in the reports of sanitizers' ;; esac
}

want_libraries() {
  want_command cmake cmake 'the build'
  want_command ninja ninja-build 'the build'
  want_header gtest/gtest.h libgtest-dev 'the tests'
  want_header CLI/CLI.hpp libcli11-dev 'the command line of the nopal tool'
  want_header fmt/core.h libfmt-dev 'the output of the nopal tool'
  want_header nlohmann/json.hpp nlohmann-json3-dev 'the reports of the nopal tool'
  want_header oneapi/tbb/concurrent_vector.h libtbb-dev "tests of oneTBB's own containers over these headers"
  if ! ls /usr/lib/llvm-*/include/clang-c/Index.h >/dev/null 2>&1; then
    parser=libclang-dev
    if [ -n "$(candidate_major "libclang-$preferred_llvm-dev")" ]; then parser="libclang-$preferred_llvm-dev"; fi
    want "$parser" "the parser of 'nopal cilk'"
  fi
  want_header event2/event.h libevent-dev 'strands that wait for descriptors (libnopal-io)'
}

# A package of its own in Debian. Without Clang nothing is wanted.
want_libomp() {
  clang=$(find_clang) || return 0
  echo 'int main() {}' | "$clang" -fopenmp -x c++ - -o /dev/null 2>/dev/null ||
    want "libomp-$(major_of "$clang")-dev" "libomp (OpenMP of $clang), which tests and a peer use"
}

# Packages of their own in Debian. Without Clang nothing is wanted.
want_libcxx() {
  clang=$(find_clang) || return 0
  if ! printf '#include <version>\n#ifndef _LIBCPP_VERSION\n#error\n#endif\nint main() {}' |
    "$clang" -stdlib=libc++ -x c++ - -o /dev/null 2>/dev/null; then
    want "libc++-$(major_of "$clang")-dev" "libc++, with which a test builds the library"
    want "libc++abi-$(major_of "$clang")-dev" "its C++ runtime"
  fi
}

# What the programs on other libraries take. Without Clang the peer libomp is left out.
want_peers() {
  want_header tbb/version.h libtbb-dev 'the peer oneTBB'
  if want_clang; then install_missing; fi
  want_libomp
}

# Fails where the system offers no clang-format or clang-tidy that is new enough.
want_lint_tools() {
  for tool in clang-format clang-tidy; do
    if find_llvm_tool $tool >/dev/null; then continue; fi
    update_apt
    package=$(llvm_package $tool)
    if [ -z "$package" ]; then return 1; fi
    want "$package" 'the checks of lint'
  done
  want_command git git 'the list of files to check'
  want_command shellcheck shellcheck 'the checks of lint'
}

want_test_tools() {
  want_command pkg-config pkg-config 'the tests of the installed package'
  want_command dpkg-shlibdeps dpkg-dev 'the test of the Debian packages'
  want_command lintian lintian 'the test of the Debian packages'
  want_command gdb gdb 'the test of backtraces in a debugger'
  want_command valgrind valgrind 'the test that counts instructions'
  want_command mpicc libopenmpi-dev 'strands that wait for MPI (libnopal-mpi)'
  want_command mpirun openmpi-bin 'the tests of libnopal-mpi'
  want_header thrust/version.h libthrust-dev 'a test of programs written for oneTBB'
}
