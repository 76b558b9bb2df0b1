// oneTBB's interface on Nopal.
// clang-format off
#include <functional>
#include <vector>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/combinable.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "corpus.hpp"

namespace tbb_data { int x, y; std::vector<int> v(1000, 1); }
using namespace tbb_data;
using range = tbb::blocked_range<std::size_t>;

CASE(tbb_loop) {
  tbb::parallel_for(range(0, 1000), [](const range& r) { for (std::size_t i = r.begin(); i != r.end(); ++i) v[i] = 2; });
}
CASE(tbb_loop_with_one_sum) {
  tbb::parallel_for(range(0, 1000), [](const range& r) { for (std::size_t i = r.begin(); i != r.end(); ++i) x += v[i]; });  // race: A with: A
}
CASE(tbb_loop_over_numbers) {
  tbb::parallel_for(0, 100, [](int i) { v[static_cast<std::size_t>(i)] = i; });
}
CASE(tbb_loop_over_numbers_shares) {
  tbb::parallel_for(0, 100, [](int i) {
    x = i;  // race: A with: A
  });
}
CASE(tbb_task_group) {
  tbb::task_group g;
  g.run([] { x = 1; });
  g.run([] { y = 1; });
  g.wait();
  use(x + y);
}
CASE(tbb_task_group_not_waited_for) {
  tbb::task_group g;
  g.run([] { x = 1; });  // race: A
  x = 2;  // with: A
  g.wait();
}
CASE(tbb_tasks_together) {
  tbb::task_group g;
  g.run([] { x = 1; });  // race: A
  g.run([] { x = 2; });  // with: A
  g.wait();
}
CASE(tbb_tasks_in_order) {
  tbb::task_group g;
  tbb::task_handle a = g.defer([] { x = 1; });
  tbb::task_handle b = g.defer([] { y = 1; });
  tbb::task_handle c = g.defer([] { x += y; });
  tbb::task_group::set_task_order(a, c);
  tbb::task_group::set_task_order(b, c);
  g.run(std::move(c));
  g.run(std::move(b));
  g.run(std::move(a));
  g.wait();
}
CASE(tbb_tasks_of_which_one_is_out_of_order) {
  tbb::task_group g;
  tbb::task_handle a = g.defer([] { x = 1; });
  tbb::task_handle b = g.defer([] { y = 1; });  // race: A
  tbb::task_handle c = g.defer([] { x += y; });  // with: A
  tbb::task_group::set_task_order(a, c);
  g.run(std::move(b));
  g.run(std::move(c));
  g.run(std::move(a));
  g.wait();
}
CASE(tbb_task_that_is_waited_for_alone) {
  tbb::task_group g;
  tbb::task_handle a = g.defer([] { x = 1; });
  tbb::task_completion_handle end = a;
  g.run(std::move(a));
  g.wait_for_task(end);
  x = 2;
  g.wait();
}
CASE(tbb_end_handed_over) {
  tbb::task_group g;
  tbb::task_handle heir = g.defer([] { x = 1; });
  tbb::task_handle a = g.defer([&g, &heir] {
    tbb::task_group::transfer_this_task_completion_to(heir);
    g.run(std::move(heir));
  });
  tbb::task_handle next = g.defer([] { x = 2; });
  tbb::task_group::set_task_order(a, next);
  g.run(std::move(next));
  g.run(std::move(a));
  g.wait();
}
CASE(tbb_handles_run_by_tasks) {
  tbb::task_group g;
  tbb::task_handle a = g.defer([] { x = 1; });
  tbb::task_handle b = g.defer([] { x = 2; });
  tbb::task_handle c = g.defer([] { x = 3; });
  tbb::task_group::set_task_order(a, b);
  tbb::task_group::set_task_order(b, c);
  g.run([&] { g.run(std::move(c)); });
  g.run([&] { g.run(std::move(b)); });
  g.run([&] { g.run(std::move(a)); });
  g.wait();
}
CASE(tbb_tasks_made_beside_what_is_before_them) {
  tbb::task_group g;
  static int values[3];
  tbb::task_handle a = g.defer([] { x = 1; });
  tbb::task_completion_handle end = a;
  for (int i = 0; i != 3; ++i) {
    g.run([&g, i, end]() mutable {
      int one = i;
      tbb::task_handle next = g.defer([i, one] { values[i] = x + one; });
      tbb::task_group::set_task_order(end, next);
      g.run(std::move(next));
    });
  }
  g.run(std::move(a));
  g.wait();
}
CASE(tbb_tasks_in_order_in_an_arena) {
  tbb::task_arena arena(2);
  tbb::task_group g;
  tbb::task_handle a = g.defer([] { x = 1; });
  tbb::task_handle b = g.defer([] { x = 2; });
  tbb::task_group::set_task_order(a, b);
  arena.enqueue(std::move(b));
  arena.enqueue(std::move(a));
  g.wait();
  x = 3;
}
CASE(tbb_task_beside_what_another_begins_after) {
  tbb::task_group g;
  tbb::task_handle a = g.defer([] {});
  tbb::task_handle b = g.defer([] { x = 1; });  // race: A
  tbb::task_handle after_both = g.defer([] { y = 2; });
  tbb::task_handle after_a = g.defer([] { x = 3; });  // with: A
  tbb::task_group::set_task_order(a, after_both);
  tbb::task_group::set_task_order(b, after_both);
  tbb::task_group::set_task_order(a, after_a);
  g.run(std::move(after_both));
  g.run(std::move(after_a));
  g.run(std::move(b));
  g.run(std::move(a));
  g.wait();
}
static int tbb_fib(int n) {
  if (n < 2) return n;
  int a = 0, b = 0;
  tbb::task_group g;
  g.run([&a, n] { a = tbb_fib(n - 1); });
  b = tbb_fib(n - 2);
  g.wait();
  return a + b;
}
CASE(tbb_recursion) { use(tbb_fib(8)); }
CASE(tbb_run_and_wait) {
  tbb::task_group g;
  g.run([] { x = 1; });  // race: A
  g.run_and_wait([] { x = 2; });  // with: A
}
CASE(tbb_invoke) {
  tbb::parallel_invoke([] { x = 1; }, [] { y = 2; });
}
CASE(tbb_invoke_shares) {
  tbb::parallel_invoke([] { x = 1; },  // race: A
                       [] { x = 2; });  // with: A
}
CASE(tbb_reduction) {
  use(tbb::parallel_reduce(range(0, 1000), 0, [](const range& r, int sum) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) sum += v[i];
    return sum;
  }, std::plus<>()));
}
CASE(tbb_sort) {
  std::vector<int> a(5000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int>((i * 7919) % 5003);
  tbb::parallel_sort(a.begin(), a.end());
}
CASE(tbb_for_each) {
  tbb::parallel_for_each(v.begin(), v.end(), [](int& each) { each = 3; });
}
CASE(tbb_for_each_shares) {
  tbb::parallel_for_each(v.begin(), v.end(), [](int& each) {
    x = each;  // race: A with: A
  });
}
CASE(tbb_spin_mutex) {
  static tbb::spin_mutex m; use_address(&m);
  tbb::parallel_for(0, 100, [](int i) { const tbb::spin_mutex::scoped_lock guard(m); x += i; });
}
CASE(tbb_arena) {
  tbb::task_arena a(2);
  a.execute([] { tbb::parallel_for(0, 100, [](int i) { v[static_cast<std::size_t>(i)] = i; }); });
}
