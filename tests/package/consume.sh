#!/bin/sh
# usage: consume.sh WAY LINKAGE SOURCE_DIR WORK_DIR      (environment: CC, CXX, CMAKE)
# Reaches Nopal the way a user does and runs a program with it.
#   WAY      install, install_library, tbb_headers, find_package, pkg_config, subdirectory, fetch_git, fetch_archive;
#            find_package_in_c, subdirectory_in_c: of a project in C alone;
#            find_package_tbb: of a project that looks for oneTBB;
#            find_package_components: what the package says of those that there are, and of others;
#            find_package_io, pkg_config_io, subdirectory_io: with libnopal-io; the same with _mpi;
#            subdirectory_of_watched: of a project that has -fsanitize=thread for all it contains
#   LINKAGE  static, shared
set -eu
way=$1 linkage=$2 source_dir=$3 work_dir=$4
: "${CC:?}" "${CXX:?}" "${CMAKE:?}"

consumer=$(dirname "$0")/consumer
build=$work_dir/$way-$linkage
prefix=$work_dir/prefix-$linkage
case $linkage in
  static) shared=OFF ;;
  shared) shared=ON ;;
esac

# One rank by itself, which containers run as root.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Several sources as one: users' projects may ask for that, and it is quicker. Each alone is what the tests are built with.
unity=-DCMAKE_UNITY_BUILD=ON

configure_and_build() {
  rm -rf "$build"
  "$CMAKE" -B "$build" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS="$shared" "$@"
  "$CMAKE" --build "$build" --parallel 2
}

# refuses PREFIX COMPONENT MESSAGE: the package there does not have the component, and says so. CMake breaks lines.
refuses() {
  if "$CMAKE" -B "$build-refused" -S "$consumer" "-DCMAKE_PREFIX_PATH=$1" "-DNOPAL_COMPONENTS=$2" >"$build-refused.log" 2>&1; then
    echo "the component $2 was found"; exit 1
  fi
  tr -s ' \n' ' ' <"$build-refused.log" | grep -qF "$3" || { cat "$build-refused.log"; exit 1; }
}

run_programs() {
  ran=no
  for program in "$build"/consumer "$build"/consumer_c "$build"/consumer_io "$build"/consumer_mpi; do
    if [ -e "$program" ]; then "$program"; ran=yes; fi
  done
  if [ $ran = no ] && [ "$way" != install ]; then echo 'no program was built'; exit 1; fi
}

pkg_config() {
  command -v pkg-config >/dev/null || exit 77
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name nopal.pc)")
  export PKG_CONFIG_PATH
  warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror'
  rpath=-Wl,-rpath,$(pkg-config --variable=libdir nopal)
  mkdir -p "$build"
  # The unquoted expansions are lists of options.
  # shellcheck disable=SC2046,SC2086
  "$CXX" -std=c++20 -O2 $warnings "$consumer/consumer.cpp" -o "$build/consumer" \
    $(pkg-config --cflags --libs nopal) "$rpath"
  if [ -e "$source_dir/include/nopal/nopal.h" ]; then
    # shellcheck disable=SC2046,SC2086
    "$CC" -std=c11 -O2 $warnings "$consumer/consumer.c" -o "$build/consumer_c" \
      $(pkg-config --cflags --libs nopal) "$rpath"
  fi
}

# pkg_config_of NAME: of libnopal-NAME.
pkg_config_of() {
  command -v pkg-config >/dev/null || exit 77
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name "nopal-$1.pc")")
  export PKG_CONFIG_PATH
  rm -rf "$build"
  mkdir -p "$build"
  # Lists of options.
  # shellcheck disable=SC2046
  "$CXX" -std=c++20 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror "$consumer/$1.cpp" -o "$build/consumer_$1" \
    $(pkg-config --cflags --libs "nopal-$1") "-Wl,-rpath,$(pkg-config --variable=libdir nopal)"
}

# copy_sources DIRECTORY: what the library takes, and nothing else of the project.
copy_sources() {
  rm -rf "$1"
  mkdir -p "$1"
  (cd "$source_dir" && cp -R CMakeLists.txt LICENSE check cmake include src "$1")
}

