// Observers: entries and exits come in pairs on each thread and are of one arena, and nobody is called once an
// observer has ceased. tbb.observers has the number of threads that are there at once.
#include <gtest/gtest.h>
#include <nopal/nopal.hpp>

#include <csignal>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "support/at_once.hpp"
#include "support/program.hpp"

namespace {

using support::tree;

/// How often this thread is in what each of the tests' observers observes.
thread_local int depth_here[4] = {};

/// Counts, and checks that calls of a thread come in pairs.
class counting : public nopal::observer {
public:
  explicit counting(int place) : place_(place) { observe(); }
  counting(int place, const nopal::arena& of) : observer(of), place_(place) { observe(); }
  ~counting() override { observe(false); }

  void on_entry(bool is_worker) override {
    NOPAL_CHECK(depth_here[place_]++ == 0);
    ++entries_;
    workers_ += is_worker ? 1 : 0;
    const int now = ++now_;
    int most = most_.load();
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
  }
  void on_exit(bool is_worker) override {
    NOPAL_CHECK(--depth_here[place_] == 0);
    workers_ -= is_worker ? 1 : 0;
    ++exits_;
    --now_;  // last: then the others are right
  }

  [[nodiscard]] bool is_here() const { return depth_here[place_] != 0; }
  [[nodiscard]] int entries() const { return entries_; }
  [[nodiscard]] int exits() const { return exits_; }
  [[nodiscard]] int now() const { return now_; }
  [[nodiscard]] int most() const { return most_; }
  [[nodiscard]] int workers() const { return workers_; }

private:
  const int place_;
  std::atomic<int> entries_{0};
  std::atomic<int> exits_{0};
  std::atomic<int> now_{0};
  std::atomic<int> most_{0};
  std::atomic<int> workers_{0};
};

/// Each leaf is run by a thread that has called the entry.
void tree_seen_by(const counting& one, int depth) {
  if (depth == 0) {
    NOPAL_CHECK(one.is_here());
    for (int i = 0; i != 200; ++i) asm volatile("" ::: "memory");
    std::this_thread::yield();  // for thieves
    return;
  }
  nopal::scope s;
  s.fork([&one, depth] { tree_seen_by(one, depth - 1); });
  tree_seen_by(one, depth - 1);
  s.join();
}

void wait_until_left(const counting& one, int threads) {
  while (one.now() != threads) std::this_thread::yield();
}

NOPAL_PROGRAM(pairs) {
  nopal::arena two(2);
  nopal::arena other(3);
  const counting of_two(0, two);
  const counting of_other(1, other);
  for (int round = 0; round != 50; ++round) {
    two.execute([&] { tree_seen_by(of_two, 8); });
    NOPAL_CHECK(!of_two.is_here());
    other.execute([&] { tree_seen_by(of_other, 8); });
    two.execute([&] {
      NOPAL_CHECK(of_two.is_here() && !of_other.is_here());
      other.execute([&] {
        NOPAL_CHECK(of_two.is_here() && of_other.is_here());
        two.execute([&] { tree_seen_by(of_two, 3); });  // there already, so nothing is called
      });
      two.execute([&] { tree_seen_by(of_two, 3); });
    });
  }
  // Workers leave when they go to sleep.
  wait_until_left(of_two, 0);
  wait_until_left(of_other, 0);
  NOPAL_CHECK(of_two.entries() == of_two.exits() && of_other.entries() == of_other.exits());
  NOPAL_CHECK(of_two.entries() >= 100 && of_other.entries() >= 100);
  NOPAL_CHECK(of_two.most() <= 3 && of_other.most() <= 4);  // with the caller that waits
  NOPAL_CHECK(of_two.workers() == 0 && of_other.workers() == 0);
  return 0;
}

// What is enqueued, and threads of the program that share the arena.
NOPAL_PROGRAM(shared_arenas) {
  for (int limit = 1; limit != 4; ++limit) {
    nopal::arena arena(limit);
    const counting seen(0, arena);
    std::vector<std::thread> threads;
    std::atomic<int> called{0};
    for (int i = 0; i != 6; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round != 20; ++round) {
          arena.execute([&] { tree_seen_by(seen, 6); });
          arena.enqueue([&] {
            NOPAL_CHECK(seen.is_here());
            ++called;
          });
        }
        NOPAL_CHECK(!seen.is_here());
      });
    }
    for (std::thread& one : threads) one.join();
    arena.wait();
    wait_until_left(seen, 0);
    NOPAL_CHECK(called == 120 && seen.most() <= limit + 7 && seen.entries() == seen.exits());
  }
  return 0;
}

