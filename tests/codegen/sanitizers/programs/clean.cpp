// Correct: whatever a tool reports here is false. Every kind of fork, join and end of a child is stolen from at times.
#include "forced.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

long fib(int n) {
  if (n < 2) return n;
  long a;
  nopal::scope s;
  s.fork_into(a, fib, n - 1);
  const long b = fib(n - 2);
  s.join();
  return a + b;
}

/// Arguments with destructors, a scope used again, results written by children and read after the join.
long reuse(int rounds) {
  std::vector<long> sums(40);
  long total = 0;
  nopal::scope s;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      s.fork_into(
          sums[i], [](std::vector<int> values) { return std::accumulate(values.begin(), values.end(), 0L); },
          std::vector<int>(50, round));
    }
    s.join();
    total += std::accumulate(sums.begin(), sums.end(), 0L);
  }
  return total;
}

/// Steals at each level, local arrays with bounds to watch on every stack.
long forced(int depth) {
  std::array<long, 20> local{};
  long a = 0;
  flag continued{false};
  nopal::scope s;
  s.fork_into(a, [&continued, depth] {
    std::array<char, 100> bytes{};
    wait_for(continued);
    bytes[static_cast<std::size_t>(depth)] = 1;
    return depth > 0 ? forced(depth - 1) + bytes[static_cast<std::size_t>(depth)] : 1L;
  });
  local[3] = depth;
  set(continued);
  const std::string text(50, 'x');
  const auto length = static_cast<long>(text.size());
  s.join();
  return a + local[3] + length;
}

/// Exceptions that leave children and continuations.
int thrower(int depth, bool in_child) {
  int a = 0;
  const std::unique_ptr<std::string> owned = std::make_unique<std::string>("kept through the exception");
  flag continued{false};
  nopal::scope s;
  s.fork_into(a, [&continued, depth, in_child] {
    wait_for(continued);
    if (in_child && depth == 0) throw std::runtime_error("from a child");
    return depth > 0 ? thrower(depth - 1, in_child) : 1;
  });
  set(continued);
  if (!in_child && depth == 0) throw std::runtime_error("from a continuation");
  s.join();
  return a + static_cast<int>(owned->size());
}

int caught(int times) {
  int count = 0;
  for (int i = 0; i < times; ++i) {
    try {
      thrower(i % 4, i % 2 == 0);
    } catch (const std::runtime_error& error) {
      count += std::string(error.what()).starts_with("from") ? 1 : 0;
    }
  }
  return count;
}

/// Views of strands, some of whose continuations are surely stolen, of a reducer that lives as long as one call. One worker at a
/// time waits for a thief.
void spell(nopal::reducer<nopal::op_string_append>& text, int first, int count, bool forced) {
  if (count == 1) {
    *text += static_cast<char>('a' + first % 26);
    return;
  }
  flag continued{!forced};
  nopal::scope s;
  s.fork([&text, &continued, first, count, forced] {
    wait_for(continued);
    spell(text, first, count / 2, forced);
  });
  set(continued);
  spell(text, first + count / 2, count - count / 2, false);
  s.join();
}

long spelt(int count) {
  nopal::reducer<nopal::op_string_append> text;
  spell(text, 0, count, true);
  long right = 0;
  for (int i = 0; i < count; ++i) right += text->at(static_cast<std::size_t>(i)) == 'a' + i % 26 ? 1 : 0;
  return right;
}

}  // namespace

int main() {
  bool right = true;
  const auto check = [&right](const char* what, long got, long expected) {
    if (got != expected) {
      std::printf("%s: %ld, not %ld\n", what, got, expected);
      right = false;
    }
  };
  for (int i = 0; i < 3; ++i) {
    check("fib", fib(17), 1597);
    check("reuse", reuse(5), 40L * 50 * 10);
    check("forced", forced(9) > 0 ? 1 : 0, 1);
    check("caught", caught(40), 40);
    check("spelt", spelt(60), 60);
  }
  std::array<long, 3> results{};
  {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < results.size(); ++i) {
      threads.emplace_back([&results, i] { results[i] = fib(14) + caught(8) + spelt(20); });
    }
    for (std::thread& thread : threads) thread.join();
  }
  for (const long result : results) check("adopted", result, 377 + 8 + 20);
  nopal::shutdown();
  check("fib after a shutdown", fib(12), 144);
  check("steals", nopal::stats().total.steals > 0 ? 1 : 0, nopal::workers() > 1 ? 1 : 0);
  return right ? 0 : 1;
}