case $way in
  install)
    # Without a switch it is the library alone.
    configure_and_build -S "$source_dir" -DCMAKE_INSTALL_PREFIX="$prefix-moved" $unity
    for folder in tools bench tests examples; do
      if [ -e "$build/$folder" ]; then echo "$folder was configured, though nobody asked for it"; exit 1; fi
    done
    rm -rf "$prefix" "$prefix-moved"
    "$CMAKE" --install "$build"
    # An installed tree must still work elsewhere.
    mv "$prefix-moved" "$prefix"
    ;;
  install_library)
    # Tools are chosen, and not built: what is there is installed. Beside a shared library, the archive too.
    rm -rf "$build" "$build-prefix"
    "$CMAKE" -B "$build" -S "$source_dir" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$build-prefix" \
      -DBUILD_SHARED_LIBS="$shared" -DNOPAL_BUILD_ARCHIVE=ON -DNOPAL_BUILD_TOOLS=ON \
      -DCMAKE_EXPORT_COMPILE_COMMANDS=ON $unity
    if grep 'NOPAL_CILK_LIBDIR=[\\"]* ' "$build/compile_commands.json"; then
      echo 'nopal cilk, once installed, would look for the library in no folder'; exit 1
    fi
    "$CMAKE" --build "$build" --parallel 2 --target nopal
    "$CMAKE" --install "$build"
    if [ -e "$build-prefix/bin" ]; then echo 'the folder bin is installed empty'; exit 1; fi
    if find "$build-prefix" -name in_place | grep .; then echo 'the folder in_place is installed empty'; exit 1; fi
    rm -rf "$build"
    refuses "$build-prefix" check 'nopal: the component check: libnopal_check is not installed beside it'
    configure_and_build -S "$consumer" "-DCMAKE_PREFIX_PATH=$build-prefix"
    ;;
  tbb_headers)
    # The command of docs/tbb.md.
    rm -rf "$build"
    mkdir -p "$build"
    cp "$consumer/tbb.cpp" "$build/program.cpp"
    command=$(sed -n 's/^g++ //p' "$source_dir/docs/tbb.md")
    (cd "$build" && eval "$CXX $command -o consumer")
    ;;
  find_package)
    configure_and_build -S "$consumer" "-DCMAKE_PREFIX_PATH=$prefix"
    ;;
  find_package_tbb)
    found=$(dirname "$(find "$prefix" -name TBBConfig.cmake)")
    configure_and_build -S "$consumer" "-DTBB_DIR=$found" -DNOPAL_TBB=ON
    if "$CMAKE" -B "$build-refused" -S "$consumer" "-DTBB_DIR=$found" -DNOPAL_TBB=ON -DNOPAL_COMPONENTS=tbbbind_2_5 \
      >"$build-refused.log" 2>&1; then
      echo 'the component tbbbind_2_5 was found'; exit 1
    fi
    tr -s ' \n' ' ' <"$build-refused.log" | grep -qF 'nopal: the component tbbbind_2_5 of TBB is not here' || { cat "$build-refused.log"; exit 1; }
    "$build/consumer_tbb"
    exit
    ;;
  find_package_in_c)
    configure_and_build -S "$consumer" "-DCMAKE_PREFIX_PATH=$prefix" -DNOPAL_IN_C=ON
    ;;
  subdirectory_in_c)
    configure_and_build -S "$consumer" "-DNOPAL_SOURCE_DIR=$source_dir" -DNOPAL_IN_C=ON $unity
    ;;
  subdirectory)
    configure_and_build -S "$consumer" "-DNOPAL_SOURCE_DIR=$source_dir" $unity
    ;;
  find_package_io)
    configure_and_build -S "$consumer" "-DCMAKE_PREFIX_PATH=$prefix" -DNOPAL_IO=ON
    ;;
  find_package_components)
    configure_and_build -S "$consumer" "-DCMAKE_PREFIX_PATH=$prefix" -DNOPAL_IN_C=ON -DNOPAL_COMPONENTS=check \
      -DNOPAL_TARGET=nopal::check
    refuses "$prefix" tools 'nopal: there is no component tools; accepted: check, io, mpi'
    ;;
  subdirectory_io)
    configure_and_build -S "$consumer" "-DNOPAL_SOURCE_DIR=$source_dir" -DNOPAL_IO=ON $unity
    ;;
  find_package_mpi)
    configure_and_build -S "$consumer" "-DCMAKE_PREFIX_PATH=$prefix" -DNOPAL_MPI=ON
    ;;
  subdirectory_mpi)
    configure_and_build -S "$consumer" "-DNOPAL_SOURCE_DIR=$source_dir" -DNOPAL_MPI=ON $unity
    ;;
  pkg_config_io | pkg_config_mpi)
    pkg_config_of "${way#pkg_config_}"
    ;;
  subdirectory_of_watched)
    configure_and_build -S "$consumer" "-DNOPAL_SOURCE_DIR=$source_dir" $unity \
      -DCMAKE_C_FLAGS=-fsanitize=thread -DCMAKE_CXX_FLAGS=-fsanitize=thread
    ;;
  fetch_git)
    command -v git >/dev/null || { echo 'git is missing'; exit 77; }
    repository=$work_dir/$way-$linkage-repository
    copy_sources "$repository"
    git -C "$repository" init --quiet --initial-branch=main
    git -C "$repository" add .
    git -C "$repository" -c user.name=test -c user.email=test@localhost -c commit.gpgsign=false commit --quiet -m 'A release'
    configure_and_build -S "$consumer" "-DNOPAL_GIT=file://$repository" $unity
    ;;
  fetch_archive)
    copy_sources "$work_dir/$way-$linkage-sources/nopal-release"
    tar -C "$work_dir/$way-$linkage-sources" -czf "$work_dir/$way-$linkage.tar.gz" nopal-release
    configure_and_build -S "$consumer" "-DNOPAL_ARCHIVE=file://$work_dir/$way-$linkage.tar.gz" $unity
    ;;
  pkg_config)
    pkg_config
    ;;
esac
run_programs
if [ -e "$build"/consumer_tbb ]; then "$build"/consumer_tbb; fi
