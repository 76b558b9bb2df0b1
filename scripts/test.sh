# ./dev test and ./dev stress: what is built for a run of the tests, and the run. Sourced by ./dev.
# shellcheck shell=sh

passed=0
failed=0

# count FILE STATUS: the test cases of a JUnit file with this status.
count() { grep -c "<testcase .*status=\"$2\"" "$1" || true; }

# run_tests NAME CTEST_OPTION...: adds to $passed and $failed.
run_tests() {
  name=$1 log=build/$1.test.log results=${root:?}/build/$1/junit.xml
  shift
  say "$name: testing"
  rm -f "$results"
  ended_well=yes
  started=$(date +%s)
  # shellcheck disable=SC2154 # jobs is ./dev's
  ctest --test-dir "build/$name" --parallel "$jobs" --output-on-failure --output-junit "$results" "$@" \
    >"$log" 2>&1 </dev/null || ended_well=no
  if [ $ended_well = no ]; then grep -Ev '^ *Start |^ *[0-9]+/[0-9]+ .* Passed ' "$log" | tail -n 100; fi
  if [ ! -e "$results" ]; then
    say "$name: ctest ended without results, see $log"
    failed=$((failed + 1))
    return 0
  fi
  now_passed=$(count "$results" run)
  now_failed=$(count "$results" fail)
  # A test whose program is missing fails ctest, and counts as not run.
  if [ $ended_well = no ] && [ "$now_failed" = 0 ]; then now_failed=1; fi
  skipped=$(($(count "$results" notrun) + $(count "$results" disabled)))
  say "$name: $now_passed passed, $now_failed failed, $skipped skipped in $(($(date +%s) - started)) s; the log is in $log"
  note_slowest "$name" "$results"
  passed=$((passed + now_passed)) failed=$((failed + now_failed))
}

slowest=''

