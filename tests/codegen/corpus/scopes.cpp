// Several scopes in one function, scopes in loops, and the stack's depth over many stolen joins.

#include "corpus.hpp"

namespace {

using corpus::leaf;
using corpus::opaque;

[[gnu::noinline]] bool join_in_order(bool first_first) {
  int results[4] = {};
  nopal::scope first;
  first.fork_into(results[0], leaf<int>, 1);
  corpus::scribble();
  nopal::scope second;
  second.fork_into(results[1], leaf<int>, 2);
  corpus::scribble();
  first.fork_into(results[2], leaf<int>, 3);
  corpus::scribble();
  second.fork_into(results[3], leaf<int>, 4);
  const int meanwhile = leaf(5);
  if (first_first) {
    first.join();
    const bool half = results[0] == 1 && results[2] == 3;
    second.join();
    return half && results[1] == 2 && results[3] == 4 && meanwhile == 5;
  }
  second.join();
  const bool half = results[1] == 2 && results[3] == 4;
  first.join();
  return half && results[0] == 1 && results[2] == 3 && meanwhile == 5;
}

CORPUS_CASE(scopes_joined_lifo) { return join_in_order(opaque(false)); }
CORPUS_CASE(scopes_joined_fifo) { return join_in_order(opaque(true)); }

CORPUS_CASE(scopes_reused) {
  int sum = 0;
  int results[2] = {};
  nopal::scope s;
  for (int i = 0; i < 10; ++i) {
    s.fork_into(results[0], leaf<int>, i);
    s.fork_into(results[1], leaf<int>, i * 2);
    corpus::scribble();
    s.join();
    sum += results[0] + results[1];
  }
  return sum == 135;
}

CORPUS_CASE(scopes_nested_blocks) {
  int outer = 0;
  int middle = 0;
  int inner = 0;
  nopal::scope a;
  a.fork_into(outer, leaf<int>, 1);
  {
    nopal::scope b;
    b.fork_into(middle, leaf<int>, 2);
    {
      nopal::scope c;
      c.fork_into(inner, leaf<int>, 3);
      corpus::scribble();
    }
    b.join();
    middle += inner;
    b.fork_into(inner, leaf<int>, 30);
  }
  a.join();
  return outer == 1 && middle == 5 && inner == 30;
}

CORPUS_CASE(scopes_loop_of_forks) {
  long results[64] = {};
  nopal::scope s;
  for (long i = 0; i < 64; ++i) {
    s.fork_into(results[i], leaf<long>, i * i);
  }
  s.join();
  long sum = 0;
  for (const long result : results) {
    sum += result;
  }
  return sum == 63L * 64 * 127 / 6;
}

CORPUS_CASE(scopes_without_fork) {
  int result = 0;
  nopal::scope never_used;
  nopal::scope joined_only;
  joined_only.join();
  nopal::scope s;
  if (opaque(false)) {
    never_used.fork_into(result, leaf<int>, 2);
  }
  s.fork_into(result, leaf<int>, 1);
  joined_only.join();
  s.join();
  s.join();
  return result == 1;
}

[[gnu::noinline]] std::uintptr_t depth() {
  char local = 0;
  return reinterpret_cast<std::uintptr_t>(opaque(&local));
}

/// Each stolen join must leave the stack pointer as it was: after many, callees are as deep as before.
[[gnu::noinline]] bool stays_as_deep(int rounds) {
  int result = 0;
  bool right = true;
  std::uintptr_t lowest = UINTPTR_MAX;
  std::uintptr_t highest = 0;
  nopal::scope s;
  for (int round = 0; round < rounds; ++round) {
    s.fork_into(result, leaf<int>, round);
    s.join();
    right = right && result == round;
    const std::uintptr_t now = depth();
    lowest = now < lowest ? now : lowest;
    highest = now > highest ? now : highest;
  }
  return right && highest - lowest <= 64;
}

CORPUS_CASE(scopes_keep_the_stack) { return stays_as_deep(corpus::repetitions()); }

/// The same where the strand is away, on a thief's stack; it may go on on another one, but as near to its end.
[[gnu::noinline]] bool stays_as_deep_away(int rounds) {
  constexpr std::uintptr_t page = 4096;
  int outer = 0;
  int result = 0;
  bool right = true;
  nopal::scope around;
  around.fork_into(outer, leaf<int>, 1);
  const std::uintptr_t before = depth();
  for (int round = 0; round < rounds; ++round) {
    nopal::scope s;
    s.fork_into(result, leaf<int>, round);
    corpus::scribble();
    s.join();
    const std::uintptr_t now = depth();
    right = right && result == round && (now == before || now > before + page || now < before - page);
  }
  around.join();
  return right && outer == 1;
}

CORPUS_CASE(scopes_keep_the_stack_away) { return stays_as_deep_away(corpus::repetitions() / 4); }

/// Forks in a loop, stolen again and again, write one result after the other.
CORPUS_CASE(scopes_many_steals_of_one_loop) {
  const int rounds = corpus::repetitions();
  long sum = 0;
  int results[8] = {};
  nopal::scope s;
  for (int round = 0; round < rounds; ++round) {
    s.fork_into(results[round % 8], leaf<int>, round);
    sum += round;
    if (round % 8 == 7) {
      s.join();
      for (const int result : results) {
        sum -= result;
      }
    }
  }
  s.join();
  for (int left = rounds / 8 * 8; left < rounds; ++left) {
    sum -= results[left % 8];
  }
  return sum == 0;
}

}  // namespace
