#!/bin/sh
# usage: conan.sh LINKAGE SOURCE_DIR WORK_DIR      (environment: CC, CXX)
# Makes Nopal's package of Conan 2 from nothing, without any server, and builds and runs its test package.
# Skipped (77) without Conan, which Debian has no package of: pip install conan
set -eu
linkage=$1 source_dir=$2 work_dir=$3
: "${CC:?}" "${CXX:?}"

case $(conan --version 2>/dev/null) in
  'Conan version 2.'*) ;;
  *) echo 'skipped: conan 2 is missing (pip install conan)'; exit 77 ;;
esac
case $linkage in
  static) shared=False ;;
  shared) shared=True ;;
esac

CONAN_HOME=$work_dir/conan-$linkage
export CONAN_HOME
rm -rf "$CONAN_HOME"
conan profile detect
# The test package builds where it lies, so it lies elsewhere.
recipe=$work_dir/conan-$linkage-recipe
rm -rf "$recipe"
mkdir -p "$recipe/packaging"
(cd "$source_dir" && cp -R CMakeLists.txt LICENSE check cmake include src "$recipe" && cp -R packaging/conan "$recipe/packaging")
conan create "$recipe/packaging/conan" --build=missing --no-remote -s compiler.cppstd=20 -o "nopal/*:shared=$shared" \
  -c "tools.build:compiler_executables={'c': '$CC', 'cpp': '$CXX'}"
