// A program compiled with oneTBB's own headers: what waits end with, what contexts carry, and where tasks run.
// Usage: in_place_waits_program LIBRARY: the file that must be what it runs on.

#include <dlfcn.h>
#include <oneapi/tbb/mutex.h>
#include <tbb/tbb.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "in_place_check.hpp"
#include "in_place_isolated.hpp"

namespace {

void pause_until(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

/// A wait is for its own group, also where another one has its context.
void shared_contexts() {
  tbb::task_group_context both;
  tbb::task_group slow(both);
  tbb::task_group quick(both);
  std::atomic<bool> begun{false};
  std::atomic<bool> may_end{false};
  std::thread other([&] {
    slow.run([&] {
      begun = true;
      pause_until(may_end);
    });
    slow.wait();
  });
  pause_until(begun);
  std::atomic<int> calls{0};
  for (int i = 0; i < 10; ++i) quick.run([&] { ++calls; });
  quick.wait();
  CHECK(calls == 10);
  tbb::flow::graph graph(both);
  tbb::flow::function_node<int> node(graph, tbb::flow::unlimited, [&](int) { ++calls; });
  for (int i = 0; i < 10; ++i) node.try_put(i);
  graph.wait_for_all();
  CHECK(calls == 20);
  may_end = true;
  other.join();
  // What is isolated takes nothing from around it: its thread would lock the mutex again.
  std::mutex mutex;
  tbb::parallel_for(
      0, 50,
      [&](int) {
        const std::lock_guard<std::mutex> lock(mutex);
        tbb::this_task_arena::isolate(
            [&] { tbb::parallel_for(0, 50, [&](int) { ++calls; }, tbb::simple_partitioner(), both); });
      },
      tbb::simple_partitioner(), both);
  CHECK(calls == 2520);
}

template <class F>
double shortest_of_ten(const F& f) {
  double shortest = 1e9;
  for (int i = 0; i < 10; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    shortest =
        std::min(shortest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return shortest;
}

/// A wait runs at once what was spawned before its first task.
void prompt_waits() {
  std::atomic<int> calls{0};
  const double loops = shortest_of_ten([&] {
    for (int i = 0; i < 100; ++i) tbb::parallel_for(0, 2, [&](int) { ++calls; }, tbb::simple_partitioner());
  });
  const double pairs = shortest_of_ten([&] {
    for (int i = 0; i < 100; ++i) tbb::parallel_invoke([&] { ++calls; }, [&] { ++calls; });
  });
  CHECK(calls == 4000);
  if (tbb::this_task_arena::max_concurrency() == 1) CHECK(pairs < 10 * loops);
}

/// Captured settings hold in the tasks of a context, and in what is inside of these.
void float_settings() {
  std::fesetround(FE_UPWARD);
  tbb::task_group_context made(tbb::task_group_context::bound, tbb::task_group_context::default_traits |
                                                                   tbb::task_group_context::fp_settings);
  std::fesetround(FE_DOWNWARD);
  tbb::task_group_context captured;
  captured.capture_fp_settings();
  std::fesetround(FE_TONEAREST);
  std::atomic<int> others{0};
  const auto count_others = [&](tbb::task_group_context& context, int mode) {
    tbb::parallel_for(
        0, 200,
        [&](int) {
          if (std::fegetround() != mode) ++others;
          tbb::parallel_for(0, 4, [&](int) {
            if (std::fegetround() != mode) ++others;
          });
        },
        tbb::simple_partitioner(), context);
  };
  count_others(made, FE_UPWARD);
  count_others(captured, FE_DOWNWARD);
  CHECK(others == 0 && std::fegetround() == FE_TONEAREST);
}

struct counted {
  static inline std::atomic<int> alive{0};
  counted() { ++alive; }
  counted(const counted&) { ++alive; }
  ~counted() { --alive; }
  char much[100] = {};
};

void pipelines() {
  int next = 0;
  std::atomic<int> calls{0};
  try {
    tbb::parallel_pipeline(
        4, tbb::make_filter<void, counted>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& flow) {
             if (next++ == 1000) flow.stop();
             return counted();
           }) & tbb::make_filter<counted, void>(tbb::filter_mode::parallel, [&](const counted&) {
             if (++calls == 20) throw 20;
           }));
    CHECK(false);
  } catch (const int) {
  }
  CHECK(counted::alive == 0);
  // The first stage is part of the context, too.
  tbb::task_group_context context;
  next = 0;
  calls = 0;
  bool is_part = true;
  bool was_asked = false;
  tbb::parallel_pipeline(4,
                         tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                                     [&](tbb::flow_control& flow) {
                                                       is_part = is_part &&
                                                                 tbb::task::current_context() == &context;
                                                       if (next == 20) {
                                                         context.cancel_group_execution();
                                                         was_asked = tbb::is_current_task_group_canceling();
                                                         tbb::parallel_for(0, 100, [&](int) { ++calls; });
                                                       }
                                                       if (next == 40) flow.stop();
                                                       return next++;
                                                     }) &
                             tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int) {}),
                         context);
  CHECK(is_part && was_asked && calls == 0);
}

