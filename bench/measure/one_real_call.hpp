// For a recursion that is measured: NOPAL_ONE_REAL_CALL before it keeps each of its calls a call. Without inlining or
// cloning no compiler can unroll it.
#ifndef NOPAL_BENCH_MEASURE_ONE_REAL_CALL_HPP
#define NOPAL_BENCH_MEASURE_ONE_REAL_CALL_HPP

#ifdef __clang__
#define NOPAL_ONE_REAL_CALL [[gnu::noinline]]
#else
#define NOPAL_ONE_REAL_CALL [[gnu::noipa]]
#endif

#endif
