// Random nests of loops, groups, pipelines and arenas whose bodies throw and cancel. Written for oneTBB's interface alone:
// FAILURES_CHECK ends the program where something does not hold. When an algorithm is over, so are all of its bodies; where one has
// thrown, it throws, unless something around it was cancelled; and where nothing fails, everything runs.
#ifndef NOPAL_TESTS_INTERFACES_TBB_RANDOM_FAILURES_HPP
#define NOPAL_TESTS_INTERFACES_TBB_RANDOM_FAILURES_HPP

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <thread>

#include "../../support/random_numbers.hpp"

namespace random_failures {

using support::mix;
using support::number;

struct failure {
  number of;
};

/// One algorithm, and what is around it.
struct part {
  explicit part(const part* around) : outer(around) {}
  const part* outer;
  std::atomic<int> bodies{0};             // that have begun and are not over
  std::atomic<int> thrown{0};             // bodies that ended so
  std::atomic<bool> is_cancelled{false};  // by code in it

  [[nodiscard]] bool may_be_cancelled() const {
    for (const part* one = outer; one != nullptr; one = one->outer) {
      if (one->is_cancelled || one->thrown != 0) return true;
    }
    return false;
  }
};

struct plan {
  number throws;   // one leaf in so many; 0: none
  number cancels;  // one group in so many; 0: none
};

inline plan now{};
inline std::atomic<number> leaves{0};

/// A body of the part, from its begin to its end.
template <class F>
void body_of(part& of, const F& f) {
  ++of.bodies;
  try {
    f();
  } catch (...) {
    ++of.thrown;
    --of.bodies;
    throw;
  }
  --of.bodies;
}

void run(number seed, int depth, part& in);

constexpr int children = 4;
inline number child(number seed, int i) {
  return mix(seed + 0x9e3779b97f4a7c15U * static_cast<number>(i + 1));
}

/// What an algorithm does, which `call` calls for each of its children. True if it has thrown.
template <class Call>
bool ends_by_throwing(part& of, const Call& call) {
  bool threw = false;
  try {
    call();
  } catch (const failure&) {
    threw = true;
  }
  FAILURES_CHECK(of.bodies == 0);
  FAILURES_CHECK(!threw || of.thrown != 0);
  FAILURES_CHECK(threw || of.thrown == 0 || of.is_cancelled || of.may_be_cancelled());
  return threw;
}

inline void by_group(number seed, part& of, const std::function<void(int)>& body) {
  tbb::task_group group;
  for (int i = 0; i != children; ++i) group.run([i, &body] { body(i); });
  if (now.cancels != 0 && seed / 64 % now.cancels == 0) {
    of.is_cancelled = true;
    group.cancel();
  }
  if (seed / 32 % 2 == 0) {
    group.wait();
  } else {
    group.run_and_wait([&body] { body(0); });
  }
}

inline void by_context(number seed, part& of, const std::function<void(int)>& body) {
  tbb::task_group_context context(seed / 32 % 2 == 0 ? tbb::task_group_context::bound
                                                     : tbb::task_group_context::isolated);
  const bool cancels = now.cancels != 0 && seed / 64 % now.cancels == 0;
  tbb::parallel_for(
      0, children,
      [&](int i) {
        if (cancels && i == 1) {
          of.is_cancelled = true;
          context.cancel_group_execution();
        }
        body(i);
      },
      tbb::simple_partitioner(), context);
}

inline void by_pipeline(const std::function<void(int)>& body) {
  int next = 0;
  tbb::parallel_pipeline(
      3, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&next](tbb::flow_control& control) {
           if (next == children) control.stop();
           return next++;
         }) & tbb::make_filter<int, void>(tbb::filter_mode::parallel, [&body](int i) { body(i); }));
}

inline void by_feeder(const std::function<void(int)>& body) {
  const std::array<int, 2> first{0, 1};
  tbb::parallel_for_each(first.begin(), first.end(), [&body](int i, tbb::feeder<int>& more) {
    if (i + 2 < children) more.add(i + 2);
    body(i);
  });
}

inline void by_reduction(const std::function<void(int)>& body) {
  static_cast<void>(tbb::parallel_reduce(
      tbb::blocked_range<int>(0, children), 0,
      [&body](const tbb::blocked_range<int>& range, int sum) {
        for (int i = range.begin(); i < range.end(); ++i) body(i);
        return sum;
      },
      std::plus<>(), tbb::simple_partitioner()));
}

inline void run(number seed, int depth, part& in) {
  if (depth == 0) {
    ++leaves;
    for (number i = 0; i != seed % 64; ++i) asm volatile("" ::: "memory");
    if (seed % 128 == 0) std::this_thread::yield();
    if (now.throws != 0 && seed / 128 % now.throws == 0) throw failure{seed};
    return;
  }
  part own(&in);
  const std::function<void(int)> body = [&own, seed, depth](int i) {
    body_of(own, [&own, seed, depth, i] { run(child(seed, i), depth - 1, own); });
  };
  const bool threw = ends_by_throwing(own, [&] {
    switch (seed % 9) {
    case 0: return tbb::parallel_for(0, children, body);
    case 1: return by_group(seed, own, body);
    case 2: return by_context(seed, own, body);
    case 3: return by_pipeline(body);
    case 4: return by_feeder(body);
    case 5: return by_reduction(body);
    case 6:
      return tbb::parallel_invoke([&body] { body(0); }, [&body] { body(1); }, [&body] { body(2); },
                                  [&body] { body(3); });
    case 7: return tbb::this_task_arena::isolate([&] { by_group(seed, own, body); });
    default: return tbb::task_arena(2).execute([&] { by_context(seed, own, body); });
    }
  });
  // Half of what is caught goes on.
  if (threw && seed / 16 % 2 == 0) throw failure{seed};
}

/// Leaves of a nest in which nothing fails: `run_and_wait` has its first child twice.
inline number leaves_of(number seed, int depth) {
  if (depth == 0) return 1;
  number sum = 0;
  for (int i = 0; i != children; ++i) sum += leaves_of(child(seed, i), depth - 1);
  const bool is_group = seed % 9 == 1 || seed % 9 == 7;
  return sum + (is_group && seed / 32 % 2 != 0 ? leaves_of(child(seed, 0), depth - 1) : 0);
}

inline void run_for_a_while(number first, int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  for (number i = 0; std::chrono::steady_clock::now() < end; ++i) {
    const number seed = mix(first + i);
    now = {seed % 4 == 0 ? 0 : 8U << seed / 4 % 6, seed / 32 % 2 == 0 ? 0 : 2U << seed / 64 % 4};
    leaves = 0;
    part top(nullptr);
    bool threw = false;
    try {
      run(mix(seed), 4, top);
    } catch (const failure&) {
      threw = true;
    }
    const number all = leaves_of(mix(seed), 4);
    FAILURES_CHECK(!threw || now.throws != 0);
    FAILURES_CHECK(leaves <= all && (now.throws != 0 || now.cancels != 0 || leaves == all));
  }
}

}  // namespace random_failures

#endif
