// flags: -fno-exceptions
//
// Where no exception can be thrown a function that does not return has no way to a join at all.

#include <cstddef>

#include <nopal/scope.hpp>

#include "endless.h"

void corpus_endless_no_exceptions() {
  alignas(64) long table[16] = {};
  long sum = 0;
  nopal::scope s;
  for (long round = 0;; ++round) {
    s.fork(corpus_child, round);
    corpus_scribble();
    table[round % 16] += corpus_opaque(round);
    sum += round;
    long seen = 0;
    for (const long entry : table) {
      seen += entry;
    }
    corpus_go_on(seen == sum && corpus_is_aligned(table, 64) != 0 ? 1 : 0, round);
  }
}

void corpus_endless_no_exceptions_vectors() {
  alignas(32) double from[16];
  alignas(32) double to[16] = {};
  for (int i = 0; i < 16; ++i) {
    from[i] = static_cast<double>(corpus_opaque(i));
  }
  nopal::scope s;
  for (long round = 0;; ++round) {
    s.fork([&from](long r) { corpus_child(r + (from[0] < 0 ? 1 : 0)); }, round);
    for (int i = 0; i < 16; ++i) {
      to[i] += from[i];
    }
    corpus_scribble();
    bool right = true;
    for (int i = 0; i < 16; ++i) {
      right = right && to[i] == static_cast<double>(i) * static_cast<double>(round + 1);
    }
    corpus_go_on(right ? 1 : 0, round);
  }
}

[[noreturn]] static void go_on_for_ever(const long* from, long to) {
  for (long round = 0;; ++round) {
    corpus_scribble();
    corpus_go_on(from[0] == 5 && from[7] == to ? 1 : 0, round + 100);
  }
}

// A few forks, then a call that does not return.
void corpus_ended_no_exceptions() {
  alignas(128) long table[8] = {corpus_opaque(5)};
  nopal::scope s;
  for (long round = 0; round < 60; ++round) {
    s.fork(corpus_child, round);
    corpus_scribble();
    table[7] += round;
  }
  go_on_for_ever(table, 59 * 30);
}
