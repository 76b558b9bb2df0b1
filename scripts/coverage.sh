# ./dev coverage: which lines and branches of the library the tests reach. Sourced by ./dev.
# shellcheck shell=sh

# The version that reads what this Clang writes.
llvm_tool_of_clang() {
  version=$(major_of "$(find_clang)")
  if have "$1-$version"; then say "$1-$version"; else have "$1" && say "$1"; fi
}

want_coverage_tools() {
  llvm_tool_of_clang llvm-cov >/dev/null || want "llvm-$(major_of "$(find_clang)")" 'the coverage report'
  want_command python3 python3 'the coverage report'
}

# The programs and plug-ins that hold the counting library.
counting_programs() {
  find build/clang-coverage -type f -perm -u+x ! -path '*/CMakeFiles/*' -exec grep -l __llvm_covmap {} +
}

# export_coverage FORMAT FILE: the lines and branches of src/ and how often they ran.
export_coverage() {
  set -- "$1" "$2" "$(llvm_tool_of_clang llvm-cov)"
  counting_programs | sed 's/^/-object=/' |
    xargs "$3" export -format="$1" -instr-profile=build/clang-coverage/tests.profdata >"$2" 2>>build/coverage.log
}

# put_ended_away FOLDER: moves the counters of ended processes there, before other processes get
# their numbers: a program that finds another program's counters in its file says so, and counts
# nothing.
put_ended_away() {
  to=$1
  set --
  for file in "$profiles"/*.profraw; do
    number=${file##*-}
    if [ ! -e "/proc/${number%.profraw}" ] && [ -e "$file" ]; then set -- "$@" "$file"; fi
  done
  if [ $# != 0 ]; then mkdir -p "$to" && mv "$@" "$to"; fi
}

# Each second, until there is a file of this name, as long as ./dev lives.
keep_putting_away() {
  round=0
  while [ ! -e "$profiles/tests_are_over" ] && kill -0 $$ 2>>build/coverage.log; do
    round=$((round + 1))
    put_ended_away "$profiles/ended/$round"
    sleep 1
  done
}

coverage() {
  check_option=''
  while [ $# -gt 0 ]; do
    case $1 in
      --check) check_option=--check ;;
      *) refuse "$1: not an option of coverage; accepted: --check --no-install" ;;
    esac
    shift
  done
  want_clang || refuse "coverage needs Clang 16 or newer, which this system's packages do not have"
  want_test_tools
  # shellcheck disable=SC2034 # prepare_build reads it
  preset=coverage
  prepare_build clang
  want_coverage_tools
  install_missing
  build_targets clang coverage || fail 'the build failed'
  profiles=${root:?}/build/clang-coverage/profiles
  rm -rf "$profiles"
  # %c: the counters live in the file itself; %m, %p: a file for each program of each process, as a
  # process may become another program, and %m alone does not tell all programs apart.
  LLVM_PROFILE_FILE="$profiles/%c%m-%p.profraw"
  export LLVM_PROFILE_FILE
  : >build/coverage.log
  mkdir -p "$profiles"
  keep_putting_away &
  # Runs again what failed: where numbers of processes come round fast, two programs may still meet
  # at one file of counters.
  run_tests clang-coverage -LE '^slow$' --repeat until-pass:2
  : >"$profiles/tests_are_over"
  wait
  find "$profiles" -name '*.profraw' >build/clang-coverage/profiles.txt
  "$(llvm_tool_of_clang llvm-profdata)" merge -sparse -o build/clang-coverage/tests.profdata \
    --input-files=build/clang-coverage/profiles.txt 2>>build/coverage.log ||
    fail 'merging the counters failed; see build/coverage.log'
  export_coverage lcov build/coverage.lcov || fail 'reading the counters failed; see build/coverage.log'
  export_coverage text build/coverage.json || fail 'reading the counters failed; see build/coverage.log'
  check coverage python3 -B scripts/coverage/report.py build/coverage.lcov build/coverage.json scripts/coverage/unreached.txt $check_option
  close_with_counts
}
