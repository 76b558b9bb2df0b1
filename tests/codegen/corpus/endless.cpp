// Functions that fork and never reach a join: servers' loops, and functions that end the program. Each runs in a process of its
// own, which a call that the compiler cannot see into ends.

#include "endless.h"

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

#include "corpus.hpp"

namespace {

constexpr int wrong_exit = 1;
constexpr int right_exit = 10;  // and above: right, with as many stolen
constexpr std::uint64_t steals_wanted = 4;
constexpr std::uint64_t most_counted = 100;
constexpr long least_rounds = 24;
constexpr long most_rounds = 200;

/// Runs `function`, which never returns, in a process of its own; whether everything was right there.
bool ends_well(void (*function)()) {
  const pid_t child = fork();
  if (child == 0) {
    function();
    _exit(wrong_exit);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) < right_exit) {
    return false;
  }
  corpus::add_steals(static_cast<std::uint64_t>(WEXITSTATUS(status) - right_exit));
  return true;
}

/// An over-aligned array and an over-aligned number, both live in every round.
template <std::size_t Alignment>
[[gnu::noinline]] void endless() noexcept {
  alignas(Alignment) long table[16];
  alignas(Alignment) volatile long last = -1;
  long sum = 0;
  for (long i = 0; i < 16; ++i) {
    table[i] = corpus::opaque(i);
    sum += i;
  }
  nopal::scope s;
  for (long round = 0;; ++round) {
    s.fork(corpus_child, round);
    bool right = last == round - 1;
    table[round % 16] += round;
    sum += round;
    corpus::scribble();
    last = round;
    long seen = 0;
    for (const long entry : table) {
      seen += entry;
    }
    right = right && seen == sum && corpus_is_aligned(table, Alignment) != 0;
    corpus_go_on(right ? 1 : 0, round);
  }
}

CORPUS_CASE(endless_aligned_32) { return ends_well(endless<32>); }
CORPUS_CASE(endless_aligned_64) { return ends_well(endless<64>); }
CORPUS_CASE(endless_aligned_4096) { return ends_well(endless<4096>); }

/// Ordinary locals.
[[gnu::noinline]] void endless_plain() noexcept {
  long table[8] = {};
  long sum = 0;
  nopal::scope s;
  for (long round = 0;; ++round) {
    s.fork(corpus_child, round);
    table[round % 8] += round;
    sum += round;
    corpus::scribble();
    long seen = 0;
    for (const long entry : table) {
      seen += entry;
    }
    corpus_go_on(seen == sum ? 1 : 0, round);
  }
}

CORPUS_CASE(endless_not_aligned) { return ends_well(endless_plain); }

/// Vectors as locals, which some levels and machines align.
[[gnu::noinline]] void endless_vectors() noexcept {
  float from[64];
  alignas(32) float to[64] = {};
  for (int i = 0; i < 64; ++i) {
    from[i] = static_cast<float>(corpus::opaque(i));
  }
  nopal::scope s;
  for (long round = 0;; ++round) {
    s.fork(corpus_child, round);
    for (int i = 0; i < 64; ++i) {
      to[i] += from[i] * 2;
    }
    corpus::scribble();
    bool right = true;
    for (int i = 0; i < 64; ++i) {
      right = right && to[i] == static_cast<float>(2 * i) * static_cast<float>(round + 1);
    }
    corpus_go_on(right ? 1 : 0, round);
  }
}

CORPUS_CASE(endless_with_vectors) { return ends_well(endless_vectors); }

/// Two scopes, forked on by turns, and one more in each round, whose join is reached.
[[gnu::noinline]] void endless_scopes() noexcept {
  alignas(128) long table[4] = {1, 2, 3, 4};
  nopal::scope even;
  nopal::scope odd;
  for (long round = 0;; ++round) {
    (round % 2 == 0 ? even : odd).fork(corpus_child, round);
    corpus::scribble();
    table[round % 4] += 4;
    long inner = 0;
    {
      nopal::scope s;
      s.fork_into(inner, corpus::leaf<long>, table[0]);
      corpus::scribble();
    }
    const long rounds_of_first = round / 4 + 1;
    corpus_go_on(inner == 1 + 4 * rounds_of_first && table[0] == inner ? 1 : 0, round);
  }
}

CORPUS_CASE(endless_with_scopes) { return ends_well(endless_scopes); }

/// Through a condition that nobody makes true.
volatile bool stopped = false;

[[gnu::noinline]] void endless_until_told() noexcept {
  alignas(64) long table[8] = {7};
  nopal::scope s;
  for (long round = 0; !stopped; ++round) {
    s.fork(corpus_child, round);
    corpus::scribble();
    corpus_go_on(table[0] == 7 && table[1] == round ? 1 : 0, round);
    ++table[1];
  }
  _exit(wrong_exit);
}

CORPUS_CASE(endless_until_told_otherwise) { return ends_well(endless_until_told); }

/// A lambda that is the child of another endless loop, on whichever thread.
[[gnu::noinline]] void endless_in_child() noexcept {
  nopal::scope s;
  s.fork([]() noexcept {
    alignas(64) long mine[8] = {};
    nopal::scope inner;
    for (long round = 0;; ++round) {
      inner.fork(corpus_child, round);
      corpus::scribble();
      mine[3] += round;
      corpus_go_on(mine[3] == round * (round + 1) / 2 ? 1 : 0, round);
    }
  });
  s.join();
}

CORPUS_CASE(endless_inside_a_child) { return ends_well(endless_in_child); }

CORPUS_CASE(endless_in_c) { return ends_well(corpus_endless_c); }
CORPUS_CASE(endless_in_c_typed) { return ends_well(corpus_endless_c_typed); }
CORPUS_CASE(endless_in_c_fibril) { return ends_well(corpus_endless_c_fibril); }
CORPUS_CASE(endless_in_c_vectors) { return ends_well(corpus_endless_c_vectors); }
CORPUS_CASE(endless_without_exceptions) { return ends_well(corpus_endless_no_exceptions); }
CORPUS_CASE(endless_without_exceptions_vectors) { return ends_well(corpus_endless_no_exceptions_vectors); }
CORPUS_CASE(ended_without_exceptions) { return ends_well(corpus_ended_no_exceptions); }

}  // namespace

void corpus_go_on(int right, long round) {
  const std::uint64_t stolen = corpus::steals();
  if (right == 0) {
    _exit(wrong_exit);
  }
  if ((stolen >= steals_wanted && round >= least_rounds) || round >= most_rounds) {
    _exit(right_exit + static_cast<int>(stolen < most_counted ? stolen : most_counted));
  }
}

void corpus_child(long value) { corpus::leaf(value); }
void corpus_scribble() { corpus::scribble(); }
long corpus_opaque(long value) { return corpus::opaque(value); }

[[gnu::noinline]] int corpus_is_aligned(const volatile void* where, unsigned long to) {
  return reinterpret_cast<std::uintptr_t>(where) % to == 0 ? 1 : 0;
}