NOPAL_PROGRAM(outside_of_arenas) {
  const int workers = nopal::workers();
  counting seen(0);
  nopal::arena arena(2);
  std::thread([&] {
    for (int round = 0; round != 20; ++round) {
      support::at_once trees;
      tree(trees, 9);
      arena.execute([&] { tree(trees, 5); });
      NOPAL_CHECK(seen.is_here());
    }
  }).join();
  wait_until_left(seen, 0);  // the thread has left at its end
  NOPAL_CHECK(seen.entries() == seen.exits() && seen.entries() >= 1 && seen.most() <= workers);
  return 0;
}

// Somebody who is there already is called before its next task.
NOPAL_PROGRAM(late_observers) {
  nopal::arena arena(4);
  arena.execute([&] {
    counting late(0, arena);
    NOPAL_CHECK(late.is_here());  // its own thread at once
    tree_seen_by(late, 8);
    late.observe(false);
    NOPAL_CHECK(!late.is_observing());
    const int entries = late.entries();
    depth_here[0] = 0;  // no exit is called any more
    support::at_once trees;
    tree(trees, 8);
    NOPAL_CHECK(late.entries() == entries);
  });
  return 0;
}

// Each observer lives for a while in the middle of the work.
NOPAL_PROGRAM(coming_and_going) {
  class busy : public nopal::observer {
  public:
    explicit busy(const nopal::arena& of) : observer(of) { observe(); }
    ~busy() override {
      observe(false);
      NOPAL_CHECK(inside_ == 0);
      inside_ = -1000;
    }
    void on_entry(bool) override { stay(); }
    void on_exit(bool) override { stay(); }

  private:
    void stay() {
      NOPAL_CHECK(++inside_ > 0);
      std::this_thread::yield();
      NOPAL_CHECK(--inside_ >= 0);
    }
    std::atomic<int> inside_{0};
  };
  nopal::arena arena(3);
  nopal::arena other(2);
  std::atomic<bool> ends{false};
  std::vector<std::thread> workers;
  for (int i = 0; i != 3; ++i) {
    workers.emplace_back([&, i] {
      while (!ends) {
        support::at_once trees;
        (i == 2 ? other : arena).execute([&] { tree(trees, 6); });
      }
    });
  }
  for (int round = 0; round != 200; ++round) {
    busy one(arena);
    const busy second(other);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    one.observe(false);
    one.observe();
  }
  ends = true;
  for (std::thread& one : workers) one.join();
  return 0;
}

// An arena, its observer, and the workers that may still be there: in any order.
NOPAL_PROGRAM(arenas_that_end) {
  for (int round = 0; round != 200; ++round) {
    auto arena = std::make_unique<nopal::arena>(2 + round % 2);
    counting seen(0, *arena);
    arena->execute([&] { tree_seen_by(seen, 6); });
    if (round % 3 == 0) {
      arena.reset();
      wait_until_left(seen, 0);
      NOPAL_CHECK(seen.entries() == seen.exits());
    } else {
      wait_until_left(seen, 0);
    }
  }
  return 0;
}

NOPAL_PROGRAM(ending_in_functions) {
  class ending : public nopal::observer {
  public:
    explicit ending(const nopal::arena& of) : observer(of) { observe(); }
    ~ending() override { observe(false); }
    void on_entry(bool is_worker) override {
      NOPAL_CHECK(!is_worker || nopal::worker_index() > 0);
      ++entries;
    }
    void on_exit(bool is_worker) override {
      NOPAL_CHECK(!is_worker || nopal::worker_index() > 0);
      observe(false);  // waits for no other call
    }
    std::atomic<int> entries{0};
  };
  nopal::arena arena(4);
  for (int round = 0; round != 50; ++round) {
    const ending one(arena);
    support::at_once trees;
    arena.execute([&] { tree(trees, 7); });
    NOPAL_CHECK(one.entries >= 1);
  }
  return 0;
}

NOPAL_PROGRAM(forks) {
  class forking : public nopal::observer {
  public:
    forking() { observe(); }
    ~forking() override { observe(false); }
    void on_entry(bool) override {
      nopal::scope s;
      s.fork([] {});
      s.join();
    }
  };
  support::no_core();
  const forking one;
  support::at_once trees;
  tree(trees, 5);
  return 0;
}