/// Threads that run at once have different indices, those that run what was enqueued included.
void indices() {
  std::vector<std::atomic<int>> busy(1000);
  std::atomic<int> clashes{0};
  std::atomic<int> left{100};
  const auto body = [&] {
    const int index = tbb::this_task_arena::current_thread_index();
    CHECK(index >= 0 && index < tbb::this_task_arena::max_concurrency());
    if (busy[static_cast<std::size_t>(index)].fetch_add(1) != 0) ++clashes;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    --busy[static_cast<std::size_t>(index)];
  };
  tbb::parallel_for(
      0, 100,
      [&](int) {
        tbb::this_task_arena::enqueue([&] {
          body();
          --left;
        });
        body();
      },
      tbb::simple_partitioner());
  while (left != 0) std::this_thread::yield();
  CHECK(clashes == 0);
  // Outside of tasks, once the thread has had any.
  CHECK(tbb::this_task_arena::current_thread_index() == 0);
  CHECK(tbb::task::current_context() == nullptr);
  std::thread([] {
    CHECK(tbb::this_task_arena::current_thread_index() == tbb::task_arena::not_initialized);
  }).join();
}

void priorities() {
  tbb::task_arena low(1, 0, tbb::task_arena::priority::low);
  tbb::task_arena high(1, 0, tbb::task_arena::priority::high);
  std::mutex mutex;
  std::vector<bool> order;
  std::atomic<int> left{200};
  for (tbb::task_arena* const arena : {&low, &high}) {
    for (int i = 0; i < 100; ++i) {
      arena->enqueue([&, is_high = arena == &high] {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        {
          const std::lock_guard<std::mutex> lock(mutex);
          order.push_back(is_high);
        }
        --left;
      });
    }
  }
  while (left != 0) std::this_thread::yield();
  // Threads beside each other may take both: the order says something of one.
  if (tbb::this_task_arena::max_concurrency() == 1) {
    CHECK(std::count(order.begin(), order.begin() + 120, true) >= 90);
  }
}

void ends_of_the_pool() {
  tbb::parallel_for(0, 1, [](int) {
    tbb::task_scheduler_handle handle{tbb::attach{}};
    CHECK(!tbb::finalize(handle, std::nothrow));
  });
}

}  // namespace

namespace {

/// Of a table with a place for each thread that there is by default, and of one for a number of its own.
void more_threads_than_there_are_by_default() {
  const int usual = tbb::info::default_concurrency();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(usual) + 3);
  CHECK(tbb::info::default_concurrency() == usual && tbb::this_task_arena::max_concurrency() == usual);
  const auto use = [](std::vector<std::atomic<bool>>& table) {
    tbb::parallel_for(0, 3000, [&](int) {
      const int index = tbb::this_task_arena::current_thread_index();
      CHECK(index >= 0 && index < static_cast<int>(table.size()));
      CHECK(!table[static_cast<std::size_t>(index)].exchange(true));
      for (volatile int i = 0; i < 100; i = i + 1) {
      }
      table[static_cast<std::size_t>(index)] = false;
    });
  };
  std::vector<std::atomic<bool>> small(static_cast<std::size_t>(usual));
  std::vector<std::atomic<bool>> large(static_cast<std::size_t>(usual) + 3);
  tbb::task_arena any;
  tbb::task_arena all(usual + 3);
  for (int round = 0; round != 10; ++round) {
    use(small);
    any.execute([&] { use(small); });
    all.execute([&] { use(large); });
  }
}

}  // namespace

int main(int count, char** arguments) {
  alarm(100);
  Dl_info where{};
  CHECK(dladdr(reinterpret_cast<void*>(&TBB_runtime_interface_version), &where) != 0);
  CHECK(count != 2 || std::strcmp(where.dli_fname, arguments[1]) == 0);
  ends_of_the_pool();
  prompt_waits();
  shared_contexts();
  isolated::check();
  float_settings();
  pipelines();
  indices();
  priorities();
  more_threads_than_there_are_by_default();
  // Threads that wait for ever do not keep the program from its end.
  static tbb::mutex locked;
  static auto& empty = *new tbb::concurrent_bounded_queue<int>;
  locked.lock();
  std::thread([] { locked.lock(); }).detach();
  std::thread([] {
    int one = 0;
    empty.pop(one);
  }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::puts("all right");
  return 0;
}
