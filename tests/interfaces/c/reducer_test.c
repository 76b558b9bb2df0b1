// The reducers of <nopal/nopal.h> as a C11 program uses them: the serial result of a concatenation, with steals for sure
// where there are workers; also compiled as the serial elision.
#include <nopal/nopal.h>

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

typedef struct text {
  char* letters;
  size_t length;
} text;

static int identities, ends;

static void empty_text(void* context, void* view) {
  CHECK(context == &identities);
  __atomic_add_fetch(&identities, 1, __ATOMIC_RELAXED);
  *(text*)view = (text){NULL, 0};
}
static void append(text* to, const char* letters, size_t length) {
  to->letters = realloc(to->letters, to->length + length + 1);
  CHECK(to->letters != NULL);
  memcpy(to->letters + to->length, letters, length);
  to->length += length;
}
static void append_text(void* context, void* left, void* right) {
  const text* const added = right;
  CHECK(context == &identities);
  if (added->length != 0) append(left, added->letters, added->length);
}
static void end_text(void* context, void* view) {
  CHECK(context == &identities);
  __atomic_add_fetch(&ends, 1, __ATOMIC_RELAXED);
  free(((text*)view)->letters);
}
static const nopal_monoid texts = {.size = sizeof(text),
                                   .identity = empty_text,
                                   .reduce = append_text,
                                   .destroy = end_text,
                                   .context = &identities};

static void add_longs(void* context, void* left, void* right) {
  (void)context;
  *(long*)left += *(long*)right;
}
static const nopal_monoid sums = {.size = sizeof(long), .alignment = 256, .reduce = add_longs};

static nopal_reducer letters, sum;

NOPAL_FORKABLE_VOID(spell, (int, first), (int, last))
void spell(int first, int last) {
  if (last - first == 1) {
    const char letter = (char)('a' + first % 26);
    append(nopal_view(&letters), &letter, 1);
    long* const view = nopal_view(&sum);
    *view += first;
    for (volatile int i = 0; i < 500; i = i + 1) {
    }
    return;
  }
  const int middle = first + (last - first) / 2;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_spell(&s, first, middle);
  spell(middle, last);
  nopal_join(&s);
}

static void spells_in_serial_order(int count) {
  text all = {NULL, 0};
  alignas(256) long total = 7;
  CHECK(nopal_reducer_init(&letters, &texts, &all) == 0);
  CHECK(nopal_reducer_init(&sum, &sums, &total) == 0);
  spell(0, count);
  CHECK(nopal_view(&letters) == &all);
  nopal_reducer_destroy(&letters);
  nopal_reducer_destroy(&sum);
  CHECK(all.length == (size_t)count);
  for (int i = 0; i < count; ++i) CHECK(all.letters[i] == (char)('a' + i % 26));
  CHECK(total == 7 + (long)count * (count - 1) / 2);
  free(all.letters);
}

static void is_a_variable_where_nothing_is_forked(void) {
  long total = 1;
  nopal_reducer one;
  CHECK(nopal_reducer_init(&one, &sums, &total) == 0);
  CHECK(nopal_view(&one) == &total);
  *(long*)nopal_view(&one) += 4;
  nopal_reducer_destroy(&one);
  CHECK(total == 5);
}

int main(void) {
  is_a_variable_where_nothing_is_forked();
  for (int i = 0; i < 200; ++i) spells_in_serial_order(1 + i * 5);
  CHECK(identities == ends);
  return failures != 0;
}