# note_slowest NAME FILE: keeps the ten slowest tests of a JUnit file that took a second or more.
note_slowest() {
  slowest="$slowest$(sed -n 's/.*<testcase name="\([^"]*\)".* time="\([0-9]*\)\(\.[0-9]\)\{0,1\}[0-9]*".*/\2\3 \1/p' "$2" |
    sort -rn | head -n 10 | awk -v build="$1" '$1 >= 1 { printf "%8.1f s  %s: %s\n", $1, build, $2 }')
"
}

# The closing line of commands that check something, and their exit code.
close_with_counts() {
  if [ -n "$(printf %s "$slowest")" ]; then printf 'The slowest tests:\n%s\n' "$slowest" | sed '/^$/d'; fi
  say "$passed passed, $failed failed"
  [ "$failed" = 0 ] && [ "$passed" != 0 ]
}

# The kinds of --quick.
quick_kinds=unit,runtime,patterns,process,c

# The kinds of tests, and the folders that hold several kinds and are named after none.
known_kinds() {
  sed -n 's/^nopal_test_folder(\([a-z]*\) KINDS \(.*\))$/\1 \2/p' tests/CMakeLists.txt | tr ' ' '\n' | sort -u
}

# choose NAME WHEN OPTION...: what scripts/select_tests.py says of the build NAME.
choose() {
  chosen_for=$1 when=$2
  shift 2
  python3 -B scripts/select_tests.py "$when" "build/$chosen_for" "${root:?}" "$@"
}

# test_build COMPILER CTEST_OPTION...: builds what is to run, and runs it. Which tests there are is
# known once it is configured.
test_build() {
  compiler=$1 name=$1-${preset:?}
  shift
  targets=''
  for kind in $(say "$kinds" | tr , ' '); do targets="$targets tests_$kind"; done
  if [ -n "$filter$since" ] || [ "$one_in" != 1 ]; then
    # Names of earlier builds would be run, too.
    set -- "$@" -E '_NOT_BUILT$'
    configure "$compiler" "$preset" || return 1
    targets=$(choose "$name" before ${kinds:+--kinds "$kinds"} ${filter:+--filter "$filter"} ${since:+--since "$since"} \
      --one-in "$one_in" --draw "$drawn") || return 1
    if [ -z "$targets" ]; then return 0; fi
    # $targets is a list.
    # shellcheck disable=SC2086
    build_configured "$compiler" "$preset" $targets || return 1
  else
    # shellcheck disable=SC2086
    build_targets "$compiler" "$preset" $targets || return 1
  fi
  if [ -n "$since" ] || [ "$one_in" != 1 ]; then
    numbers=$(choose "$name" after ${filter:+--filter "$filter"} ${left_out:+--leave-out "$left_out"}) || return 1
    set -- -I "$numbers"
  fi
  run_tests "$name" "$@"
}

# shellcheck disable=SC2034 # configure reads werror
test_() {
  compilers='' kinds='' filter='' since='' processor='' length=usual one_in=1
  while [ $# -gt 0 ]; do
    case $1 in
      --compiler) value_of "$1" $#; compilers=$2; shift ;;
      --preset) value_of "$1" $#; preset=$2; shift ;;
      --kinds) value_of "$1" $#; kinds=$2; shift ;;
      --filter) value_of "$1" $#; filter=$2; shift ;;
      --changed) since=HEAD ;;
      --changed=?*) since=${1#*=} ;;
      --processor) value_of "$1" $#; processor=$2; shift ;;
      --one-in) value_of "$1" $#; one_in=$2; shift ;;
      --quick) length=quick ;;
      --all) length=all ;;
      --werror) werror=ON ;;
      *) refuse "$1: not an option of test; accepted: --compiler --preset --kinds --filter --changed --one-in --quick --all --processor --werror --no-install" ;;
    esac
    shift
  done
  if [ -n "$processor" ]; then
    # shellcheck disable=SC2086 # a list
    one_of --processor "$processor" ${emulated_processors:?}
    if [ "${compilers:-gcc} $preset" != 'gcc release' ]; then refuse '--processor: not with --preset or another compiler; accepted: --compiler gcc'; fi
    compilers=gcc preset=$processor kinds=${kinds:-${emulated_kinds:?}}
    if [ $length = quick ]; then filter=${filter:-$(core_of "$processor")} length=usual; fi
  fi
  # What one waits for is short.
  if [ $length = quick ]; then kinds=${kinds:-$quick_kinds}; fi
  if [ $length = quick ] || [ -n "$since" ]; then compilers=${compilers:-gcc}; fi
  compilers=${compilers:-both}
  one_of --compiler "$compilers" gcc clang both
  if [ -z "$processor" ]; then one_of --preset "$preset" release debug asan tsan; fi
  for kind in $(say "$kinds" | tr , ' '); do
    # shellcheck disable=SC2046 # a list
    one_of --kinds "$kind" $(known_kinds)
  done
  case $one_in in [1-9] | [1-9][0-9]) ;; *) refuse "--one-in '$one_in': not accepted; accepted: 1 to 99" ;; esac
  if [ "$one_in" != 1 ] && [ -n "$since" ]; then refuse "--one-in and --changed: one of them"; fi
  if [ -n "$since" ]; then check_commit "$since"; fi
  if [ "$compilers" = both ]; then
    compilers='gcc clang'
    if ! want_clang; then
      say "Testing with GCC alone: this system's packages have no Clang 16 or newer."
      compilers=gcc
    fi
  fi
  want_test_tools
  # $compilers is a list.
  # shellcheck disable=SC2086
  prepare_build $compilers
  want_libomp
  if [ -n "$processor" ]; then want_processor "$processor"; fi
  install_missing
  if [ -n "$processor" ]; then
    build_googletest "$processor" || fail 'the test framework could not be built'
    # shellcheck disable=SC2154 # build_googletest sets it
    parts="-DCMAKE_PREFIX_PATH=$prefix"
  fi

  set --
  left_out=''
  if [ -n "$filter" ]; then set -- "$@" -R "$filter"; fi
  if [ -n "$kinds" ]; then set -- "$@" -L "^($(say "$kinds" | tr , '|'))\$"; fi
  case $length in
    quick) left_out='slow|long|stress|package' ;;
    usual) left_out=long ;;
    all) export NOPAL_CASES=all NOPAL_STRESS_SECONDS="${NOPAL_STRESS_SECONDS:-8}" NOPAL_STORM_SECONDS="${NOPAL_STORM_SECONDS:-70}" ;;
  esac
  if [ -n "$left_out" ]; then set -- "$@" -LE "^($left_out)\$"; fi
  if [ "$preset" = tsan ]; then
    # Else each process that ends beside its threads, as children of fork(2) do, sleeps for a second
    # first.
    export TSAN_OPTIONS="atexit_sleep_ms=20${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
  fi
  drawn=$((${NOPAL_CASES_SEED:-$(date +%s)} % one_in))
  if [ "$one_in" != 1 ]; then
    say "One test program and one command in $one_in, from number $((drawn + 1)) on: NOPAL_CASES_SEED=$drawn repeats the draw."
  fi
  # Another one in each run. Here, since ctest shows nothing of a test that passes.
  export NOPAL_STORM_SEED="${NOPAL_STORM_SEED:-$(date +%s)}"
  export NOPAL_PROGRAMS_SEED="${NOPAL_PROGRAMS_SEED:-$NOPAL_STORM_SEED}"
  if [ -n "$processor" ]; then
    # The core's alone has no fresh part.
    if [ -z "$filter" ]; then
      say 'The same generated programs again:'
      say "NOPAL_PROGRAMS_SEED=$NOPAL_PROGRAMS_SEED ./dev test --processor $processor --kinds programs"
    fi
  elif [ $length != quick ]; then
    say "The same fresh part of the stress tests and of the generated programs again:"
    say "NOPAL_STORM_SEED=$NOPAL_STORM_SEED NOPAL_PROGRAMS_SEED=$NOPAL_PROGRAMS_SEED ./dev test --kinds stress,programs"
  fi
  for compiler in $compilers; do
    if ! test_build "$compiler" "$@"; then
      say "$compiler-$preset: the build failed, which counts as one failed test"
      failed=$((failed + 1))
    fi
  done
  if [ $((passed + failed)) = 0 ]; then say 'No test was selected.'; fi
  close_with_counts
}

