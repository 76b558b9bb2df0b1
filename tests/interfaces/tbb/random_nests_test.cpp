// Random nests of everything that waits: scopes, loops, reductions, groups, pipelines, feeders, arenas, isolation, futures,
// threads of the program, and calls that block. Each gives the sum that its serial form gives, and comes to its end.
#include <gtest/gtest.h>

#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <nopal/nopal.hpp>
#include <nopal/waiting.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "seeded_nests.hpp"

namespace {

using support::mix;
using support::number;

/// A node's children, and what it does with them, follow from its number alone.
struct node {
  number seed;
  int depth;

  [[nodiscard]] node child(int i) const {
    return {mix(seed + 0x9e3779b97f4a7c15U * static_cast<number>(i + 1)), depth - 1};
  }
  [[nodiscard]] int children() const { return depth == 0 ? 0 : static_cast<int>(1 + seed % 4); }
  [[nodiscard]] int way() const { return static_cast<int>((seed >> 8U) % 21); }
  [[nodiscard]] int limit() const { return static_cast<int>(1 + (seed >> 16U) % 3); }
  [[nodiscard]] bool naps() const { return (seed >> 24U) % 16 == 0; }
};

number serially(node of) {
  number sum = of.seed;
  for (int i = 0; i < of.children(); ++i) sum += serially(of.child(i));
  return sum;
}

number run(node of);

using sums = std::array<number, 4>;

void by_forks(node of, sums& into) {
  nopal::scope s;
  for (int i = 1; i < of.children(); ++i) {
    s.fork([of, i, &into] { into[static_cast<std::size_t>(i)] = run(of.child(i)); });
  }
  into[0] = run(of.child(0));
  s.join();
}

void by_loop(node of, sums& into) {
  const auto body = [of, &into](int i) { into[static_cast<std::size_t>(i)] = run(of.child(i)); };
  if (of.limit() == 1) {
    tbb::parallel_for(0, of.children(), body, tbb::static_partitioner());
  } else {
    tbb::parallel_for(0, of.children(), body, tbb::simple_partitioner());
  }
}

number by_reduction(node of) {
  return tbb::parallel_reduce(
      tbb::blocked_range<int>(0, of.children()), number{0},
      [of](const tbb::blocked_range<int>& part, number sum) {
        for (int i = part.begin(); i < part.end(); ++i) sum += run(of.child(i));
        return sum;
      },
      std::plus<>(), tbb::simple_partitioner());
}

void by_group(tbb::task_group& group, node of, sums& into, int from) {
  for (int i = from; i < of.children(); ++i) {
    group.run([of, i, &into] { into[static_cast<std::size_t>(i)] = run(of.child(i)); });
  }
}

number by_pipeline(node of) {
  int next = 0;
  number sum = 0;
  tbb::parallel_pipeline(
      static_cast<std::size_t>(of.limit()),
      tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        if (next == of.children()) control.stop();
        return next < of.children() ? next++ : 0;
      }) & tbb::make_filter<int, number>(tbb::filter_mode::parallel, [of](int i) {
        return run(of.child(i));
      }) & tbb::make_filter<number, void>(tbb::filter_mode::serial_out_of_order, [&](number one) {
        sum += one;
      }));
  return sum;
}

number by_feeder(node of) {
  std::atomic<number> sum{0};
  const std::array<int, 1> first{0};
  tbb::parallel_for_each(first.begin(), first.end(), [&](int i, tbb::feeder<int>& more) {
    if (i + 1 < of.children()) more.add(i + 1);
    sum += run(of.child(i));
  });
  return sum;
}

/// Enqueued, and waited for in a call that says that it blocks.
number by_enqueuing(node of) {
  tbb::task_arena arena(of.limit());
  std::mutex mutex;
  std::condition_variable changed;
  number sum = 0;
  int left = of.children();
  for (int i = 0; i < of.children(); ++i) {
    arena.enqueue([&, of, i] {
      const number one = run(of.child(i));
      const std::lock_guard lock(mutex);
      sum += one;
      --left;
      changed.notify_all();
    });
  }
  nopal::blocking([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return left == 0; });
  });
  const std::lock_guard lock(mutex);
  return sum;
}

number by_threads(node of) {
  sums each{};
  std::vector<std::thread> threads;
  for (int i = 0; i < of.children(); ++i) {
    threads.emplace_back([of, i, &each] { each[static_cast<std::size_t>(i)] = run(of.child(i)); });
  }
  nopal::blocking([&] {
    for (std::thread& one : threads) one.join();
  });
  return std::accumulate(each.begin(), each.end(), number{0});
}

number by_future(node of) {
  nopal::promise<number> made;
  nopal::future<number> promised = made.get_future();
  number rest = 0;
  nopal::scope s;
  s.fork([of, &made] {
    number sum = 0;
    for (int i = 0; i < of.children(); i += 2) sum += run(of.child(i));
    made.set_value(sum);
  });
  for (int i = 1; i < of.children(); i += 2) rest += run(of.child(i));
  rest += promised.get();
  s.join();
  return rest;
}

