#ifndef WORDS_H
#define WORDS_H
#include "fibonacci.h"

#define SPAWN cilk_spawn
#define PARALLEL_FOR cilk_for
#define START SPAWN
#define WAIT() cilk_sync
#define SPAWN_INTO(to, call) to = cilk_spawn call
#define BOTH(first, ...)                                                                                     \
  do {                                                                                                       \
    cilk_spawn first;                                                                                        \
    __VA_ARGS__;                                                                                             \
    WAIT();                                                                                                  \
  } while (0)
#define FROM_TO(i, from, to) PARALLEL_FOR(int i = from; i < (to); ++i)
#define AS_IT_IS(what) what

#endif
