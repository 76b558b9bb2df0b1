// Exceptions, jumps and loops around forks.

#include <stdexcept>
#include <string>

#include "corpus.hpp"

namespace {

using corpus::counted;
using corpus::leaf;
using corpus::linger;
using corpus::opaque;

[[gnu::noinline]] int throw_it(int value) {
  linger();
  throw std::runtime_error(std::to_string(value));
}

CORPUS_CASE(control_exception_of_child) {
  volatile int progress = 0;
  int result = 0;
  std::string message;
  try {
    nopal::scope s;
    s.fork_into(result, throw_it, 17);
    progress = 1;
    corpus::scribble();
    s.join();
    progress = 2;
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  // Without a steal the fork throws, with one the join does.
  return message == "17" && progress < 2 && result == 0;
}

CORPUS_CASE(control_exception_of_continuation) {
  int result = 0;
  int caught = 0;
  const int before = corpus::counted_alive();
  try {
    const counted object(1);
    nopal::scope s;
    s.fork_into(result, leaf<int>, 5);
    const counted other(2);
    corpus::scribble();
    throw object.value + other.value;
  } catch (int value) {
    caught = value;
  }
  return caught == 3 && result == 5 && corpus::counted_alive() == before;
}

[[gnu::noinline]] int deep_throw(int depth) {
  const counted object(depth);
  if (depth == 0) {
    return opaque(true) ? throw_it(99) : 0;
  }
  int left = 0;
  nopal::scope s;
  s.fork_into(left, leaf<int>, depth);
  const int right = deep_throw(depth - 1);
  s.join();
  return left + right + object.value;
}

CORPUS_CASE(control_exception_through_frames) {
  const int before = corpus::counted_alive();
  std::string message;
  try {
    static_cast<void>(deep_throw(opaque(5)));
  } catch (const std::exception& error) {
    message = error.what();
  }
  return message == "99" && corpus::counted_alive() == before;
}

/// The handler is in the continuation, and goes on forking.
CORPUS_CASE(control_handler_in_continuation) {
  int results[3] = {};
  int caught = 0;
  nopal::scope s;
  s.fork_into(results[0], leaf<int>, 1);
  try {
    static_cast<void>(throw_it(3));
  } catch (const std::runtime_error& error) {
    s.fork_into(results[1], leaf<int>, 2);
    caught = std::stoi(error.what());
    s.fork_into(results[2], leaf<int>, 3);
    corpus::scribble();
    s.join();
    caught += std::stoi(error.what());
  }
  s.join();
  return results[0] == 1 && results[1] == 2 && results[2] == 3 && caught == 6;
}

CORPUS_CASE(control_rethrow) {
  int caught = 0;
  int result = 0;
  try {
    try {
      nopal::scope s;
      s.fork(throw_it, 4);
      corpus::scribble();
      s.join();
    } catch (...) {
      nopal::scope s;
      s.fork_into(result, leaf<int>, 8);
      corpus::scribble();
      s.join();
      throw;
    }
  } catch (const std::runtime_error& error) {
    caught = std::stoi(error.what());
  }
  return caught == 4 && result == 8;
}

/// Two children throw, the continuation too: one exception arrives, nothing is lost.
CORPUS_CASE(control_many_exceptions) {
  int caught = 0;
  const int before = corpus::counted_alive();
  for (int round = 0; round < 3; ++round) {
    try {
      nopal::scope s;
      s.fork([](const counted& object) { throw_it(object.value); }, counted(1));
      s.fork(throw_it, 2);
      throw_it(3);
    } catch (const std::runtime_error&) {
      ++caught;
    }
  }
  return caught == 3 && corpus::counted_alive() == before;
}

[[gnu::noinline]] int with_jumps(int rounds) {
  int result = 0;
  int sum = 0;
  nopal::scope s;
again:
  s.fork_into(result, leaf<int>, rounds);
  if (rounds % 2 == 0) {
    sum += 100;
    goto joined;
  }
  corpus::scribble();
  sum += 1;
joined:
  s.join();
  sum += result;
  if (--rounds > 0) {
    goto again;
  }
  return sum;
}

CORPUS_CASE(control_goto) { return with_jumps(opaque(6)) == 21 + 300 + 3; }

[[gnu::noinline]] int choose(int which) {
  int first = 0;
  int second = 0;
  nopal::scope s;
  switch (which) {
  case 0: s.fork_into(first, leaf<int>, 10); break;
  case 1: s.fork_into(first, leaf<int>, 20); [[fallthrough]];
  case 2: s.fork_into(second, leaf<int>, 30); break;
  case 3: corpus::scribble(); return 40;
  case 4:
    s.fork_into(first, leaf<int>, 50);
    corpus::scribble();
    return which * 12;
  case 5:
    s.fork(leaf<int>, 1);
    second = 60;
    break;
  case 6: first = leaf(65); break;
  default: s.fork_into(second, leaf<int>, 70);
  }
  const int meanwhile = leaf(which);
  s.join();
  return first + second + meanwhile;
}

CORPUS_CASE(control_switch) {
  return choose(0) == 10 && choose(1) == 51 && choose(2) == 32 && choose(3) == 40 && choose(4) == 48 &&
         choose(5) == 65 && choose(6) == 71 && choose(opaque(9)) == 79;
}

/// The destructor joins on each way out of the loop.
[[gnu::noinline]] int leave_early(int when) {
  int result = 0;
  int sum = 0;
  for (int i = 0; i < 6; ++i) {
    nopal::scope s;
    s.fork_into(result, leaf<int>, i);
    sum += i;
    if (i == when) {
      break;
    }
    if (i % 2 == 1) {
      continue;
    }
    corpus::scribble();
    s.join();
    sum += result * 10;
  }
  return sum + result * 100;
}

CORPUS_CASE(control_break_and_continue) {
  return leave_early(opaque(3)) == 6 + 20 + 300 && leave_early(opaque(9)) == 15 + 60 + 500;
}

[[gnu::noinline]] bool conditional(int value) {
  int left = -1;
  int right = -1;
  nopal::scope s;
  const bool forked = value > 3 && (s.fork_into(left, leaf<int>, value), true);
  value > 5 ? s.fork_into(right, leaf<int>, value * 2) : static_cast<void>(right = leaf(7));
  corpus::scribble();
  s.join();
  return (forked ? left == value : left == -1) && right == (value > 5 ? value * 2 : 7);
}

CORPUS_CASE(control_conditional_forks) {
  return conditional(opaque(1)) && conditional(opaque(4)) && conditional(opaque(8));
}

[[gnu::noinline]] int until_found(const int* values, int wanted) {
  int steps = 0;
  int seen = 0;
  nopal::scope s;
  do {
    s.fork_into(seen, leaf<int>, values[steps]);
    corpus::scribble();
    s.join();
  } while (seen != wanted && ++steps < 10);
  return steps;
}

CORPUS_CASE(control_do_while) {
  const int values[10] = {4, 8, 15, 16, 23, 42, 1, 2, 3, 5};
  return until_found(values, opaque(42)) == 5 && until_found(values, opaque(4)) == 0;
}

}  // namespace