/// Each child is waited for by its continuation, and adds to the sum with a mutex held.
number by_mutex(node of) {
  nopal::mutex mutex;
  number sum = 0;
  nopal::event done[4];
  nopal::scope s;
  for (int i = 1; i < of.children(); ++i) {
    s.fork([of, i, &mutex, &sum, &done] {
      const number one = run(of.child(i));
      const std::lock_guard guard(mutex);
      sum += one;
      done[i].set();
    });
    done[i].wait();
  }
  const number first = run(of.child(0));
  {
    const std::lock_guard guard(mutex);
    sum += first;
  }
  s.join();
  return sum;
}

/// The last child throws behind the others, all of which end.
number by_exception(node of) {
  sums each{};
  try {
    tbb::task_group group;
    by_group(group, of, each, 0);
    group.wait();
    nopal::scope s;
    s.fork([] { throw std::runtime_error("expected"); });
    s.join();
  } catch (const std::runtime_error&) {
    return std::accumulate(each.begin(), each.end(), number{0});
  }
  NOPAL_CHECK(false);
  return 0;
}

number children_of(node of) {
  sums each{};
  tbb::task_group group;
  switch (of.way()) {
  case 0: by_forks(of, each); break;
  case 1: by_loop(of, each); break;
  case 2: return by_reduction(of);
  case 3:
    by_group(group, of, each, 0);
    group.wait();
    break;
  case 4:
    by_group(group, of, each, 1);
    group.run_and_wait([&] { each[0] = run(of.child(0)); });
    break;
  case 5: tbb::this_task_arena::isolate([&] { by_loop(of, each); }); break;
  case 6: tbb::this_task_arena::isolate([&] { by_forks(of, each); }); break;
  case 7: tbb::task_arena(of.limit()).execute([&] { by_loop(of, each); }); break;
  case 8: {
    tbb::task_arena arena(of.limit());
    arena.execute([&] { by_group(group, of, each, 0); });
    arena.execute([&] { group.wait(); });
    break;
  }
  case 9: return by_enqueuing(of);
  case 10: return by_threads(of);
  case 11: return by_pipeline(of);
  case 12: return by_feeder(of);
  case 13: return by_future(of);
  case 14: return by_exception(of);
  case 15:
    tbb::parallel_invoke([&] { each[0] = run(of.child(0)); },
                         [&] {
                           for (int i = 1; i < of.children(); ++i)
                             each[static_cast<std::size_t>(i)] = run(of.child(i));
                         });
    break;
  case 16:
    nopal::blocking([&] { by_group(group, of, each, 0); });
    group.wait();
    break;
  case 17: return by_mutex(of);
  case 18: {
    nopal::arena arena(1 + of.limit());
    number sum = 0;
    arena.execute([&] { sum = by_mutex(of); });
    return sum;
  }
  case 19: {
    nopal::arena arena(1 + of.limit());
    number sum = 0;
    arena.execute([&] { sum = by_future(of); });
    return sum;
  }
  default:
    tbb::parallel_for(0, of.children(), [&](int i) {
      tbb::task_arena(1).execute([&] { each[static_cast<std::size_t>(i)] = run(of.child(i)); });
    });
  }
  return std::accumulate(each.begin(), each.end(), number{0});
}

number run(node of) {
  // Others fall asleep meanwhile.
  if (of.naps()) std::this_thread::sleep_for(std::chrono::microseconds(300));
  return of.children() == 0 ? of.seed : of.seed + children_of(of);
}

NOPAL_PROGRAM(random_nests) {
  const number first = support::seed_given_in("NESTS_SEED");
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(support::watched ? 4000 : 1500);
  for (number i = 0; std::chrono::steady_clock::now() < end; ++i) {
    const node top{mix(first + i), 4};
    const number expected = serially(top);
    const number found = run(top);
    if (found != expected) {
      std::fprintf(stderr, "nest %llu of seed %llu: %llu, not %llu\n", static_cast<unsigned long long>(i),
                   static_cast<unsigned long long>(first), static_cast<unsigned long long>(found),
                   static_cast<unsigned long long>(expected));
      return 1;
    }
  }
  return 0;
}

class random_nests : public seeded_nests {};

TEST_P(random_nests, give_the_serial_answer) { pass("random_nests"); }
TEST_P(random_nests, give_the_serial_answer_where_all_is_stolen) {
  if (GetParam() == 1) GTEST_SKIP() << "one worker refuses the setting";
  pass("random_nests", {{"NOPAL_STEAL", "always"}});
}
TEST_P(random_nests, give_the_serial_answer_with_eager_forks) {
  pass("random_nests", {{"NOPAL_FORKS", "eager"}});
}

INSTANTIATE_TEST_SUITE_P(at_workers, random_nests, testing::Values(1, 2, 3, 7),
                         testing::PrintToStringParamName());

}  // namespace
