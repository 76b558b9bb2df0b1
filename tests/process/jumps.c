// Error handling by longjmp in C, as image libraries have it, around forks.
#include "process/jumps.h"

#include <nopal/nopal.h>

#include <setjmp.h>

struct decoder {
  jmp_buf on_error;
  int rows;
  int bad_row;
};

__attribute__((noinline)) static void decode_row(struct decoder* one) {
  volatile char rubbish[512];
  for (int i = 0; i < 512; ++i) {
    rubbish[i] = (char)i;
  }
  if (++one->rows == one->bad_row + rubbish[0]) {
    longjmp(one->on_error, one->rows);
  }
}

int jumps_in_c(int bad_row, void (*child)(void*), void* argument, void (*now)(void*, int)) {
  struct decoder one;
  volatile long kept[4] = {1, 2, 3, 4};
  volatile int result = 0;
  nopal_scope s;
  nopal_scope_init(&s);
  one.rows = 0;
  one.bad_row = bad_row;
  const int failed = setjmp(one.on_error);
  if (failed == 0) {
    nopal_fork(&s, child, argument);
    kept[2] = 30;
    now(argument, 0);
    for (int i = 0; i < 100; ++i) {
      decode_row(&one);
    }
    result = -1;
  } else {
    result = failed;
    now(argument, 1);
  }
  nopal_join(&s);
  return kept[0] == 1 && kept[2] == 30 && kept[3] == 4 ? result : -2;
}

void jumps_out_of_a_child_in_c(void (*child)(void*), void* argument) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, child, argument);
  nopal_join(&s);
}
