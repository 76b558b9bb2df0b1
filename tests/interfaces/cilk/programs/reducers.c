/* Reducers as declarations. */
#include <cilk/cilk.h>
#include <stdio.h>

struct range {
  long least, most;
};
static void zero(void* view) { *(long*)view = 0; }
static void plus(void* left, void* right) { *(long*)left += *(long*)right; }
static void none(void* view) {
  struct range* const made = (struct range*)view;
  made->least = 1L << 40;
  made->most = -made->least;
}
static void join(void* left, void* right) {
  struct range* const all = (struct range*)left;
  const struct range* const more = (const struct range*)right;
  if (more->least < all->least) all->least = more->least;
  if (more->most > all->most) all->most = more->most;
}
/* Its order shows. */
static void begin(void* view) { *(long*)view = -1; }
static void append(void* left, void* right) {
  if (*(long*)right != -1) *(long*)left = *(long*)right;
}

extern long cilk_reducer(zero, plus) counted;
long cilk_reducer(zero, plus) counted = 5, cilk_reducer_too = 1;
static struct range cilk_reducer(none, join) seen = {9999, -9999};

static void count(int n) {
  if (n == 0) {
    counted++;
    cilk_reducer_too += 2;
    return;
  }
  cilk_spawn count(n - 1);
  count(n - 1);
  cilk_sync;
}

static long local(int n) {
  long cilk_reducer(zero, plus) sum = 3;
  long cilk_reducer(begin, append) last = -1;
  cilk_for(int i = 0; i < n; i++) {
    sum += i;
    last = i;
    if (seen.least > i) seen.least = i;
    if (seen.most < i) seen.most = i;
    cilk_for(int j = 0; j < 3; j++) sum += j;
  }
  long* const view = &sum;
  *view += last;
  return sum;
}
static void add(long* to, long number) { *to += number; }
static long spawned(int n) {
  long cilk_reducer(zero, plus) sum = 0;
  for (int i = 0; i < n; i++) {
    cilk_spawn count(3);
    sum += counted > 0;
    add(&sum, i);
  }
  cilk_sync;
  return sum;
}

static void one(void* view) { *(long*)view = 1; }
static void times(void* left, void* right) { *(long*)left = *(long*)left * *(long*)right % 10007; }
/* Several in one declaration: of the same functions, and of functions of their own. */
static long several(int n) {
  long cilk_reducer(zero, plus) sum = 1, odd = 2, cilk_reducer(one, times) product = 3, last = 4;
  cilk_for(int i = 0; i < n; i++) {
    sum += i;
    odd += i % 2;
    product = product * (i + 2) % 10007;
    last = last * 3 % 10007;
  }
  return sum + 10 * odd + 100 * product + last;
}

int main(void) {
  count(9);
  printf("%ld %ld\n", counted, cilk_reducer_too);
  printf("%ld %ld\n", local(1000), several(300));
  printf("%ld %ld\n", seen.least, seen.most);
  printf("%d\n", spawned(40) != 0);
  printf("%ld\n", counted);
}
