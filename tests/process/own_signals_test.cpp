// Signals that a strand brings about itself, and the mask of new processes: on a thread of the pool as in the serial program.
#include <gtest/gtest.h>

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "process/on_the_pool.hpp"
#include "support/splitting.hpp"

namespace {

using support::flag;

/// As in `program | head`.
void write_where_nobody_reads() {
  int ends[2];
  NOPAL_CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
  NOPAL_CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE);
}

template <class Body>
void on_the_pool(Body body) {
  flag over{false};
  run_on_the_pool(over, [body](auto&) { body(); });
}

NOPAL_PROGRAM(writes_where_nobody_reads) {
  support::no_core();
  signal(SIGPIPE, SIG_DFL);
  on_the_pool(write_where_nobody_reads);
  return 0;
}

NOPAL_PROGRAM(writes_too_large_a_file) {
  support::no_core();
  std::FILE* const file = std::tmpfile();
  const rlimit none{0, 0};
  NOPAL_CHECK(file != nullptr && setrlimit(RLIMIT_FSIZE, &none) == 0);
  on_the_pool([file] { NOPAL_CHECK(write(fileno(file), "x", 1) == -1); });
  return 0;
}

volatile std::sig_atomic_t pipes_broken = 0;

NOPAL_PROGRAM(handles_a_broken_pipe) {
  signal(SIGPIPE, [](int) { pipes_broken = pipes_broken + 1; });
  on_the_pool([] {
    write_where_nobody_reads();
    NOPAL_CHECK(pipes_broken == 1);
  });
  return 0;
}

NOPAL_PROGRAM(blocks_broken_pipes) {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigprocmask(SIG_BLOCK, &pipe, nullptr);
  on_the_pool(write_where_nobody_reads);
  return 0;
}

bool blocks(int signal) {
  sigset_t now;
  NOPAL_CHECK(pthread_sigmask(SIG_SETMASK, nullptr, &now) == 0);
  return sigismember(&now, signal) == 1;
}

void change(int how, int signal) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  NOPAL_CHECK(pthread_sigmask(how, &one, nullptr) == 0);
}

/// In a new process made by a strand on the pool: whether `holds` does there.
template <class Condition>
void in_a_new_process(Condition holds) {
  const pid_t child = support::split();
  if (child == 0) _exit(holds() ? 0 : 1);
  support::exited_with_0(child);
}

NOPAL_PROGRAM(splits_on_the_pool) {
  change(SIG_BLOCK, SIGUSR2);  // and the pool blocks it, and new processes of this thread
  on_the_pool([] {
    NOPAL_CHECK(blocks(SIGTERM) && blocks(SIGUSR2));
    in_a_new_process([] {
      for (const int sent : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGALRM, SIGUSR1, SIGPIPE}) {
        if (blocks(sent)) return false;
      }
      return blocks(SIGUSR2);
    });
    NOPAL_CHECK(blocks(SIGTERM) && blocks(SIGUSR2));
  });
  return 0;
}

/// The child of a strand's child is not of the pool any more, and changes its mask as it likes.
NOPAL_PROGRAM(splits_twice) {
  on_the_pool([] {
    in_a_new_process([] {
      change(SIG_BLOCK, SIGTERM);
      in_a_new_process([] { return blocks(SIGTERM) && !blocks(SIGINT); });
      return true;
    });
  });
  return 0;
}

/// Between fork(2) and what the new process does first nothing may arrive.
NOPAL_PROGRAM(blocks_everything_around_a_split) {
  on_the_pool([] {
    sigset_t every;
    sigset_t before;
    sigfillset(&every);
    NOPAL_CHECK(pthread_sigmask(SIG_SETMASK, &every, &before) == 0);
    in_a_new_process([] { return blocks(SIGTERM) && blocks(SIGPIPE) && blocks(SIGSEGV); });
    NOPAL_CHECK(pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
  });
  return 0;
}

/// SIGTERM ends the new program, which inherits the mask that its process had.
NOPAL_PROGRAM(starts_a_program_on_the_pool) {
  on_the_pool([] {
    const pid_t child = support::split();
    if (child == 0) {
      execlp("sleep", "sleep", "30", static_cast<char*>(nullptr));
      _exit(127);
    }
    NOPAL_CHECK(kill(child, SIGTERM) == 0);
    const int status = support::status_of(child);
    NOPAL_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  });
  return 0;
}

/// What docs/strand.md says to do where we cannot.
NOPAL_PROGRAM(starts_a_program_with_a_mask_of_its_own) {
  on_the_pool([] {
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    NOPAL_CHECK(posix_spawnattr_init(&attributes) == 0 &&
                posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
                posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) == 0);
    char name[] = "sleep";
    char seconds[] = "30";
    char* const words[] = {name, seconds, nullptr};
    pid_t child = 0;
    NOPAL_CHECK(posix_spawnp(&child, name, nullptr, &attributes, words, environ) == 0);
    posix_spawnattr_destroy(&attributes);
    NOPAL_CHECK(kill(child, SIGTERM) == 0);
    const int status = support::status_of(child);
    NOPAL_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  });
  return 0;
}

class own_signals : public testing::TestWithParam<int> {};

TEST_P(own_signals, a_write_that_nobody_reads_ends_the_program) {
  const support::outcome seen =
      support::run_program("writes_where_nobody_reads", support::on_workers(GetParam()));
  EXPECT_EQ(seen.signal, SIGPIPE) << seen.description();
}

TEST_P(own_signals, a_write_beyond_the_limit_of_files_ends_the_program) {
  const support::outcome seen =
      support::run_program("writes_too_large_a_file", support::on_workers(GetParam()));
  EXPECT_EQ(seen.signal, SIGXFSZ) << seen.description();
}

TEST_P(own_signals, a_handler_of_broken_pipes_has_run_when_write_returns) {
  EXPECT_TRUE(support::succeeds("handles_a_broken_pipe", support::on_workers(GetParam())));
}

TEST_P(own_signals, a_starter_that_blocks_broken_pipes_is_followed) {
  EXPECT_TRUE(support::succeeds("blocks_broken_pipes", support::on_workers(GetParam())));
}

TEST_P(own_signals, a_new_process_blocks_what_the_starter_does) {
  EXPECT_TRUE(support::succeeds("splits_on_the_pool", support::on_workers(GetParam())));
  EXPECT_TRUE(support::succeeds("splits_twice", support::on_workers(GetParam())));
  EXPECT_TRUE(support::succeeds("starts_a_program_on_the_pool", support::on_workers(GetParam())));
  EXPECT_TRUE(support::succeeds("starts_a_program_with_a_mask_of_its_own", support::on_workers(GetParam())));
}

TEST_P(own_signals, a_new_process_keeps_what_the_strand_blocks_around_it) {
  EXPECT_TRUE(support::succeeds("blocks_everything_around_a_split", support::on_workers(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(at_workers, own_signals, testing::Values(2, 7),
                         [](const auto& of) { return std::to_string(of.param); });

}  // namespace
