#!/bin/sh
# options.sh PROGRAM: by itself, a rank without mpirun. Help on stdout, and one line on stderr for what is not understood.
set -eu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
"$1" --help | grep -q '^usage: mpirun -n RANKS '

# refuses LINE ARGUMENT...
refuses() {
  line=$1
  shift
  code=0
  said=$("$program" "$@" 2>&1) || code=$?
  if [ $code != 2 ] || [ "$(printf '%s\n' "$said" | wc -l)" != 1 ]; then
    printf '%s: exit code %s\n%s\n' "$*" $code "$said"
    exit 1
  fi
  case $said in *"$line"*) ;; *) printf '%s\n' "$said"; exit 1 ;; esac
}

program=$1
refuses "--level '4': accepted: a whole number from 1 to 3" --level 4
refuses "--level '': accepted: a whole number from 1 to 3" --level
refuses "--level '2x': accepted: a whole number from 1 to 3" --level 2x
refuses '--nothing: no option; accepted: --help' --nothing
