/* The C interface. C_CASE makes a case of the corpus, as CASE in C++. */
/* clang-format off */
#include <stdlib.h>
#include <string.h>

#include <nopal/nopal.h>
#include <nopal/speculate.h>

#include "c_corpus.h"

int c_x, c_y;
int c_a[64];

NOPAL_FORKABLE(long, c_fib_joined, (int, n))
long c_fib_joined(int n) {
  long a, b;
  nopal_scope s;
  if (n < 2) return n;
  nopal_scope_init(&s);
  nopal_fork_c_fib_joined(&s, &a, n - 1);
  b = c_fib_joined(n - 2);
  nopal_join(&s);
  return a + b;
}
C_CASE(c_fib_with_join) { use_in_c(c_fib_joined(8)); }

NOPAL_FORKABLE(long, c_fib_unjoined, (int, n))  /* race: Parallel */
long c_fib_unjoined(int n) {
  long a, b;
  nopal_scope s;
  if (n < 2) return n;
  nopal_scope_init(&s);
  nopal_fork_c_fib_unjoined(&s, &a, n - 1);  /* race: Serial */
  b = c_fib_unjoined(n - 2);
  b += a;  /* with: Serial with: Parallel */
  nopal_join(&s);
  return b;
}
C_CASE(c_fib_without_join) { use_in_c(c_fib_unjoined(6)); }

static void write_through(void* to) { *(int*)to = 1; }  /* race: A */
C_CASE(c_untyped_fork) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, write_through, &c_x);
  c_x = 2;  /* with: A */
  nopal_join(&s);
}
static void write_through_clean(void* to) { *(int*)to = 1; }
C_CASE(c_untyped_fork_joined) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, write_through_clean, &c_x);
  nopal_join(&s);
  c_x = 2;
}
NOPAL_FORKABLE_VOID(c_fill, (int*, a), (int, from), (int, to))
void c_fill(int* a, int from, int to) {
  for (int i = from; i < to; ++i) a[i] = i;
}
C_CASE(c_halves_of_an_array) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_c_fill(&s, c_a, 0, 32);
  c_fill(c_a, 32, 64);
  nopal_join(&s);
}
NOPAL_FORKABLE_VOID(c_fill_racy, (int*, a), (int, from), (int, to))
void c_fill_racy(int* a, int from, int to) {
  for (int i = from; i < to; ++i) a[i] = i;  /* race: A with: A */
}
C_CASE(c_halves_that_overlap) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_c_fill_racy(&s, c_a, 0, 33);
  c_fill_racy(c_a, 32, 64);
  nopal_join(&s);
}
struct c_pair { long a, b; char c[20]; };
struct c_pair c_pairs[2];
NOPAL_FORKABLE_VOID(c_write_pair, (struct c_pair*, to), (struct c_pair, value))
void c_write_pair(struct c_pair* to, struct c_pair value) {
  *to = value;  /* race: A */
}
C_CASE(c_structure_by_value) {
  struct c_pair value = {1, 2, "text"};
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_c_write_pair(&s, &c_pairs[0], value);
  value.a = 5;
  use_in_c(c_pairs[0].b + value.a);  /* with: A */
  nopal_join(&s);
}
static void c_add(void* context, void* left, void* right) { (void)context; *(long*)left += *(long*)right; }
static const nopal_monoid c_sum = {.size = sizeof(long), .reduce = c_add};
static nopal_reducer c_total;
static void c_count(void* unused) { (void)unused; *(long*)nopal_view(&c_total) += 1; }
C_CASE(c_reducer) {
  long total = 0;
  nopal_scope s;
  nopal_reducer_init(&c_total, &c_sum, &total);
  nopal_scope_init(&s);
  for (int i = 0; i < 200; ++i) nopal_fork(&s, c_count, NULL);
  *(long*)nopal_view(&c_total) += 1;
  nopal_join(&s);
  *(long*)nopal_view(&c_total) += 1;
  nopal_reducer_destroy(&c_total);
  if (total != 202) abort();
}
C_CASE(c_reducer_ends_complete) {
  long total = 0;
  nopal_scope s;
  nopal_reducer_init(&c_total, &c_sum, &total);
  nopal_scope_init(&s);
  for (int i = 0; i < 8; ++i) nopal_fork(&s, c_count, NULL);
  nopal_join(&s);
  nopal_reducer_destroy(&c_total);
  if (total != 8) abort();
}
static void c_string(void* to) { strcpy((char*)to, "child"); }  /* race: A */
C_CASE(c_string_copied) {
  char* text = (char*)malloc(16);
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, c_string, text);
  use_in_c(text[2]);  /* with: A */
  nopal_join(&s);
  free(text);
}

static void count_in_c(void* context, void* argument) { *(int*)context += *(int*)argument; }  /* race: A */
static void child_in_c(void* argument) { *(int*)argument = 1; }
C_CASE(c_inlet_and_continuation) {
  nopal_cancel_scope s;
  nopal_cancel_scope_init(&s, nopal_inlets_by_completion);
  nopal_fork_inlet(&s, child_in_c, &c_a[0], count_in_c, &c_x);
  c_x = 2;  /* with: A */
  nopal_cancel_scope_destroy(&s);
}
static void count_in_c_clean(void* context, void* argument) { *(int*)context += *(int*)argument; }
C_CASE(c_inlets_share) {
  nopal_cancel_scope s;
  nopal_cancel_scope_init(&s, nopal_inlets_by_completion);
  nopal_fork_inlet(&s, child_in_c, &c_a[0], count_in_c_clean, &c_x);
  nopal_fork_inlet(&s, child_in_c, &c_a[1], count_in_c_clean, &c_x);
  nopal_cancel_scope_destroy(&s);
  use_in_c(c_x);
}
static void stoppable_child(void* argument) {
  nopal_cancel_scope s;
  nopal_cancel_scope_init(&s, nopal_inlets_by_completion);
  nopal_fork(&s.scope, child_in_c, argument);
  nopal_join(&s.scope);
  nopal_cancel_scope_stop(&s);
  if (nopal_stop_requested()) nopal_shield(child_in_c, argument);
  nopal_cancel_scope_destroy(&s);
}
C_CASE(c_scopes_of_siblings) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, stoppable_child, &c_a[2]);
  nopal_fork(&s, stoppable_child, &c_a[3]);
  nopal_join(&s);
}
