# Builds for processors that this machine is not, whose tests an emulator runs: ./dev test --processor. Sourced by ./dev.
# shellcheck shell=sh
# shellcheck disable=SC2034 # test.sh reads what is set here

emulated_processors=$(for file in "${root:?}"/cmake/toolchains/*-linux-gnu.cmake; do basename "$file" -linux-gnu.cmake; done | tr '\n' ' ' | sed 's/ $//')
# What such a build has of kinds, and what a short round takes of them.
emulated_kinds=unit,runtime,c,process,codegen,programs
emulated_core='^(unit\.(os_test|pool|views|roots|short_regions|deque|settings)|c\.(c_interface|fibril_programs|fibril_types|missing_join|thrown\.c_O2)|codegen\.checker|programs\.'
emulated_core="$emulated_core"'|runtime\.(scopes|strand|float|pinned|exceptions|exception_state|exceptions_in_flight|foreign_exceptions'
emulated_core="$emulated_core"'|futures|promises|reducers|reducer_exceptions|roots|waiting|blocking|arenas|inlets|stopped_joins|statistics)\.'

# core_of NAME: the tests of a short round for that processor, as a regular expression. Of the corpora one.
core_of() {
  case $1 in
    aarch64) say "$emulated_core|codegen\\.corpus_O2_branch_protection)" ;;
    *) say "$emulated_core|codegen\\.corpus_O2\$)" ;;
  esac
}

# want_processor NAME: the cross compiler, the emulator, and the test framework's sources.
want_processor() {
  triple=$1-linux-gnu
  want_command "$triple-g++" "g++-$(say "$triple" | tr _ -)" "the compiler for $1"
  want_command "qemu-$1" qemu-user "programs of $1 on this machine"
  if [ ! -e /usr/src/googletest/CMakeLists.txt ]; then want googletest "the test framework's sources, for $1"; fi
}

# build_googletest NAME: in build/NAME-googletest, once.
build_googletest() {
  prefix=${root:?}/build/$1-googletest
  if [ -e "$prefix/lib/libgtest.a" ]; then return 0; fi
  say "$1: building GoogleTest"
  logged "build/$1-googletest.log" cmake -S /usr/src/googletest -B "$prefix/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$root/cmake/toolchains/$1-linux-gnu.cmake" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib &&
    logged "build/$1-googletest.log" cmake --build "$prefix/build" --target install
}
