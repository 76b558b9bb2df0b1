/* Loops that begin after some quiet and are over soon. The first access to a page takes half a microsecond then, and such a
 * loop goes on alone anyway: so what it asks lies beside the thread's other words, and its code is inline. */
#ifndef NOPAL_DETAIL_QUIET_LOOPS_H
#define NOPAL_DETAIL_QUIET_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include <nopal/detail/fast_path.h>
#include <nopal/detail/plain_cast.h>

/* As each language writes them. */
#ifdef __cplusplus
#define NOPAL_DETAIL_NO_PLACE nullptr
#else
#define NOPAL_DETAIL_NO_PLACE NULL
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Thieves sleep or soon will after so much, in ticks. */
#define NOPAL_DETAIL_TICKS_OF_QUIET 1000000U

enum { nopal_quiet_places = 4 };

/* A thread's, one cache line. The owner's own, but for `workers`. */
struct nopal_quiet_loops {
  uint64_t looked; /* when a loop began or ended, or a region ended, in ticks; never later than now */
  /* The number of workers; 0: it is not known; -1: nor ever again, since the thread ends. Read relaxed: the number is all that
   * is read. Pairs with the stores of whoever chooses another one, which are 0, and of the owner, who looks again whether it is
   * still that: see note_workers. */
  int32_t workers;
  uint16_t most[nopal_quiet_places];  /* so many positions may go on alone */
  uint16_t fours[nopal_quiet_places]; /* what they took the last time, in four ticks */
  /* The loops whose last one began after quiet, went on alone, and was short; null: none. */
  const void* places[nopal_quiet_places];
};

NOPAL_EXPORT extern __thread struct nopal_quiet_loops nopal_quiet __attribute__((tls_model("initial-exec")));

/* A loop that takes no more than this alone after so much quiet is not worth what it costs to share it, when code and data are
 * no longer at hand, and who would take part has to be woken, or was in time, and is no better off: 15 microseconds or so, some
 * 35 after 10 milliseconds, 40 after 20, and 55 after 100. */
static NOPAL_ALWAYS_INLINE uint64_t nopal_worth_after(uint64_t quiet) {
  const uint64_t most = 54000;
  return 36000 + (quiet < most * 512 ? quiet / 512 : most) + (quiet < most * 4096 ? quiet / 4096 : most);
}

/* The calling thread's. As nopal_this_deque, hidden from compilers: they keep no address of it across a fork. */
static NOPAL_ALWAYS_INLINE struct nopal_quiet_loops* nopal_this_quiet_loops(void) {
  uintptr_t thread;
  ptrdiff_t offset;
  NOPAL_DETAIL_READ_THREAD(thread);
  NOPAL_DETAIL_READ_OFFSET(offset, "nopal_quiet");
  return NOPAL_DETAIL_BITS_AS(struct nopal_quiet_loops*, thread + NOPAL_DETAIL_AS(uintptr_t, offset));
}

static NOPAL_ALWAYS_INLINE unsigned nopal_quiet_slot(const void* place) {
  return NOPAL_DETAIL_AS(unsigned, NOPAL_DETAIL_BITS_AS(uintptr_t, place) >> 4U) % nopal_quiet_places;
}

static NOPAL_ALWAYS_INLINE uint64_t nopal_quiet_now(void) {
  uint64_t now;
  NOPAL_DETAIL_READ_TICKS(now);
  return now;
}

/* Whether it is worth a look at the clock. */
static NOPAL_ALWAYS_INLINE int nopal_may_be_quiet(const void* place, size_t count) {
#ifdef NOPAL_RACES_WATCHED
  /* The tool would see the thread of the strand before a steal and after it as one. */
  (void)place;
  (void)count;
  return 0;
#else
  const struct nopal_quiet_loops* const mine = nopal_this_quiet_loops();
  const unsigned slot = nopal_quiet_slot(place);
  return mine->places[slot] == place && count <= mine->most[slot];
#endif
}

/* It is not known to be short any more. */
static NOPAL_ALWAYS_INLINE void nopal_forget_quiet_loop(const void* place) {
  struct nopal_quiet_loops* const mine = nopal_this_quiet_loops();
  const unsigned slot = nopal_quiet_slot(place);
  mine->places[slot] = mine->places[slot] == place ? NOPAL_DETAIL_NO_PLACE : mine->places[slot];
}

/* When a loop begins that goes on alone after quiet, and how long; 0: this one does not, and its place is forgotten. As many
 * positions as there are workers may wait for one another, since each of these gets one. */
static NOPAL_ALWAYS_INLINE uint64_t nopal_begin_quiet_loop(const void* place, size_t count, uint64_t* worth) {
  if (nopal_may_be_quiet(place, count)) {
    const struct nopal_quiet_loops* const mine = nopal_this_quiet_loops();
    const int32_t workers = __atomic_load_n(&mine->workers, __ATOMIC_RELAXED);
    const uint64_t now = nopal_quiet_now();
    const uint64_t quiet = now - mine->looked;
    *worth = nopal_worth_after(quiet);
    if (quiet > NOPAL_DETAIL_TICKS_OF_QUIET && 4U * mine->fours[nopal_quiet_slot(place)] < *worth &&
        workers > 0 && count > NOPAL_DETAIL_AS(size_t, workers)) {
      return now;
    }
    nopal_forget_quiet_loop(place);
  }
  return 0;
}

/* How many of the positions that are left such a loop goes through, `done` being over, before it asks again; 0: it takes too
 * long. `first`: as many as at first. Few may each take long. */
static NOPAL_ALWAYS_INLINE size_t nopal_go_on_quietly(uint64_t began, uint64_t worth, size_t done,
                                                      size_t left, size_t first) {
  const uint64_t passed = nopal_quiet_now() - began;
  if (passed >= worth) {
    return 0;
  }
  const int32_t workers = __atomic_load_n(&nopal_this_quiet_loops()->workers, __ATOMIC_RELAXED);
  if (done + left <= 4 * NOPAL_DETAIL_AS(size_t, workers)) {
    return first;
  }
  const uint64_t fits = (worth - passed) / (passed / done + 1);
  return fits >= left ? left : done;
}

/* The loop is over, and went on alone as far as it went. Whether it was as short as the ones before. */
static NOPAL_ALWAYS_INLINE int nopal_end_quiet_loop(uint64_t began, uint64_t worth) {
  const uint64_t now = nopal_quiet_now();
  if (now - began >= worth) {
    return 0;
  }
  nopal_this_quiet_loops()->looked = now;
  return 1;
}

#ifdef __cplusplus
}
#endif

#endif