# check_commit COMMIT: that changes can be counted from there.
check_commit() {
  have git || refuse "--changed: git, which tells what changed, is missing"
  git -c safe.directory="${root:?}" rev-parse -q --verify "$1^{commit}" >/dev/null 2>&1 ||
    refuse "--changed '$1': not known; accepted: a commit of this repository"
}

stress() {
  compiler=gcc minutes=5 seed=$(date +%s)
  while [ $# -gt 0 ]; do
    case $1 in
      --compiler) value_of "$1" $#; compiler=$2; shift ;;
      --minutes) value_of "$1" $#; minutes=$2; shift ;;
      --seed) value_of "$1" $#; seed=$2; shift ;;
      *) refuse "$1: not an option of stress; accepted: --minutes --seed --compiler --no-install" ;;
    esac
    shift
  done
  one_of --compiler "$compiler" gcc clang
  number_of --minutes "$minutes" 1
  number_of --seed "$seed" 0
  prepare_build "$compiler"
  build_targets "$compiler" release test_stress_storm || fail 'the build failed'
  say "Forests of random forks for $minutes min; a failure prints the settings that repeat it. All of it again:"
  say "./dev stress --minutes $minutes --seed $seed --compiler $compiler"
  NOPAL_STORM_SEED=$seed NOPAL_STORM_SECONDS=$((minutes * 60)) exec "build/$compiler-release/tests/stress/storm" --gtest_brief=1 \
    --gtest_filter='*fresh_seed'
}

