#!/bin/sh
# measure.sh BUILD [RUNS]: the tables of docs/mpi.md: seconds of each program on ranks x workers = 4, and of heat on 2 ranks x 1 worker where an
# exchange takes longer. The shortest of RUNS, 5 without a number. On a machine that does nothing else.
set -eu
[ $# -ge 1 ] || { echo 'usage: measure.sh BUILD [RUNS]' >&2; exit 2; }
programs=$1/examples/mpi runs=${2:-5}
for name in heat sample_sort tree_search bfs; do
  [ -x "$programs/$name" ] || { echo "measure.sh: $programs/$name is missing; accepted: a build with NOPAL_BUILD_EXAMPLES=ON" >&2; exit 2; }
done
case $runs in '' | *[!0-9]* | 0*) echo "measure.sh: RUNS '$runs': accepted: a whole number from 1 on" >&2; exit 2 ;; esac
ranks_of=$(dirname "$0")/../../tests/mpi/ranks.sh

# seconds RANKS WORKERS PATTERN PROGRAM [OPTION...]: the number behind the pattern.
seconds() {
  ranks=$1 workers=$2 pattern=$3 program=$4
  shift 4
  run=0
  while [ $run -lt "$runs" ]; do
    NOPAL_WORKERS=$workers sh "$ranks_of" mpirun -n "$ranks" "$programs/$program" "$@" | sed -n "s/.*$pattern\([0-9.]*\) s.*/\1/p"
    run=$((run + 1))
  done | sort -g | head -n 1
}

row() {
  label=$1 pattern=$2
  shift 2
  printf '| %s | %s | %s | %s |\n' "$label" "$(seconds 1 4 "$pattern" "$@")" "$(seconds 2 2 "$pattern" "$@")" \
    "$(seconds 4 1 "$pattern" "$@")"
}

printf '| seconds | 1 rank x 4 workers | 2 x 2 | 4 x 1 |\n|---|---|---|---|\n'
row 'heat, 2,000 x 2,000, 100 steps' 'steps: ' heat --size 2000 --steps 100 --no-check
row 'sample_sort, 8,000,000 keys' 'mean): ' sample_sort --keys 8000000
row 'tree_search, T1' 'moved: ' tree_search --tree 1
row 'bfs, scale 16, 16 roots' 'searched in ' bfs --scale 16 --roots 16

printf '\n| an exchange takes at least | behind the interior | in place |\n|---|---|---|\n'
for latency in 0 250 500 1000 2000; do
  set -- --size 1000 --steps 200 --no-check --latency $latency
  printf '| %s us | %s | %s |\n' $latency "$(seconds 2 1 'steps: ' heat "$@")" "$(seconds 2 1 'steps: ' heat "$@" --in-place)"
done
