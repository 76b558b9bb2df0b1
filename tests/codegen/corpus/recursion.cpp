// Recursive divide and conquer: steals at every depth, strands on many stacks.

#include <functional>
#include <numeric>
#include <vector>

#include "corpus.hpp"

/// The textbook's function; the checks of the unstolen path find it by this name.
extern "C" long corpus_fib(int n) {
  if (n < 2) {
    return n;
  }
  long x;
  nopal::scope s;
  s.fork_into(x, corpus_fib, n - 1);
  long y = corpus_fib(n - 2);
  s.join();
  return x + y;
}

namespace {

using corpus::leaf;
using corpus::linger;
using corpus::opaque;

CORPUS_CASE(recursion_fib) { return corpus_fib(opaque(16)) == 987 && corpus_fib(leaf(3)) == 2; }

[[gnu::noinline]] long lingering_fib(int n) {
  if (n < 2) {
    return leaf(static_cast<long>(n));
  }
  long x;
  nopal::scope s;
  s.fork_into(x, lingering_fib, n - 1);
  const long y = lingering_fib(n - 2);
  s.join();
  return x + y;
}

CORPUS_CASE(recursion_lingering_fib) { return lingering_fib(opaque(8)) == 21; }

long sum_of(const long* from, std::size_t count) {
  if (count < 5) {
    linger();
    return std::accumulate(from, from + count, 0L);
  }
  long left = 0;
  long right = 0;
  nopal::scope s;
  s.fork_into(left, sum_of, from, count / 2);
  s.fork_into(right, sum_of, from + count / 2, count - count / 2);
  s.join();
  return left + right;
}

CORPUS_CASE(recursion_sum) {
  std::vector<long> values(100);
  std::iota(values.begin(), values.end(), 1L);
  return sum_of(values.data(), values.size()) == 5050;
}

/// Children write through references into frames several levels up.
void count_down(int depth, int& counter, std::vector<int>& trace) {
  if (depth == 0) {
    linger();
    counter = 1;
    return;
  }
  int below = 0;
  std::vector<int> traced;
  {
    nopal::scope s;
    s.fork(count_down, depth - 1, std::ref(below), std::ref(traced));
    corpus::scribble();
  }
  counter = below + 1;
  trace = std::move(traced);
  trace.push_back(depth);
}

CORPUS_CASE(recursion_writes_upwards) {
  int counter = 0;
  std::vector<int> trace;
  count_down(opaque(12), counter, trace);
  return counter == 13 && trace.size() == 12 && trace.front() == 1 && trace.back() == 12;
}

int safe_queens(int size, int row, unsigned columns, unsigned left, unsigned right) {
  if (row == size) {
    return leaf(1);
  }
  int counts[8] = {};
  nopal::scope s;
  for (int column = 0; column < size; ++column) {
    const unsigned bit = 1U << column;
    if (((columns | left | right) & bit) == 0) {
      s.fork_into(counts[column], safe_queens, size, row + 1, columns | bit, (left | bit) << 1,
                  (right | bit) >> 1);
    }
  }
  s.join();
  return std::accumulate(counts, counts + 8, 0);
}

CORPUS_CASE(recursion_queens) { return safe_queens(opaque(6), 0, 0, 0, 0) == 4; }

/// Mutual recursion through lambdas, with a scope that outlives several inner ones.
struct tree {
  static long walk(int depth, long label) {
    long sum = 0;
    nopal::scope all;
    for (int child = 0; child < 3; ++child) {
      if (depth > 0) {
        long part = 0;
        nopal::scope one;
        one.fork_into(part, &tree::walk, depth - 1, label * 3 + child);
        corpus::scribble();
        one.join();
        sum += part;
      }
    }
    long own = 0;
    all.fork_into(own, leaf<long>, label);
    sum += depth;
    all.join();
    return sum + own;
  }
};

CORPUS_CASE(recursion_tree) {
  // Labels of the k-th level: 0 to 3^k - 1; depths 3, 2, 1, 0.
  return tree::walk(opaque(3), 0) == 0 + 3 + 36 + 351 + (3 + 3 * 2 + 9);
}

}  // namespace
