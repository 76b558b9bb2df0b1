# ./dev lint: format, common mistakes, scripts and file lengths. Sourced by ./dev.
# shellcheck shell=sh

# files PATTERN...: our files of these names, those not yet committed included.
files() {
  # shellcheck disable=SC2154 # root is ./dev's
  git -c safe.directory="$root" ls-files --cached --others --exclude-standard -- "$@" |
    while read -r file; do if [ -e "$file" ]; then say "$file"; fi; done
}

# check NAME COMMAND...: a check passes when its command exits with 0.
check() {
  check_name=$1
  shift
  if "$@"; then
    say "$check_name: ok"
    passed=$((passed + 1))
  else
    say "$check_name: failed"
    failed=$((failed + 1))
  fi
}

check_format() { files '*.cpp' '*.hpp' '*.c' '*.h' | xargs "$(find_llvm_tool clang-format)" "$@"; }

# sources_to_read DIRECTORY TOGETHER: configures there, without the tests: each takes half a minute
# to read, because of the test framework's headers. Two programs of the benchmarks are read in every
# variant, the others in one: a file is read once for each command.
sources_to_read() {
  # shellcheck disable=SC2154 # these are ./dev's
  logged build/lint.log cmake --preset gcc-release -B "$1" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
    -DNOPAL_BUILD_TESTS=OFF -DCMAKE_UNITY_BUILD="$2" -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 || return 1
  # GCC alone knows the first option, and means the second otherwise.
  awk '
    /^[{]/ { entry = ""; next }
    /^[}]/ {
      variant = entry ~ /VARIANT=(elided|depth|record) / && entry !~ /programs\/(fib|pbfs)[.]cpp"/
      if (!variant && entry !~ /nopal_check_cost.*\/bench\/programs\//) {
        gsub(/ -fno-gnu-unique | -mgeneral-regs-only | -fno-ipa-icf /, " ", entry)
        printf "%s{\n%s}", separator, entry
        separator = ",\n"
      }
      next
    }
    /^\[/ { print; next }
    /^\]/ { print "\n]"; next }
    { entry = entry $0 "\n" }' "$1/compile_commands.json" >"$1/read.json" &&
    mv "$1/read.json" "$1/compile_commands.json"
}

# Most of the time goes to headers of other libraries. So sources that are compiled alike are read
# together where that compiles. The name of the directory matters: the static analyzer looks into
# what a file includes only where the file's path has that word in it.
together=build/lint/UnifiedSource
apart=build/lint/apart

check_mistakes() {
  use_compiler gcc
  : >build/lint.log
  rm -rf build/lint
  sources_to_read $together ON && sources_to_read $apart OFF || return 1
  tidy=$(find_llvm_tool clang-tidy)
  export together apart tidy
  first=$((${NOPAL_CASES_SEED:-$(date +%s)} % one_in))
  if [ "$one_in" != 1 ]; then say "mistakes: one file in $one_in: NOPAL_CASES_SEED=$first repeats the draw"; fi
  # The longest first.
  # shellcheck disable=SC2154 # jobs is ./dev's
  for part in tools bench examples src; do
    sed -n "s=^ *\"file\": \"\($root/\($together/\)\{0,1\}$part/.*\.c[px][px]\)\".*=\1=p" $together/compile_commands.json | sort -u
  done | awk -v one_in="$one_in" -v first="$first" 'NR % one_in == first' | xargs -n 1 -P "$jobs" sh scripts/tidy.sh 2>>build/lint.log
}

check_scripts() { files dev .ci/run '*.sh' | xargs shellcheck; }

check_length() {
  files '*.cpp' '*.hpp' '*.c' '*.h' '*.S' '*.sh' '*.py' '*.cmake' '*CMakeLists.txt' dev .ci/run |
    xargs awk 'FNR == 401 { print FILENAME " is longer than 400 lines"; bad = 1 } END { exit bad }'
}

# Which rooms of src/ include which, as docs/house.md has it.
check_rooms() { python3 -B scripts/rooms.py .; }

# Unfinished work belongs into the issue tracker. The brackets keep this line from matching itself.
check_marks() {
  found=$(files | xargs grep -nIE '(^|[^[:alnum:]_])([T]ODO|[F]IXME|[X]XX)([^[:alnum:]_]|$)')
  [ -z "$found" ] || { say "$found"; return 1; }
}

lint() {
  one_in=1 format='--dry-run --Werror'
  while [ $# -gt 0 ]; do
    case $1 in
      --fix) format=-i ;;
      --one-in) value_of "$1" $#; one_in=$2; shift ;;
      *) refuse "$1: not an option of lint; accepted: --fix --one-in --no-install" ;;
    esac
    shift
  done
  case $one_in in [1-9] | [1-9][0-9]) ;; *) refuse "--one-in '$one_in': not accepted; accepted: 1 to 99" ;; esac
  want_lint_tools || refuse "lint needs clang-format and clang-tidy 16 or newer, which this system's packages do not have"
  want_command python3 python3 'the check of rooms'
  want_libraries
  want_gcc
  install_missing
  mkdir -p build
  # $format is a list.
  # shellcheck disable=SC2086
  check format check_format $format
  check scripts check_scripts
  check length check_length
  check marks check_marks
  check rooms check_rooms
  check mistakes check_mistakes
  close_with_counts
}
