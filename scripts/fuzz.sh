# ./dev fuzz: the targets of tests/unit/fuzz, for as long as one likes. Sourced by ./dev.
# shellcheck shell=sh

# fuzz_target NAME: runs one target of the build $fuzz_build for $seconds.
fuzz_target() {
  log=build/fuzz-$1.log findings=build/fuzz-findings
  mkdir -p $findings "build/fuzz-corpus/$1"
  program=${root:?}/build/$fuzz_build/tests/fuzz/$1
  corpus=${root:?}/build/$fuzz_build/tests/unit/fuzz/corpus/$1
  case $1,$fuzz_build in
    command_line,*) set -- python3 -B "${root:?}/tests/unit/fuzz/command_line_test.py" "${root:?}/build/$fuzz_build/tools/nopal" ;;
    *,clang-fuzz)
      # What it finds new goes to the first directory, what is read only comes after it.
      set -- "$program" -max_total_time="$seconds" -timeout=60 -print_final_stats=1 -artifact_prefix="${root:?}/$findings/$1-" \
        -dict="${root:?}/tests/unit/fuzz/$1.dict" "${root:?}/build/fuzz-corpus/$1" "$corpus" ;;
    *) set -- "$program" -dict="${root:?}/tests/unit/fuzz/$1.dict" "$corpus" ;;
  esac
  : >"$log"
  (cd $findings && logged "${root:?}/$log" env NOPAL_FUZZ_SECONDS="$seconds" NOPAL_FUZZ_SEED="$(date +%s)" "$@") || return 1
  awk '/^stat::number_of_executed_units/ { print $2 " executions" } / executions$| runs: / { print }' "$log"
}

# fuzz_programs SECONDS SEED: random programs against their elision. A failure is kept in
# build/programs-findings, and reduced.
fuzz_programs() {
  want_command python3 python3 'the generator of programs'
  if ! want_clang; then say "Generating for GCC alone: this system's packages have no Clang 16 or newer."; fi
  prepare_build gcc
  build_targets gcc release nopal_take_all || fail 'the build failed'
  set -- --seconds "$1" ${2:+--seed "$2"}
  # shellcheck disable=SC2154 # jobs is ./dev's
  check 'fuzz programs' python3 -B "${root:?}/tests/codegen/programs/fuzz_programs.py" --jobs "$jobs" \
    --library "${root:?}/build/gcc-release/tests/programs/libnopal_take_all.a" --findings "${root:?}/build/programs-findings" "$@"
  close_with_counts
}

# Inputs that libFuzzer found worth keeping stay in build/fuzz-corpus, those that failed in
# build/fuzz-findings.
fuzz() {
  seconds=60 chosen='' programs=no seed=''
  while [ $# -gt 0 ]; do
    case $1 in
      --seconds) value_of "$1" $#; seconds=$2; shift ;;
      --target) value_of "$1" $#; chosen=$2; shift ;;
      --programs) programs=yes ;;
      --seed) value_of "$1" $#; seed=$2; shift ;;
      *) refuse "$1: not an option of fuzz; accepted: --seconds --target --programs --seed --no-install" ;;
    esac
    shift
  done
  number_of --seconds "$seconds" 1
  number_of --seed "${seed:-0}" 0
  if [ $programs = yes ]; then
    if [ -n "$chosen" ]; then refuse "--target: not with --programs; accepted: --seconds --seed --no-install"; fi
    fuzz_programs "$seconds" "$seed"
    return
  fi
  if [ -n "$seed" ]; then refuse "--seed: not without --programs; accepted: --seconds --target --no-install"; fi
  targets="$(basename -s _fuzz.cpp tests/unit/fuzz/*_fuzz.cpp | tr '\n' ' ')command_line"
  # $targets is a list.
  # shellcheck disable=SC2086
  if [ -n "$chosen" ]; then one_of --target "$chosen" $targets; targets=$chosen; fi
  want_command python3 python3 'the random command lines'
  fuzz_compiler=clang preset=fuzz
  if ! want_clang; then
    say "Fuzzing without libFuzzer: this system's packages have no Clang 16 or newer."
    fuzz_compiler=gcc preset=release
  fi
  prepare_build $fuzz_compiler
  fuzz_build=$fuzz_compiler-$preset
  if build_targets $fuzz_compiler $preset tests_fuzz nopal_command; then
    for target in $targets; do check "fuzz $target" fuzz_target "$target"; done
  else
    # shellcheck disable=SC2034 # close_with_counts reads it
    failed=1
  fi
  close_with_counts
}
