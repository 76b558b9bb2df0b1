// A program as people have it: compiled with oneTBB's own headers, of every part that the library has something to do for.
// Usage: in_place_program LIBRARY: the file that must be what it runs on.

#include <dlfcn.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <tbb/tbb.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "in_place_check.hpp"

namespace {

constexpr int many = 100'000;

void algorithms() {
  std::vector<long> numbers(many);
  tbb::parallel_for(0, many, [&](int i) { numbers[static_cast<std::size_t>(i)] = i; });
  const auto add = [&](const tbb::blocked_range<std::size_t>& range, long sum) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) sum += numbers[i];
    return sum;
  };
  const tbb::blocked_range<std::size_t> all(0, many);
  CHECK(tbb::parallel_reduce(all, 0L, add, std::plus<>()) == long{many} * (many - 1) / 2);
  CHECK(tbb::parallel_deterministic_reduce(all, 0L, add, std::plus<>()) == long{many} * (many - 1) / 2);
  std::vector<long> sums(many);
  tbb::parallel_scan(
      all, 0L,
      [&](const tbb::blocked_range<std::size_t>& range, long sum, bool is_final) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          sum += numbers[i];
          if (is_final) sums[i] = sum;
        }
        return sum;
      },
      std::plus<>());
  CHECK(sums[many - 1] == long{many} * (many - 1) / 2);
  for (std::size_t i = 0; i != many; ++i) numbers[i] = static_cast<long>(i * 7919 % many);
  tbb::parallel_sort(numbers);
  CHECK(std::is_sorted(numbers.begin(), numbers.end()));
  std::vector<int> few{1, 2, 3};
  std::atomic<int> calls{0};
  tbb::parallel_for_each(few, [&](int one, tbb::feeder<int>& more) {
    ++calls;
    if (one < 10) more.add(one + 1);
  });
  CHECK(calls == 27);
  tbb::parallel_invoke([&] { ++calls; }, [&] { ++calls; }, [&] { ++calls; });
  CHECK(calls == 30);
  tbb::affinity_partitioner keeps;
  for (int round = 0; round < 3; ++round) tbb::parallel_for(0, 1000, [&](int) { ++calls; }, keeps);
  CHECK(calls == 3030);
}

void groups() {
  std::atomic<int> calls{0};
  tbb::task_group group;
  for (int i = 0; i < 300; ++i) {
    group.run([&] {
      tbb::task_group inner;
      for (int k = 0; k < 3; ++k) inner.run([&] { tbb::parallel_for(0, 10, [&](int) { ++calls; }); });
      inner.wait();
    });
  }
  CHECK(group.wait() == tbb::complete && calls == 9000);
  group.run_and_wait([&] { group.run([&] { ++calls; }); });
  CHECK(calls == 9001);
  // Of two threads at once.
  std::thread other([&] { group.run([&] { ++calls; }); });
  other.join();
  group.wait();
  CHECK(calls == 9002);
  // One context for all: of a call in a call, and of two threads.
  tbb::task_group_context shared;
  const auto nested = [&] {
    tbb::parallel_for(
        0, 20,
        [&](int) { tbb::parallel_for(0, 20, [&](int) { ++calls; }, tbb::simple_partitioner(), shared); },
        tbb::simple_partitioner(), shared);
  };
  std::thread beside(nested);
  nested();
  beside.join();
  CHECK(calls == 9802);
}

