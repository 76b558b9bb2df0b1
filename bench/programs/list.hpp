// The benchmark programs, in the order in which tables list them.
#ifndef NOPAL_BENCH_PROGRAMS_LIST_HPP
#define NOPAL_BENCH_PROGRAMS_LIST_HPP

/// `each(name)` for every program that forks and joins and needs nothing else of a library, so that others can have it too;
/// its source is programs/<name>.cpp and defines `name_program`.
#define NOPAL_BENCH_FORK_JOIN_PROGRAMS(each)                                                                 \
  each(fib) each(fibx) each(nqueens) each(integrate) each(knapsack) each(matmul) each(rectmul)               \
      each(strassen) each(lu) each(cholesky) each(fft) each(heat) each(quicksort) each(cilksort)             \
          each(textsort) each(blockedmul) each(notempmul) each(barnes_hut) each(knary) each(uts) each(loop)  \
              each(skynet) each(intmul)

/// The same for those that use reducers.
#define NOPAL_BENCH_REDUCER_PROGRAMS(each) each(pbfs) each(pbfs_rmat)

#define NOPAL_BENCH_PROGRAMS(each) NOPAL_BENCH_FORK_JOIN_PROGRAMS(each) NOPAL_BENCH_REDUCER_PROGRAMS(each)

#endif
