// The explorer itself, by the litmus tests that tell memory models apart: which outcomes it finds, and which it must not.

#include "models/explorer.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

namespace {

using explore::memory_kind;
using results = std::vector<int>;

constexpr int relaxed = __ATOMIC_RELAXED;
constexpr int acquire = __ATOMIC_ACQUIRE;
constexpr int release = __ATOMIC_RELEASE;
constexpr int seq_cst = __ATOMIC_SEQ_CST;

/// Threads given as functions; the sets of what they read, over all executions.
class litmus : public explore::model {
public:
  using body = std::function<void(litmus&)>;
  explicit litmus(std::vector<body> bodies, std::size_t reads) : bodies_(std::move(bodies)), r(reads) {}

  [[nodiscard]] int threads() const override { return static_cast<int>(bodies_.size()); }
  void set_up() override {
    x.store(0, relaxed);
    y.store(0, relaxed);
    data.initialize(0);
    explore::name(&x, sizeof(int), "x");
    explore::name(&y, sizeof(int), "y");
    explore::name(&data, sizeof(int), "data");
    r.assign(r.size(), -1);
  }
  void run(int thread) override { bodies_[static_cast<std::size_t>(thread)](*this); }
  void check() override { outcomes.insert(r); }

private:
  std::vector<body> bodies_;

public:
  explore::atomic<int> x, y;
  explore::plain<int> data;
  results r;
  std::set<results> outcomes;
};

std::set<results> outcomes(memory_kind memory, std::vector<litmus::body> bodies, std::size_t reads) {
  litmus program(std::move(bodies), reads);
  explore::options how;
  how.memory = memory;
  const explore::outcome result = explore::explore(program, how);
  EXPECT_FALSE(result.failed) << result.message << "\n" << result.trace;
  return program.outcomes;
}

explore::outcome explored(memory_kind memory, std::vector<litmus::body> bodies) {
  litmus program(std::move(bodies), 2);
  explore::options how;
  how.memory = memory;
  return explore::explore(program, how);
}

std::vector<litmus::body> store_buffering(int store_order, int load_order, bool fences) {
  return {[=](litmus& m) {
            m.x.store(1, store_order);
            if (fences) explore::fence(seq_cst);
            m.r[0] = m.y.load(load_order);
          },
          [=](litmus& m) {
            m.y.store(1, store_order);
            if (fences) explore::fence(seq_cst);
            m.r[1] = m.x.load(load_order);
          }};
}

std::vector<litmus::body> message_passing(int store_order, int load_order) {
  return {[=](litmus& m) {
            m.x.store(1, relaxed);
            m.y.store(1, store_order);
          },
          [=](litmus& m) {
            m.r[0] = m.y.load(load_order);
            m.r[1] = m.x.load(relaxed);
          }};
}

const results both_old = {0, 0};
const results new_then_old = {1, 0};

TEST(explorer, finds_every_interleaving_of_store_buffering) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    const std::set<results> all = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    EXPECT_EQ(outcomes(memory, store_buffering(relaxed, relaxed, false), 2), all);
    EXPECT_EQ(outcomes(memory, store_buffering(release, acquire, false), 2), all);
  }
}

TEST(explorer, fences_and_sequential_consistency_forbid_store_buffering) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    EXPECT_FALSE(outcomes(memory, store_buffering(relaxed, relaxed, true), 2).contains(both_old));
    EXPECT_FALSE(outcomes(memory, store_buffering(seq_cst, seq_cst, false), 2).contains(both_old));
  }
}

TEST(explorer, one_process_barrier_replaces_the_other_thread_s_fence) {
  const auto bodies = [](bool with_barrier) -> std::vector<litmus::body> {
    return {[](litmus& m) {
              m.x.store(1, relaxed);
              m.r[0] = m.y.load(relaxed);
            },
            [=](litmus& m) {
              m.y.store(1, relaxed);
              if (with_barrier) {
                explore::process_barrier();
              } else {
                explore::fence(seq_cst);
              }
              m.r[1] = m.x.load(relaxed);
            }};
  };
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    EXPECT_FALSE(outcomes(memory, bodies(true), 2).contains(both_old));
    EXPECT_TRUE(outcomes(memory, bodies(false), 2).contains(both_old));
  }
}

TEST(explorer, message_passing_needs_release_and_acquire_beyond_x86) {
  EXPECT_FALSE(outcomes(memory_kind::tso, message_passing(relaxed, relaxed), 2).contains(new_then_old));
  EXPECT_TRUE(outcomes(memory_kind::views, message_passing(relaxed, relaxed), 2).contains(new_then_old));
  EXPECT_TRUE(outcomes(memory_kind::views, message_passing(release, relaxed), 2).contains(new_then_old));
  EXPECT_TRUE(outcomes(memory_kind::views, message_passing(relaxed, acquire), 2).contains(new_then_old));
  EXPECT_FALSE(outcomes(memory_kind::views, message_passing(release, acquire), 2).contains(new_then_old));
}