void ends() {
  try {
    tbb::parallel_for(0, 1000, [](int i) {
      if (i == 500) throw std::runtime_error("of a body");
    });
    CHECK(false);
  } catch (const std::runtime_error& thrown) {
    CHECK(std::string(thrown.what()) == "of a body");
  }
  tbb::task_group group;
  group.run([] { throw 5; });
  int caught = 0;
  try {
    group.wait();
  } catch (const int thrown) {
    caught = thrown;
  }
  CHECK(caught == 5);
  std::atomic<int> calls{0};
  group.run([&] { ++calls; });
  group.wait();
  CHECK(calls == 1);

  tbb::task_group_context context;
  tbb::parallel_for(
      0, many,
      [&](int i) {
        if (i == 10) context.cancel_group_execution();
        ++calls;
      },
      context);
  CHECK(context.is_group_execution_cancelled() && calls < many);
  // What is inside is cancelled with it, wherever it runs.
  std::atomic<int> inside{0};
  tbb::task_group outer;
  outer.run([&] {
    outer.cancel();
    tbb::parallel_for(0, many, [&](int) { ++inside; });
  });
  CHECK(outer.wait() == tbb::canceled && inside < many);
}

void arenas() {
  tbb::task_arena two(2);
  std::set<int> indices;
  std::mutex mutex;
  two.execute([&] {
    tbb::parallel_for(0, 1000, [&](int) {
      const std::lock_guard<std::mutex> lock(mutex);
      indices.insert(tbb::this_task_arena::current_thread_index());
    });
  });
  CHECK(two.max_concurrency() == 2 && *indices.begin() >= 0 && *indices.rbegin() < 2);
  std::atomic<bool> done{false};
  two.enqueue([&] { done = true; });
  while (!done) std::this_thread::yield();
  CHECK(two.execute([] { return 7; }) == 7);
  CHECK(tbb::this_task_arena::isolate([] { return 8; }) == 8);
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    CHECK(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) == 1);
    algorithms();
  }
  struct counter final : tbb::task_scheduler_observer {
    counter() { observe(true); }
    ~counter() override { observe(false); }
    void on_scheduler_entry(bool) override { ++entries; }
    std::atomic<int> entries{0};
  } seen;
  tbb::parallel_for(0, 1000, [](int) {});
  CHECK(seen.entries > 0);
  // Tasks that are suspended go on when they are told.
  std::atomic<tbb::task::suspend_point> point{nullptr};
  std::thread resumes([&] {
    while (point == nullptr) std::this_thread::yield();
    tbb::task::resume(point);
  });
  tbb::task_group group;
  group.run([&] { tbb::task::suspend([&](tbb::task::suspend_point here) { point = here; }); });
  group.wait();
  resumes.join();
}

void pipelines() {
  for (const std::size_t most : {1, 4, 100}) {
    int next = 0;
    long sum = 0;
    int last = -1;
    tbb::parallel_pipeline(most,
                           tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                                       [&](tbb::flow_control& flow) {
                                                         if (next == 1000) {
                                                           flow.stop();
                                                           return 0;
                                                         }
                                                         return next++;
                                                       }) &
                               tbb::make_filter<int, std::string>(tbb::filter_mode::parallel,
                                                                  [](int i) { return std::to_string(i); }) &
                               tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order,
                                                                   [&](const std::string& text) {
                                                                     CHECK(std::stoi(text) == last + 1);
                                                                     last = std::stoi(text);
                                                                     sum += last;
                                                                   }));
    CHECK(sum == 499'500);
  }
  try {
    int next = 0;
    tbb::parallel_pipeline(
        4, tbb::make_filter<void, std::string>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control&) {
             return std::to_string(next++);
           }) & tbb::make_filter<std::string, void>(tbb::filter_mode::parallel, [](const std::string& text) {
             if (text == "50") throw 50;
           }));
    CHECK(false);
  } catch (const int thrown) {
    CHECK(thrown == 50);
  }
}

void graphs() {
  tbb::flow::graph graph;
  long sum = 0;
  tbb::flow::function_node<int, int> doubles(graph, tbb::flow::unlimited, [](int i) { return 2 * i; });
  tbb::flow::function_node<int, tbb::flow::continue_msg> adds(graph, tbb::flow::serial, [&](int i) {
    sum += i;
    return tbb::flow::continue_msg();
  });
  tbb::flow::make_edge(doubles, adds);
  for (int i = 0; i < 1000; ++i) doubles.try_put(i);
  graph.wait_for_all();
  CHECK(sum == 999'000);
  // What is outside of the graph holds its wait.
  graph.reserve_wait();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    doubles.try_put(1);
    graph.release_wait();
  });
  graph.wait_for_all();
  other.join();
  graph.wait_for_all();
  CHECK(sum == 999'002);
}

