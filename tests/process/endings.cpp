// One process that ends in one way at one moment: endings <moment> <way>. endings_test.py knows how each must end. Also a plug-in,
// whose end is its unloading.
#include <nopal/nopal.hpp>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace {

using flag = std::atomic<bool>;

// Of the command line: they outlive every destructor.
std::string_view moment;
std::string_view way;

[[gnu::noinline]] bool now(const char* name) { return moment == name; }

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  _exit(9);
}

void wait_for(const flag& one) {
  while (!one.load(std::memory_order_acquire)) std::this_thread::yield();
}
void set(flag& one) { one.store(true, std::memory_order_release); }

long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

void compute() { check(fib(15) == 610, "fib(15)"); }

/// A region from which something was stolen, if there is who steals.
void compute_with_a_steal() {
  flag went_on{false};
  nopal::scope s;
  s.fork([&] {
    if (nopal::workers() > 1) wait_for(went_on);
  });
  set(went_on);
  compute();
  s.join();
}

void stop() {
  try {
    nopal::shutdown();
  } catch (const nopal::error&) {  // inside a scope it is refused
  }
}

void split() {
  const pid_t child = fork();
  check(child >= 0, "fork(2)");
  if (child == 0) {
    alarm(20);
    compute();
    std::exit(5);
  }
  int status = 0;
  check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5,
        "the child's exit code");
}

void ask() {
  check(nopal::workers() >= 1 && nopal::stats().workers == nopal::workers(), "workers() and stats()");
  try {
    nopal::configure({});
  } catch (const nopal::error& refused) {
    check(std::strstr(refused.what(), "nopal: configure: the runtime runs already") != nullptr, "the error");
  }
}

void stop_by_two() {
  std::thread other([] { stop(); });
  stop();
  other.join();
}

/// What the way asks for. Returns where the program goes on.
[[gnu::noinline]] void act() {
  if (way == "exit") std::exit(3);
  if (way == "quick_exit") std::quick_exit(3);
  if (way == "_exit") _exit(3);
  if (way == "abort") std::abort();
  if (way == "throw") throw std::runtime_error("meant to be uncaught");
  if (way == "pthread_exit") pthread_exit(nullptr);
  if (way == "pthread_cancel") {
    pthread_cancel(pthread_self());
    pthread_testcancel();
  }
  if (way == "shutdown" || way == "shutdown_fork") stop();
  if (way == "fork" || way == "shutdown_fork") compute();
  if (way == "stop_by_two") stop_by_two();
  if (way == "split") split();
  if (way == "ask") ask();
}

/// Acts in its destructor: of a thread, or of the process.
struct last {
  const char* when;
  ~last() noexcept(false) {
    if (when != nullptr && now(when)) act();
  }
};

last at_static_end{"static"};
thread_local last at_thread_end{nullptr};

[[gnu::noinline]] void act_at_thread_end(const char* when) { at_thread_end.when = when; }

/// `body` in a continuation that a thread of the pool has stolen, while the child waits until it is over.
template <class Body>
void on_the_pool(Body body) {
  flag went_on{false};
  nopal::scope s;
  s.fork([&] { wait_for(went_on); });
  body();
  set(went_on);
  s.join();
}

/// Both know that nothing was stolen, or that something was.
void in_a_child(bool stolen) {
  flag went_on{false};
  nopal::scope s;
  s.fork([&] {
    if (stolen) wait_for(went_on);
    act();
  });
  set(went_on);
  s.join();
}

void in_a_nested_child(int depth) {
  nopal::scope s;
  s.fork([depth] { depth == 0 ? act() : in_a_nested_child(depth - 1); });
  s.join();
}

void beside_a_region() {
  flag inside{false};
  flag over{false};
  std::thread other([&] {
    wait_for(inside);
    compute();
    if (now("second_thread")) act();
    if (now("second_thread_in_scope")) in_a_nested_child(3);
    set(over);
  });
  nopal::scope s;
  s.fork([&] {
    set(inside);
    if (way != "pthread_exit" && way != "pthread_cancel") {
      wait_for(over);
    }
  });
  s.join();
  other.join();
}

void on_a_thread_that_ends() {
  std::thread([] {
    act_at_thread_end("thread_local_of_program");
    compute_with_a_steal();
  }).join();
}

void run() {
  if (now("unused")) act();
  if (now("atexit")) std::atexit(act);
  if (now("at_quick_exit")) std::at_quick_exit(act);
  compute_with_a_steal();
  if (now("idle")) act();
  if (now("idle_for_long")) {
    usleep(20000);
    act();
  }
  if (now("child")) in_a_child(false);
  if (now("nested_child")) in_a_nested_child(5);
  if (now("child_of_stolen")) in_a_child(true);
  if (now("on_pool")) on_the_pool(act);
  if (now("nested_on_pool")) on_the_pool([] { in_a_nested_child(5); });
  if (now("second_thread") || now("second_thread_in_scope")) beside_a_region();
  if (now("thread_local_of_program")) on_a_thread_that_ends();
  if (now("thread_local_of_main")) act_at_thread_end("thread_local_of_main");
  if (now("thread_local_of_pool") || now("thread_local_of_pool_at_shutdown")) {
    on_the_pool([] { act_at_thread_end(moment.data()); });
  }
  if (now("thread_local_of_pool_at_shutdown")) nopal::shutdown();
  if (now("at_quick_exit")) std::quick_exit(0);
}

/// After everything else that the program has: forks get no threads any more.
__attribute__((destructor(101))) void at_the_very_end() {
  if (now("destructor")) act();
}

}  // namespace

#ifdef ENDINGS_PLUGIN
extern "C" __attribute__((visibility("default"))) int run_endings(int argc, char** argv);
#define main run_endings
#endif

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  alarm(20);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  moment = argv[1];
  way = argv[2];
  run();
  return 0;
}