TEST(explorer, readers_may_disagree_about_independent_writers_unless_sequentially_consistent) {
  const auto bodies = [](int store_order, int load_order) -> std::vector<litmus::body> {
    return {[=](litmus& m) { m.x.store(1, store_order); }, [=](litmus& m) { m.y.store(1, store_order); },
            [=](litmus& m) {
              m.r[0] = m.x.load(load_order);
              m.r[1] = m.y.load(load_order);
            },
            [=](litmus& m) {
              m.r[2] = m.y.load(load_order);
              m.r[3] = m.x.load(load_order);
            }};
  };
  const results disagree = {1, 0, 1, 0};
  EXPECT_FALSE(outcomes(memory_kind::tso, bodies(release, acquire), 4).contains(disagree));
  EXPECT_TRUE(outcomes(memory_kind::views, bodies(release, acquire), 4).contains(disagree));
  EXPECT_FALSE(outcomes(memory_kind::views, bodies(seq_cst, seq_cst), 4).contains(disagree));
}

TEST(explorer, a_location_never_goes_back) {
  const std::vector<litmus::body> bodies = {[](litmus& m) {
                                              m.x.store(1, relaxed);
                                              m.x.store(2, relaxed);
                                            },
                                            [](litmus& m) {
                                              m.r[0] = m.x.load(relaxed);
                                              m.r[1] = m.x.load(relaxed);
                                            }};
  const std::set<results> forward = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
  EXPECT_EQ(outcomes(memory_kind::tso, bodies, 2), forward);
  EXPECT_EQ(outcomes(memory_kind::views, bodies, 2), forward);
}

TEST(explorer, a_release_sequence_goes_on_through_an_update) {
  const std::vector<litmus::body> bodies = {[](litmus& m) {
                                              m.data.write(7);
                                              m.x.store(1, release);
                                            },
                                            [](litmus& m) { m.x.fetch_add(1, relaxed); },
                                            [](litmus& m) {
                                              if (m.x.load(acquire) == 2 && m.data.read() != 7) {
                                                explore::fail("the data is missing");
                                              }
                                            }};
  // x is 2 only if the update came second: a release sequence headed by the first thread's store.
  const explore::outcome result = explored(memory_kind::views, bodies);
  EXPECT_FALSE(result.failed) << result.trace;
}

TEST(explorer, reports_a_data_race_and_replays_it) {
  const auto bodies = [](int store_order) -> std::vector<litmus::body> {
    return {[=](litmus& m) {
              m.data.write(7);
              m.x.store(1, store_order);
            },
            [](litmus& m) {
              if (m.x.load(acquire) == 1) m.r[0] = m.data.read();
            }};
  };
  EXPECT_FALSE(explored(memory_kind::views, bodies(release)).failed);
  const explore::outcome race = explored(memory_kind::views, bodies(relaxed));
  EXPECT_TRUE(race.failed);
  EXPECT_EQ(race.message, "a plain read races with a write");
  EXPECT_NE(race.trace.find("load x: 1 (acquire)"), std::string::npos) << race.trace;

  litmus program(bodies(relaxed), 2);
  explore::options how;
  how.memory = memory_kind::views;
  how.replay = race.choices;
  const explore::outcome again = explore::explore(program, how);
  EXPECT_EQ(again.executions, 1U);
  EXPECT_EQ(again.message, race.message);
  EXPECT_EQ(again.trace, race.trace);
}

TEST(explorer, loses_no_update_and_finds_one_that_is_lost) {
  const auto bodies = [](bool whole) -> std::vector<litmus::body> {
    const auto add = [=](litmus& m) {
      if (whole) {
        m.x.fetch_add(1, relaxed);
      } else {
        m.x.store(m.x.load(relaxed) + 1, relaxed);
      }
    };
    return {add, add, [](litmus& m) { m.r[0] = m.x.load(relaxed); }};
  };
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    for (const bool whole : {true, false}) {
      class counting : public litmus {
      public:
        using litmus::litmus;
        void check() override { explore::require(x.load(relaxed) == 2, "an update is lost"); }
      } program(bodies(whole), 1);
      explore::options how;
      how.memory = memory;
      EXPECT_EQ(explore::explore(program, how).failed, !whole);
    }
  }
}

TEST(explorer, a_futex_loses_no_wake) {
  const std::vector<litmus::body> bodies = {[](litmus& m) {
                                              while (m.x.load(seq_cst) == 0) {
                                                explore::futex_wait(&m.x, 0, false);
                                              }
                                              m.r[0] = 1;
                                            },
                                            [](litmus& m) {
                                              m.x.store(1, seq_cst);
                                              explore::futex_wake(&m.x, 1);
                                            }};
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    EXPECT_EQ(outcomes(memory, bodies, 1), std::set<results>{{1}});
  }
}

TEST(explorer, a_bound_on_preemptions_finds_less) {
  const std::vector<litmus::body> bodies = store_buffering(seq_cst, seq_cst, false);
  litmus program(bodies, 2);
  explore::options how;
  how.preemptions = 0;
  explore::explore(program, how);
  const std::set<results> one_after_the_other = {{0, 1}, {1, 0}};
  EXPECT_EQ(program.outcomes, one_after_the_other);
}

}  // namespace
