#!/bin/sh
# Headers of another binary interface than the library's must not link, nor programs without the library, and the linker's last lines must say why.
# Usage: abi_mismatch.sh INCLUDE LIBRARY CC CXX
set -eu
include=$1
library=$2
cc=$3
cxx=$4

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
name=nopal_library_is_missing_or_differs_from_headers__expected_abi_
ours=$(sed -n 's/^#define NOPAL_ABI \([0-9]*\)$/\1/p' "$include/nopal/version.hpp")

cat >"$place/user.cpp" <<'END'
#include <nopal/nopal.hpp>
int main() { nopal::scope s; s.fork([] {}); s.join(); }
END
cat >"$place/user.c" <<'END'
#include <nopal/nopal.h>
static void child(void);
NOPAL_FORKABLE_VOID(child)
static void child(void) {}
int main(void) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_child(&s);
  nopal_join(&s);
  return 0;
}
END

# compile LANGUAGE [flag...]: a program of these headers, linked with $linked by the C++ compiler.
compile() {
  language=$1
  shift
  case $language in
    cpp) "$cxx" -std=c++20 "$@" -I "$include" -c "$place/user.cpp" -o "$place/user.o" ;;
    c) "$cc" -std=gnu11 "$@" -I "$include" -c "$place/user.c" -o "$place/user.o" ;;
  esac
  # shellcheck disable=SC2086 # a list, or nothing
  "$cxx" "$place/user.o" $linked -pthread -Wl,-rpath,"$(dirname "$library")" -o "$place/user" 2>"$place/said"
}

for language in cpp c; do
  linked=$library
  compile "$language" || { cat "$place/said"; echo "$language: does not link with its own library"; exit 1; }
  if compile "$language" "-D$name$ours=${name}other"; then
    echo "$language: links with headers of another binary interface"
    exit 1
  fi
  grep -q "${name}other" "$place/said" || { cat "$place/said"; echo "$language: the linker does not say why"; exit 1; }
  linked=
  if compile "$language"; then
    echo "$language: links without the library"
    exit 1
  fi
  grep 'undefined' "$place/said" | tail -n 2 | grep -q 'library_is_missing' ||
    { cat "$place/said"; echo "$language: the linker does not say at last that the library is missing"; exit 1; }
done
