// What the program does to reducers in the code that reducers call: where views are made, reduced and destroyed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "reducer_programs.hpp"

namespace {

using namespace reducers;

void check_all_joined() {
  support::check_quiet();
  NOPAL_CHECK(nopal::stats().view_sets_in_use <= 1);
  NOPAL_CHECK(counted_text::alive == 0);
}

void await(const flag& one) {
  while (!one.load(std::memory_order_acquire)) std::this_thread::yield();
}

// --- The ends of views in a sweep.

/// A view that calls a function at its end, if a strand has used it.
struct ending_view {
  ending_view() { ++made; }
  ending_view(const ending_view&) = delete;
  ending_view& operator=(const ending_view&) = delete;
  ~ending_view() {
    ++ended;
    if (used && at_end != nullptr) at_end();
  }
  bool used = false;
  static inline std::atomic<long> made{0};
  static inline std::atomic<long> ended{0};
  static inline void (*at_end)() = nullptr;
};

struct op_ending_view {
  using value_type = ending_view;
  static ending_view identity() { return {}; }
  static void reduce(ending_view&, ending_view&&) {}
};

reducer<nopal::op_add<long>>* sum = nullptr;
reducer<op_counted_text>* noted = nullptr;

/// As many views as make the next first use of a reducer look for those of ended ones.
constexpr int views_before_a_sweep = 64;

/// A strand that is not its thread's first has views of reducers that ended elsewhere, and then makes another.
void sweep_and_check(void (*at_end)()) {
  for (int i = 0; i < 50; ++i) {
    reducer<nopal::op_add<long>> count;
    reducer<op_counted_text> text;
    string_reducer later;
    sum = &count;
    noted = &text;
    ending_view::at_end = at_end;
    std::vector<std::unique_ptr<reducer<op_ending_view>>> all;
    for (int k = 0; k < views_before_a_sweep; ++k) all.push_back(std::make_unique<reducer<op_ending_view>>());
    const bool alone = nopal::workers() == 1;
    flag used{false};
    flag ended{false};
    scope s;
    FORK_AND_BE_STOLEN(s, [&, alone] {
      if (!alone) await(used);
      all.clear();
      set(ended);
    });
    if (!alone) {
      for (const auto& one : all) (*one)->used = true;
    }
    set(used);
    await(ended);
    *later += "x";
    NOPAL_CHECK(alone || ending_view::made == ending_view::ended);
    *later += "y";
    s.join();
    NOPAL_CHECK(later.value() == "xy");
    NOPAL_CHECK(ending_view::made == ending_view::ended);
    NOPAL_CHECK(count.value() == (alone ? 0 : views_before_a_sweep));
    NOPAL_CHECK(text->said.size() == static_cast<std::size_t>(count.value()));
  }
  ending_view::at_end = nullptr;
  check_all_joined();
}

NOPAL_PROGRAM(swept_views_that_update) {
  sweep_and_check([] {
    **sum += 1;
    (*noted)->said += '*';
  });
  return 0;
}

NOPAL_PROGRAM(swept_views_that_fork) {
  sweep_and_check([] {
    flag stolen{false};
    scope s;
    s.fork([&stolen] {
      invite_thief(stolen);
      **sum += 1;
    });
    set(stolen);
    (*noted)->said += '*';
    s.join();
  });
  return 0;
}

NOPAL_PROGRAM(swept_views_that_make_reducers) {
  sweep_and_check([] {
    reducer<op_counted_text> mine;
    mine->said += "a";
    reducer<nopal::op_add<long>> one;
    *one += 1;
    **sum += *one;
    if (mine->said == "a") (*noted)->said += '*';
  });
  return 0;
}

// --- Identities that use the reducer whose view they make.

std::atomic<void (*)()> at_identity{nullptr};

void call_once() {
  if (void (*const call)() = at_identity.exchange(nullptr)) call();
}

struct op_calling_text {
  using value_type = counted_text;
  static counted_text identity() {
    call_once();
    return {};
  }
  static void reduce(counted_text& left, counted_text&& right) { left.said += right.said; }
};

struct op_calling_sum {
  using value_type = long;
  static long identity() {
    call_once();
    return 0;
  }
  static void reduce(long& left, long right) { left += right; }
};

reducer<op_calling_text>* calling_text = nullptr;
reducer<op_calling_sum>* calling_sum = nullptr;

NOPAL_PROGRAM(identities_that_use_their_reducer) {
  for (int i = 0; i < 200; ++i) {
    reducer<op_calling_text> text;
    reducer<op_calling_sum> count;
    calling_text = &text;
    calling_sum = &count;
    const bool alone = nopal::workers() == 1;
    scope s;
    FORK_AND_BE_STOLEN(s, [&] {
      text->said += "a";
      *count += 1;
    });
    if (!alone) at_identity = [] { (*calling_text)->said += "<"; };
    text->said += "b";
    if (!alone) {
      at_identity = [] {
        flag stolen{false};
        scope inner;
        inner.fork([&stolen] {
          invite_thief(stolen);
          **calling_sum += 10;
        });
        set(stolen);
        **calling_sum += 100;
        inner.join();
      };
    }
    *count += 1000;
    s.join();
    NOPAL_CHECK(text->said == (alone ? "ab" : "a<b"));
    NOPAL_CHECK(*count == (alone ? 1001 : 1111));
  }
  check_all_joined();
  return 0;
}

// --- All of it at random.

struct refusal {};

struct random_view {
  random_view() { ++alive; }
  random_view(const random_view&) = delete;
  random_view& operator=(const random_view&) = delete;
  ~random_view();
  long updates = 0;
  static inline std::atomic<long> alive{0};
};

struct op_random {
  using value_type = random_view;
  static random_view identity();
  static void reduce(random_view& left, random_view&& right);
};

using random_reducer = reducer<op_random>;

constexpr std::size_t random_reducer_count = 4;
std::unique_ptr<random_reducer> shared[random_reducer_count];
std::atomic<std::uint64_t> draws{0};
std::uint64_t seed = 0;
std::atomic<long> acts_left{0};
std::atomic<long> added{0};

/// Strands and what they call draw from one sequence, as they come.
std::uint32_t draw() {
  std::uint64_t state = seed * 1000003 + draws++;
  next(state);
  return next(state);
}

/// At random one of what code that reducers call may do.
void act() {
  if (--acts_left < 0) return;
  switch (draw() % 8) {
  case 0:
  case 1:
    **sum += 1;
    ++added;
    break;
  case 2:
  case 3: (*shared[draw() % random_reducer_count])->updates += 1; break;
  case 4: {
    flag stolen{false};
    scope s;
    s.fork([&stolen] {
      invite_thief(stolen);
      act();
    });
    set(stolen);
    act();
    s.join();
    break;
  }
  case 5: {
    random_reducer mine;
    flag stolen{false};
    scope s;
    s.fork([&stolen, &mine] {
      invite_thief(stolen);
      mine->updates += 1;
    });
    set(stolen);
    mine->updates += 1;
    s.join();
    break;
  }
  case 6: throw refusal();
  default: break;
  }
}

void act_or_not() noexcept {
  try {
    act();
  } catch (const refusal&) {
  }
}

random_view::~random_view() {
  act_or_not();
  --alive;
}
random_view op_random::identity() {
  act();
  return {};
}
void op_random::reduce(random_view& left, random_view&& right) {
  left.updates += right.updates;
  act();
}

void use(random_reducer& one) {
  try {
    one->updates += 1;
  } catch (const refusal&) {
  }
}

/// Reducers whose last owner is whoever comes last, so that views of them wait to be merged, or swept.
void random_owners(int depth) {
  scope s;
  for (int i = 0; i < 40; ++i) {
    std::shared_ptr<random_reducer> one;
    try {
      one = std::make_shared<random_reducer>();
    } catch (const refusal&) {
      continue;
    }
    s.fork(
        [depth](const std::shared_ptr<random_reducer>& mine) {
          use(*mine);
          if (depth > 0 && draw() % 16 == 0) random_owners(depth - 1);
        },
        one);
    use(*one);
    act_or_not();
  }
  try {
    s.join();
  } catch (const refusal&) {
  }
}

NOPAL_PROGRAM(all_of_it_at_random) {
  const char* const wanted = std::getenv("TEST_SEED");
  const std::uint64_t first = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 1;
  const int rounds = support::watched ? 10 : 60;
  for (seed = first; seed < first + static_cast<std::uint64_t>(rounds); ++seed) {
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    reducer<nopal::op_add<long>> count;
    sum = &count;
    added = 0;
    acts_left = 0;  // not yet
    for (auto& one : shared) one = std::make_unique<random_reducer>();
    acts_left = 3000;
    try {
      scope s;
      FORK_AND_BE_STOLEN(s, [] { random_owners(1); });
      random_owners(1);
      s.join();
    } catch (const refusal&) {
    }
    for (auto& one : shared) use(*one);
    acts_left = 0;
    for (auto& one : shared) one.reset();
    NOPAL_CHECK(count.value() == added);
    NOPAL_CHECK(random_view::alive == 0);
    check_all_joined();
  }
  return 0;
}

class callbacks : public support::program_at_workers {};

TEST_P(callbacks, of_views_that_are_swept_may_update) { EXPECT_TRUE(run("swept_views_that_update")); }
TEST_P(callbacks, of_views_that_are_swept_may_fork) { EXPECT_TRUE(run("swept_views_that_fork")); }
TEST_P(callbacks, of_views_that_are_swept_may_make_and_end_reducers) {
  EXPECT_TRUE(run("swept_views_that_make_reducers"));
}
TEST_P(callbacks, that_make_a_view_may_use_its_reducer) {
  EXPECT_TRUE(run("identities_that_use_their_reducer"));
}
TEST_P(callbacks, may_do_anything_at_random) { EXPECT_TRUE(run("all_of_it_at_random")); }

INSTANTIATE_TEST_SUITE_P(at_workers, callbacks, testing::Values(1, 2, 3, 7),
                         testing::PrintToStringParamName());

}  // namespace
