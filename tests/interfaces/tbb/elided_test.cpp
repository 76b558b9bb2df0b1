// The serial elision of programs on oneTBB's interface. Linked without the library.
#include <nopal/speculate.hpp>
#include <tbb/tbb.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <vector>

namespace {

void check(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "elided: %s\n", what);
    std::exit(1);
  }
}

int fib(int n) {
  if (n < 2) return n;
  int a = 0;
  int b = 0;
  tbb::task_group group;
  group.run([&] { a = fib(n - 1); });
  group.run_and_wait([&] { b = fib(n - 2); });
  return a + b;
}

void check_stops() {
  int calls = 0;
  {
    nopal::cancel_scope s;
    tbb::parallel_for(0, 10, [&](int) {
      if (++calls == 3) s.request_stop();
    });
    check(calls == 3, "a stopped scope cancels the loop inside");
    tbb::task_group_context apart(tbb::task_group_context::isolated);
    tbb::parallel_for(0, 10, [&](int) { calls += nopal::stop_requested() ? 100 : 1; }, apart);
    check(calls == 13, "and no isolated one");
    s.join();
  }
  bool seen = false;
  tbb::parallel_for(0, 10, [&](int i) {
    if (i == 5) tbb::task::current_context()->cancel_group_execution();
    seen = nopal::stop_requested();
  });
  check(seen && !nopal::stop_requested(), "a cancelled context stops what its bodies fork");
}

}  // namespace

int main() {
  std::vector<int> order;
  tbb::parallel_for(0, 100, [&](int i) { order.push_back(i); });
  for (int i = 0; i != 100; ++i) check(order[static_cast<std::size_t>(i)] == i, "a loop runs in order");
  check(fib(15) == 610, "groups call their tasks");
  using range = tbb::blocked_range<int>;
  const auto sum = [](const range& part, int value) {
    for (int i = part.begin(); i != part.end(); ++i) value += i;
    return value;
  };
  check(tbb::parallel_reduce(range(0, 100), 0, sum, std::plus<>()) == 4950, "reductions");
  check(tbb::parallel_scan(
            range(0, 100), 0, [&](const range& part, int value, bool) { return sum(part, value); },
            std::plus<>()) == 4950,
        "running sums");
  tbb::parallel_sort(order, std::greater<>());
  check(order.front() == 99, "sorting");
  bool caught = false;
  try {
    tbb::task_group group;
    group.run([] { throw std::runtime_error("x"); });
    group.wait();
  } catch (const std::runtime_error&) {
    caught = true;
  }
  check(caught, "a wait throws");
  check_stops();
  int enqueued = 0;
  tbb::task_arena(1).enqueue([&] { enqueued = 1; });
  check(enqueued == 1, "what is enqueued is called");
  tbb::enumerable_thread_specific<int> value(5);
  check(value.local() == 5, "thread-specific values");
  return 0;
}