NOPAL_PROGRAM(new_process) {
  nopal::arena arena(4);
  const counting seen(0, arena);
  arena.execute([&] { tree_seen_by(seen, 7); });
  const pid_t child = fork();
  if (child == 0) {
    const int entries = seen.entries();
    arena.execute([&] { tree_seen_by(seen, 7); });
    NOPAL_CHECK(seen.entries() > entries);
    {
      const counting another(1, arena);
      arena.execute([&] { tree_seen_by(another, 7); });
    }
    _exit(0);
  }
  int status = 0;
  NOPAL_CHECK(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}

NOPAL_PROGRAM(new_process_beside_a_call) {
  class slow : public nopal::observer {
  public:
    explicit slow(const nopal::arena& of) : observer(of) { observe(); }
    ~slow() override { observe(false); }
    void on_entry(bool) override {
      is_inside = true;
      while (!may_end) std::this_thread::yield();
    }
    std::atomic<bool> is_inside{false};
    std::atomic<bool> may_end{false};
  };
  nopal::arena arena(2);
  slow one(arena);
  std::thread other([&arena] { arena.execute([] {}); });
  while (!one.is_inside) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    one.observe(false);  // the call is in the parent
    _exit(0);
  }
  int status = 0;
  NOPAL_CHECK(waitpid(child, &status, 0) == child && status == 0);
  one.may_end = true;
  other.join();
  return 0;
}

NOPAL_PROGRAM(throws) {
  class throwing : public nopal::observer {
  public:
    explicit throwing(const nopal::arena& of) : observer(of) { observe(); }
    ~throwing() override { observe(false); }
    void on_entry(bool) override { throw 1; }
  };
  support::no_core();
  nopal::arena arena(1);
  const throwing one(arena);
  try {
    arena.execute([] {});
  } catch (int) {
    return 0;
  }
  return 0;
}

NOPAL_PROGRAM(process_in_a_function) {
  class process : public nopal::observer {
  public:
    explicit process(const nopal::arena& of) : observer(of) { observe(); }
    ~process() override { observe(false); }
    void on_entry(bool) override { child_ = fork(); }
    [[nodiscard]] pid_t child() const { return child_; }

  private:
    pid_t child_ = -1;
  };
  support::no_core();
  nopal::arena arena(1);
  process one(arena);
  arena.execute([&] {
    int status = 0;
    NOPAL_CHECK(waitpid(one.child(), &status, 0) == one.child() && WIFSIGNALED(status));
  });
  return 0;
}

class observers : public support::program_at_workers {};

TEST_P(observers, see_each_thread_come_and_go) { EXPECT_TRUE(run("pairs")); }
TEST_P(observers, see_threads_that_share_an_arena) { EXPECT_TRUE(run("shared_arenas")); }
TEST_P(observers, see_threads_outside_of_arenas) { EXPECT_TRUE(run("outside_of_arenas")); }
TEST_P(observers, see_those_who_are_there_already) { EXPECT_TRUE(run("late_observers")); }
TEST_P(observers, end_when_none_of_their_functions_runs) { EXPECT_TRUE(run("coming_and_going")); }
TEST_P(observers, may_outlive_their_arenas) { EXPECT_TRUE(run("arenas_that_end")); }
TEST_P(observers, may_end_in_their_functions) { EXPECT_TRUE(run("ending_in_functions")); }
TEST_P(observers, go_on_in_a_new_process) { EXPECT_TRUE(run("new_process")); }
TEST_P(observers, wait_for_no_call_of_another_process) { EXPECT_TRUE(run("new_process_beside_a_call")); }

INSTANTIATE_TEST_SUITE_P(at_workers, observers, testing::Values(1, 2, 4, 7),
                         testing::PrintToStringParamName());

TEST(observers_functions, end_the_program_by_an_exception) {
  const support::outcome end = support::run_program("throws", support::on_workers(2));
  EXPECT_EQ(end.signal, SIGABRT) << end.description();
}

TEST(observers_functions, may_not_fork) {
  const support::outcome end = support::run_program("forks", support::on_workers(2));
  EXPECT_EQ(end.signal, SIGABRT) << end.description();
  EXPECT_EQ(end.err.rfind("nopal: an observer's function forked", 0), 0U) << end.description();
}

TEST(observers_functions, do_not_go_on_in_a_new_process) {
  const support::outcome end = support::run_program("process_in_a_function", support::on_workers(2));
  EXPECT_EQ(end.exit_code, 0) << end.description();
  EXPECT_NE(end.err.find("nopal: a child of fork(2) came to the end of an observer's function"),
            std::string::npos)
      << end.description();
}

}  // namespace