void containers() {
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(4);
  std::thread pushes([&] {
    for (int i = 0; i < 1000; ++i) queue.push(i);
  });
  int sum = 0;
  for (int i = 0; i < 1000; ++i) {
    int one = 0;
    queue.pop(one);
    sum += one;
  }
  pushes.join();
  CHECK(sum == 499'500);
  std::atomic<bool> ended{false};
  std::thread waits([&] {
    int one = 0;
    try {
      queue.pop(one);
      CHECK(false);
    } catch (const tbb::user_abort&) {
      ended = true;
    }
  });
  // On a busy machine the thread may begin to wait after the first of these.
  while (!ended) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    queue.abort();
  }
  waits.join();
  CHECK(tbb::tbb_allocator<int>::allocator_type() == tbb::tbb_allocator<int>::standard);
  tbb::enumerable_thread_specific<int> counts;
  tbb::concurrent_hash_map<int, int> map;
  tbb::concurrent_vector<int> vector;
  tbb::parallel_for(0, 10'000, [&](int i) {
    ++counts.local();
    tbb::concurrent_hash_map<int, int>::accessor entry;
    map.insert(entry, i % 100);
    ++entry->second;
    vector.push_back(i);
  });
  CHECK(counts.combine(std::plus<>()) == 10'000 && map.size() == 100 && vector.size() == 10'000);
  tbb::mutex mutex;
  tbb::rw_mutex shared;
  int guarded = 0;
  tbb::parallel_for(0, 10'000, [&](int) {
    const tbb::rw_mutex::scoped_lock reads(shared, false);
    const tbb::mutex::scoped_lock lock(mutex);
    ++guarded;
  });
  CHECK(guarded == 10'000);
  tbb::queuing_rw_mutex queuing;
  tbb::speculative_spin_mutex spins;
  tbb::speculative_spin_rw_mutex spins_shared;
  guarded = 0;
  int upgraded = 0;
  tbb::parallel_for(0, 10'000, [&](int i) {
    tbb::queuing_rw_mutex::scoped_lock reads(queuing, false);
    tbb::speculative_spin_rw_mutex::scoped_lock also(spins_shared, i % 2 == 0);
    {
      const tbb::speculative_spin_mutex::scoped_lock lock(spins);
      ++guarded;
    }
    also.release();
    if (i % 10 == 0) {
      reads.upgrade_to_writer();
      ++upgraded;
      CHECK(reads.downgrade_to_reader());
    }
  });
  CHECK(guarded == 10'000 && upgraded == 1000);
  {
    tbb::task_scheduler_handle handle{tbb::attach{}};
    CHECK(bool(handle));
    handle.release();
    CHECK(!handle);
  }
  tbb::collaborative_once_flag flag;
  int once = 0;
  tbb::parallel_for(0, 100, [&](int) { tbb::collaborative_call_once(flag, [&] { ++once; }); });
  CHECK(once == 1);
}

}  // namespace

int main(int count, char** arguments) {
  Dl_info where{};
  CHECK(dladdr(reinterpret_cast<void*>(&TBB_runtime_interface_version), &where) != 0);
  CHECK(count != 2 || std::strcmp(where.dli_fname, arguments[1]) == 0);
  CHECK(TBB_runtime_interface_version() == 12200 && std::strcmp(TBB_runtime_version(), "2023.2.0") == 0);
  for (int round = 0; round < 5; ++round) {
    algorithms();
    groups();
    ends();
    arenas();
    pipelines();
    graphs();
    containers();
  }
  std::puts("all right");
  return 0;
}
