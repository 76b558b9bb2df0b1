#!/bin/sh
# usage: deb.sh WHERE SOURCE_DIR WORK_DIR      (environment: CMAKE)
# Makes the Debian packages, looks at them, installs them, and builds and runs programs with what was installed.
#   WHERE   root    an empty root for this system's dpkg
#           chroot  a fresh system, of Debian's archive; only if NOPAL_TEST_CHROOT=1
# Skipped (77), with a line that says why, where something is missing.
set -eu
where=$1 source_dir=$2 work_dir=$3
: "${CMAKE:?}"

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "$*"; exit 1; }
need() { command -v "$1" >/dev/null || skip "$1 is missing ($2)"; }

need dpkg-shlibdeps dpkg-dev
need cpack cmake
need g++ g++
if [ "$where" = chroot ]; then
  [ "${NOPAL_TEST_CHROOT-}" = 1 ] || skip 'it downloads a system, and runs with NOPAL_TEST_CHROOT=1 only'
  need mmdebstrap mmdebstrap
fi

consumer=$(cd "$(dirname "$0")" && pwd)/consumer
build=$work_dir/deb-$where
root=$work_dir/deb-$where-root
programs=$work_dir/deb-$where-programs
rm -rf "$root" "$programs" "$build"/*.deb
mkdir -p "$root" "$programs"

make_packages() {
  (cd "$source_dir" && "$CMAKE" --preset deb -B "$build")
  rm -f "$build/tools/nopal"
  "$CMAKE" --build "$build" --target nopal nopal_static --parallel 2
  if pack >"$programs/half.log" 2>&1; then
    fail 'cpack makes packages without the command, which is not built'
  fi
  rm -f "$build"/*.deb
  "$CMAKE" --build "$build" --parallel 2
  pack
}

# Package builders have files that others may read.
pack() { (umask 022 && cd "$build" && cpack -G DEB); }

field() { dpkg-deb --field "$1" "$2"; }

# holds TEXT WORD WHAT: whether TEXT has WORD.
holds() {
  case $1 in
    *"$2"*) ;;
    *) fail "$3: '$2' is not in: $1" ;;
  esac
}

look_at_packages() {
  libdir=usr/lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)
  runtime=$(echo "$build"/libnopal[0-9]*.deb)
  development=$(echo "$build"/libnopal-dev_*.deb)
  version=$(field "$runtime" Version)
  holds "$(field "$runtime" Depends)" 'libc6 (>=' 'the library depends'
  holds "$(field "$runtime" Depends)" 'libstdc++6 (>=' 'the library depends'
  holds "$(field "$development" Depends)" "$(field "$runtime" Package) (= $version)" 'the headers depend'
  dpkg-deb --fsys-tarfile "$runtime" | tar -xO "./$libdir/libnopal.so.$(field "$runtime" Package | tr -dc 0-9).$(echo "$version" | cut -d- -f1)" >"$programs/library"
  soname=$(readelf --dynamic "$programs/library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
  [ "lib$(field "$runtime" Package | sed 's/^lib//; s/[0-9]*$//').so.$(field "$runtime" Package | tr -dc 0-9)" = "$soname" ] ||
    fail "the package $(field "$runtime" Package) holds $soname"
  holds "$(dpkg-deb --info "$runtime" shlibs)" "libnopal ${soname##*.} $(field "$runtime" Package) (>=" 'shlibs'
  for package in "$build"/*.deb; do
    name=$(field "$package" Package)
    for word in Maintainer Section Priority Description; do
      [ -n "$(field "$package" $word)" ] || fail "$name has no $word"
    done
    files=$(dpkg-deb --contents "$package")
    holds "$files" "/usr/share/doc/$name/copyright" "$name"
    holds "$files" "/usr/share/doc/$name/changelog.Debian.gz" "$name"
  done
  for package in "$build"/libnopal-io[0-9]*.deb; do
    [ -e "$package" ] || continue
    holds "$(field "$package" Depends)" "$(field "$runtime" Package) (= $version)" 'libnopal-io depends'
    holds "$(field "$package" Depends)" 'libevent-core' 'libnopal-io depends'
  done
  tools=$(echo "$build"/nopal-tools_*.deb)
  holds "$(field "$tools" Depends)" "$(field "$runtime" Package) (= $version)" 'the command depends'
  holds "$(dpkg-deb --contents "$tools")" ' ./usr/bin/nopal' 'nopal-tools'
  if command -v lintian >/dev/null; then
    lintian --fail-on error --suppress-tags "initial-upload-closes-no-bugs" "$build"/*.deb || fail 'lintian found errors'
  else
    echo 'lintian is missing: the packages are not checked by it'
  fi
}

# The packages of this system are taken for installed, so that dependencies are checked; none of their files is there.
install_into_root() {
  mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers" "$root/etc" "$root/bin"
  awk 'BEGIN { RS = ""; ORS = "\n\n" } $0 !~ /^Package: (lib)?nopal/' /var/lib/dpkg/status >"$root/var/lib/dpkg/status"
  # The linker's cache of this system is not for us to renew.
  printf '#!/bin/sh\n' >"$root/bin/ldconfig"
  chmod +x "$root/bin/ldconfig"
  on_root --install "$build"/*.deb
}

on_root() {
  PATH=$root/bin:$PATH:/usr/sbin:/sbin
  as_root dpkg "--root=$root" --force-script-chrootless --force-not-root --log=/dev/null "$@" 2>"$root/dpkg.log" ||
    { grep -v 'files list file for package' "$root/dpkg.log"; fail 'dpkg failed'; }
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else fakeroot "$@"; fi; }

# build_with_cmake NAME TARGET: the consumer's programs with the package that is in the root, and only there.
build_with_cmake() {
  "$CMAKE" -S "$consumer" -B "$programs/$1" -DCMAKE_BUILD_TYPE=Release "-DNOPAL_TARGET=$2" -DCMAKE_CXX_COMPILER=g++ \
    -DCMAKE_C_COMPILER=gcc "-DCMAKE_FIND_ROOT_PATH=$root" -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY
  "$CMAKE" --build "$programs/$1" --parallel 2
  grep "^nopal_DIR:.*=$root/" "$programs/$1/CMakeCache.txt" || fail "$1: the package found is another one"
  for program in consumer consumer_c; do "$programs/$1/$program"; done
}

build_with_pkg_config() {
  command -v pkg-config >/dev/null || { echo 'pkg-config is missing: its file is not tried'; return 0; }
  # Lists of options.
  # shellcheck disable=SC2046
  g++ -std=c++20 -O2 "$consumer/consumer.cpp" -o "$programs/by_pkg_config" \
    $(PKG_CONFIG_LIBDIR="$root/$libdir/pkgconfig" pkg-config --cflags --libs nopal)
  LD_LIBRARY_PATH="$root/$libdir" "$programs/by_pkg_config"
}

# Where libevent was there to build with.
build_with_io() {
  [ -e "$root/$libdir/libnopal-io.so" ] || { echo 'libnopal-io was not built: it is not tried'; return 0; }
  # shellcheck disable=SC2046
  g++ -std=c++20 -O2 "$consumer/io.cpp" -o "$programs/io_by_pkg_config" \
    $(PKG_CONFIG_PATH="$root/$libdir/pkgconfig" pkg-config --cflags --libs nopal-io)
  LD_LIBRARY_PATH="$root/$libdir" "$programs/io_by_pkg_config"
  "$CMAKE" -S "$consumer" -B "$programs/io" -DNOPAL_IO=ON -DCMAKE_CXX_COMPILER=g++ -DCMAKE_C_COMPILER=gcc \
    "-DCMAKE_FIND_ROOT_PATH=$root" -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY
  "$CMAKE" --build "$programs/io"
  "$programs/io/consumer_io"
}

needs_library() { readelf --dynamic "$1" | grep -q 'NEEDED.*libnopal'; }

try_in_root() {
  install_into_root
  build_with_cmake shared nopal::nopal
  needs_library "$programs/shared/consumer" || fail 'the program does not use the shared library'
  build_with_cmake static nopal::nopal_static
  if needs_library "$programs/static/consumer"; then fail 'the program uses the shared library'; fi
  build_with_pkg_config
  build_with_io
  LD_LIBRARY_PATH="$root/$libdir" "$root/usr/bin/nopal" --version
  LD_LIBRARY_PATH="$root/$libdir" "$root/usr/bin/nopal" doctor
  # shellcheck disable=SC2046
  on_root --purge nopal-tools $(for one in "$build"/libnopal-io*.deb; do [ ! -e "$one" ] || field "$one" Package; done) \
    libnopal-dev "$(field "$runtime" Package)"
  left=$(find "$root/usr" ! -type d 2>/dev/null || true)
  [ -z "$left" ] || fail "left behind: $left"
}

# The same as a user types it, on a system with nothing else.
try_in_chroot() {
  suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  cp "$build"/*.deb "$consumer"/* "$programs"
  cat >"$programs/try.sh" <<'END'
set -eu
cd /try
apt-get install -y ./*.deb
g++ -std=c++20 -O2 consumer.cpp -o consumer $(pkg-config --cflags --libs nopal)
gcc -std=c11 -O2 consumer.c -o consumer_c $(pkg-config --cflags --libs nopal)
g++ -std=c++20 -O2 consumer.cpp -o consumer_static -static $(pkg-config --static --cflags --libs nopal)
cmake -S . -B build
cmake --build build
for program in ./consumer ./consumer_c ./consumer_static build/consumer build/consumer_c; do $program; done
nopal --version
nopal doctor
apt-get purge -y $(dpkg-query -W -f '${Package} ' 'libnopal[0-9]*') libnopal-dev 'libnopal-io*' nopal-tools
if find / -xdev -name '*nopal*' ! -path '/try/*' ! -path '/proc/*' ! -path '/var/*' | grep .; then exit 1; fi
END
  mmdebstrap --variant=apt --include=g++,make,cmake,pkg-config --customize-hook="mkdir \"\$1/try\"" \
    --customize-hook="cp -R '$programs'/* \"\$1/try\"" --customize-hook="chroot \"\$1\" sh /try/try.sh" "$suite" /dev/null
}

case $where in
  root) if [ "$(id -u)" != 0 ]; then need fakeroot fakeroot; fi ;;
esac
make_packages
look_at_packages
"try_in_$where"
