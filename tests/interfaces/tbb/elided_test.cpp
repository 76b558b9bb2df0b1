// The serial elision of programs on oneTBB's interface. Linked without the library.
#include <nopal/speculate.hpp>
#include <tbb/tbb.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
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

void check_handles() {
  tbb::task_group group;
  bool is_called = false;
  struct owner {
    tbb::task_handle handle;
  };
  auto owned = std::make_unique<owner>();
  owned->handle = group.defer([&] {
    is_called = true;
    owned = nullptr;
  });
  group.run(std::move(owned->handle));
  group.wait();
  check(is_called && owned == nullptr, "a task may end what its handle was part of");
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

struct counted {
  static inline int live = 0;
  explicit counted(int given) : number(given) { ++live; }
  counted(const counted&) = delete;
  ~counted() { --live; }
  int number;
};

void check_pipelines() {
  std::string events;
  int given = 0;
  const tbb::filter numbers(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
    if (given == 3) control.stop();
    return given++;
  });
  const auto twice = tbb::make_filter<int, int>(tbb::filter_mode::parallel, [&](int item) {
    events += 'a';
    return 2 * item;
  });
  const auto add = tbb::make_filter<int, void>(tbb::filter_mode::serial_out_of_order,
                                               [&](int item) { events += std::to_string(item); });
  tbb::parallel_pipeline(8, numbers, twice, add);
  check(events == "a0a2a4", "a pipeline carries one item after the other");
  bool caught = false;
  try {
    tbb::parallel_pipeline(
        8, tbb::make_filter<void, counted>(tbb::filter_mode::parallel, [&](tbb::flow_control&) {
             return counted(given++);
           }) & tbb::make_filter<counted, void>(tbb::filter_mode::serial_in_order, [](counted&& item) {
             if (item.number == 20) throw std::runtime_error("x");
           }));
  } catch (const std::runtime_error&) {
    caught = true;
  }
  check(caught && given == 21 && counted::live == 0, "its exceptions");
}

void check_call_once() {
  tbb::collaborative_once_flag flag;
  int calls = 0;
  for (int i = 0; i != 3; ++i) {
    try {
      tbb::collaborative_call_once(
          flag,
          [&](int count) {
            tbb::parallel_for(0, count, [&](int) { ++calls; });
            if (calls == count) throw std::runtime_error("x");
          },
          10);
    } catch (const std::runtime_error&) {
    }
  }
  check(calls == 20, "a call is made again until it returns");
  std::atomic<int> made{0};
  tbb::collaborative_once_flag shared;
  const auto use = [&] {
    tbb::collaborative_call_once(shared, [&] { ++made; });
    check(made == 1, "of several threads one makes the call");
  };
  std::thread other(use);
  use();
  other.join();
}

void check_suspensions() {
  tbb::task_group group;
  bool is_over = false;
  group.run([&] {
    tbb::task::suspend([](tbb::task::suspend_point point) { tbb::task::resume(point); });
    std::thread other;
    tbb::task::suspend(
        [&](tbb::task::suspend_point point) { other = std::thread([point] { tbb::task::resume(point); }); });
    other.join();
    is_over = true;
  });
  group.wait();
  check(is_over, "a task waits until it is resumed");
}

// Each end has the next task begin: no deeper for that.
void check_long_chains() {
  tbb::task_group group;
  constexpr int count = 300'000;
  int calls = 0;
  bool is_ordered = true;
  std::vector<tbb::task_handle> tasks;
  for (int i = 0; i != count; ++i) {
    tasks.push_back(group.defer([&, i] { is_ordered = is_ordered && calls++ == i; }));
    if (i != 0) tbb::task_group::set_task_order(tasks[static_cast<std::size_t>(i) - 1], tasks.back());
  }
  while (!tasks.empty()) {
    group.run(std::move(tasks.back()));
    tasks.pop_back();
  }
  group.wait();
  check(calls == count && is_ordered, "a long chain of tasks");
}

// A task that an end began waits for one that another end in it begins.
void check_chains_in_tasks() {
  tbb::task_group outer;
  bool is_called = false;
  tbb::task_handle first = outer.defer([] {});
  tbb::task_handle next = outer.defer([&] {
    tbb::task_group inner;
    tbb::task_handle before = inner.defer([] {});
    tbb::task_handle after = inner.defer([&] { is_called = true; });
    tbb::task_group::set_task_order(before, after);
    inner.run(std::move(after));
    inner.run(std::move(before));
    inner.wait();
    check(is_called, "a task that begins in another one");
  });
  tbb::task_group::set_task_order(first, next);
  outer.run(std::move(next));
  outer.run(std::move(first));
  outer.wait();
  check(is_called, "tasks in order");
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
  check_handles();
  check_stops();
  check_pipelines();
  check_call_once();
  check_suspensions();
  check_long_chains();
  check_chains_in_tasks();
  int enqueued = 0;
  tbb::task_arena(1).enqueue([&] { enqueued = 1; });
  check(enqueued == 1, "what is enqueued is called");
  tbb::enumerable_thread_specific<int> value(5);
  check(value.local() == 5, "thread-specific values");
  return 0;
}
