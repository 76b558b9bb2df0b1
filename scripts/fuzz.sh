# ./dev fuzz: the targets of tests/fuzz, for as long as one likes. Sourced by ./dev.
# shellcheck shell=sh

# fuzz_target NAME: runs one target of the build $fuzz_build for $seconds.
fuzz_target() {
  log=build/fuzz-$1.log findings=build/fuzz-findings
  mkdir -p $findings "build/fuzz-corpus/$1"
  program=${root:?}/build/$fuzz_build/tests/fuzz/$1
  case $1,$fuzz_build in
    command_line,*) set -- python3 -B "${root:?}/tests/fuzz/command_line_test.py" "${root:?}/build/$fuzz_build/tools/nopal" ;;
    *,clang-fuzz)
      # What it finds new goes to the first directory, what is read only comes after it.
      set -- "$program" -max_total_time="$seconds" -timeout=60 -print_final_stats=1 -artifact_prefix="${root:?}/$findings/$1-" \
        -dict="${root:?}/tests/fuzz/$1.dict" "${root:?}/build/fuzz-corpus/$1" "${root:?}/tests/fuzz/corpus/$1" ;;
    *) set -- "$program" -dict="${root:?}/tests/fuzz/$1.dict" "${root:?}/tests/fuzz/corpus/$1" ;;
  esac
  : >"$log"
  (cd $findings && logged "${root:?}/$log" env NOPAL_FUZZ_SECONDS="$seconds" NOPAL_FUZZ_SEED="$(date +%s)" "$@") || return 1
  awk '/^stat::number_of_executed_units/ { print $2 " executions" } / executions$| runs: / { print }' "$log"
}

# Inputs that libFuzzer found worth keeping stay in build/fuzz-corpus, those that failed in build/fuzz-findings.
fuzz() {
  seconds=60 chosen=''
  while [ $# -gt 0 ]; do
    case $1 in
      --seconds) value_of "$1" $#; seconds=$2; shift ;;
      --target) value_of "$1" $#; chosen=$2; shift ;;
      *) refuse "unknown option '$1' of fuzz; accepted: --seconds --target --no-install" ;;
    esac
    shift
  done
  case $seconds in '' | 0* | *[!0-9]*) refuse "--seconds takes a whole number from 1, not '$seconds'" ;; esac
  targets="$(basename -s _fuzz.cpp tests/fuzz/*_fuzz.cpp | tr '\n' ' ')command_line"
  # $targets is a list.
  # shellcheck disable=SC2086
  if [ -n "$chosen" ]; then one_of target "$chosen" $targets; targets=$chosen; fi
  want_command python3 python3 'the random command lines'
  fuzz_compiler=clang preset=fuzz
  if ! want_clang; then
    say "Fuzzing without libFuzzer: this system's packages have no Clang 16 or newer."
    fuzz_compiler=gcc preset=release
  fi
  prepare_build $fuzz_compiler
  fuzz_build=$fuzz_compiler-$preset
  if build_targets $fuzz_compiler $preset tests/fuzz/all nopal_command; then
    for target in $targets; do check "fuzz $target" fuzz_target "$target"; done
  else
    # shellcheck disable=SC2034 # close_with_counts reads it
    failed=1
  fi
  close_with_counts
}
