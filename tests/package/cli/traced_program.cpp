// What trace_test.py traces. Usage: PROGRAM WHAT [NUMBER]
#include <nopal/arena.hpp>
#include <nopal/nopal.hpp>
#include <nopal/waiting.hpp>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

long serial_fib(int n) { return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2); }

/// Each continuation is the only one that there is to steal.
[[gnu::noinline]] int forks_in_a_loop(int n) {
  long sum[16] = {};
  nopal::scope s;
  for (int i = 0; i < n; ++i) s.fork_into(sum[i % 16], serial_fib, 22);
  s.join();
  return sum[0] > 0 ? 0 : 1;
}

/// Leaves no child: its parent has the trace.
int split(int n) {
  const long before = fib(n);
  const pid_t child = fork();
  if (child == 0) std::exit(fib(n) == before ? 0 : 1);  // forks, on workers of its own
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 && fib(n) == before ? 0 : 1;
}

int in_arena(int n) {
  nopal::arena two(2);
  long result = 0;
  for (int i = 0; i < 20; ++i) {
    two.execute([&] { result += fib(n); });
  }
  return result > 0 ? 0 : 1;
}

/// A strand waits for what another one does.
int with_events(int n) {
  for (int i = 0; i < n; ++i) {
    nopal::event done;
    nopal::scope s;
    s.fork([&] { done.wait(); });
    done.set();
    s.join();
  }
  return 0;
}

int fib_for(int ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (std::chrono::steady_clock::now() < end) fib(22);
  return 0;
}

[[noreturn]] void for_ever() {
  std::puts("runs");
  std::fflush(stdout);
  for (;;) fib(16);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int n = argc > 2 ? std::atoi(argv[2]) : 18;
  if (what == "fib") return fib(n) > 0 ? 0 : 1;
  if (what == "loop") return forks_in_a_loop(n);
  if (what == "nothing") return 0;
  if (what == "fails") return fib(n) > 0 ? 7 : 1;
  if (what == "split") return split(n);
  if (what == "arena") return in_arena(n);
  if (what == "events") return with_events(n);
  if (what == "kill") {
    fib(n);
    std::raise(SIGKILL);
  }
  if (what == "abort") {
    fib(n);
    std::signal(SIGABRT, SIG_DFL);
    std::raise(SIGABRT);
  }
  if (what == "sleepy") {
    for (int i = 0; i < 5; ++i) {
      fib(n);
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    return 0;
  }
  if (what == "execute") {
    fib(n);
    execl("/proc/self/exe", argv[0], "fib", "12", nullptr);
  }
  if (what == "late") {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return fib(n) > 0 ? 0 : 1;
  }
  if (what == "again") {
    fib(n);
    nopal::shutdown();
    return fib(n) > 0 ? 0 : 1;
  }
  if (what == "fib_for") return fib_for(n);
  if (what == "thread" || what == "stopped" || what == "helper") {
    what == "helper" ? std::thread([n] { fib(n); }).join() : static_cast<void>(fib(n));
    if (what == "stopped") nopal::shutdown();
    pthread_exit(nullptr);
  }
  if (what == "for_ever") for_ever();
  std::fprintf(stderr, "no %s\n", what.c_str());
  return 2;
}
