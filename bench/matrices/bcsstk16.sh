#!/bin/sh
# Writes bcsstk16.mtx, a matrix of 4,884 rows for `nopal bench cholesky --matrix`; see README.md beside this file.
# usage: bcsstk16.sh [FILE]
set -eu

file=${1:-bcsstk16.mtx}
package=suitesparse version=5.12.0+dfsg
member=SuiteSparse-5.12.0/CSparse/Matrix/bcsstk16
digest=44ff2c8750b6134a6a22874b0dde9f37463faad954a662e047b9e6ed0f21edb5

# A list of package sources of its own: machines are seldom set up for source packages.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
echo 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main' >"$work/sources.list"
apt_get() {
  apt-get -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User="$(id -un)" "$@" >&2
}
apt_get update
(cd "$work" && apt_get source --download-only "$package=1:$version-2")

# Lines "row column value" that count from 0, on and below the diagonal.
tar -xJf "$work/${package}_$version.orig.tar.xz" -C "$work" "$member"
echo "$digest  $work/$member" | sha256sum --check --quiet
{
  echo '%%MatrixMarket matrix coordinate real symmetric'
  echo "4884 4884 $(wc -l <"$work/$member")"
  awk '{ print $1 + 1, $2 + 1, $3 }' "$work/$member"
} >"$file"
echo "$file written"
