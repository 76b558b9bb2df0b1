// The benchmark programs, in the order in which tables list them.
#ifndef NOPAL_BENCH_PROGRAMS_LIST_HPP
#define NOPAL_BENCH_PROGRAMS_LIST_HPP

/// `each(name)` for every program; its source is programs/<name>.cpp and defines `name_program`.
#define NOPAL_BENCH_PROGRAMS(each)                                                                           \
  each(fib) each(fibx) each(nqueens) each(integrate) each(knapsack) each(matmul) each(rectmul)               \
      each(strassen) each(lu) each(cholesky) each(fft) each(heat) each(quicksort) each(cilksort)             \
          each(textsort) each(blockedmul) each(notempmul) each(barnes_hut) each(knary) each(uts) each(loop)

#endif
