// What profile_ends_test.py profiles. Usage: PROGRAM WHAT [ARGUMENT]
#include <nopal/nopal.h>
#include <nopal/nopal.hpp>
#include <nopal/profile.hpp>
#include <pthread.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <new>
#include <string>
#include <thread>
#include <utility>

namespace {

/// Time that the thread had a processor, in ms.
double used() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

[[gnu::noinline]] void spin(double ms) {
  const double until = used() + ms;
  while (used() < until) {
  }
}

NOPAL_FORKABLE_VOID(spin, (double, ms))

[[gnu::noinline]] void region_in_c(double ms) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_spin(&s, ms);
  nopal_join(&s);
}

/// A millisecond or so, without a call of the system at which others might get the processor.
[[gnu::noinline]] void calculate() {
  for (int i = 0; i < 1'000'000; ++i) asm volatile("" ::"r"(i));
}

double ms_of_calculation() {
  double least = 1e9;
  for (int i = 0; i < 10; ++i) {
    const double from = used();
    calculate();
    least = std::min(least, used() - from);
  }
  return least;
}

[[gnu::noinline]] void region(double ms) {
  nopal::scope s;
  s.fork(spin, ms);
  spin(ms);
  s.join();
}

[[gnu::noinline]] void tree(int depth, bool waits) {
  if (depth == 0) {
    calculate();
    if (waits) usleep(1);
    calculate();
    return;
  }
  nopal::scope s;
  s.fork(tree, depth - 1, waits);
  tree(depth - 1, waits);
  s.join();
}

template <int number>
[[gnu::noinline]] void site(double ms) {
  nopal::scope s;
  s.fork(spin, ms);
  s.join();
}

template <int... numbers>
void many_sites(std::integer_sequence<int, numbers...>) {
  (site<numbers>(0.5), ...);
}

/// More sites than a word has bits, and than a path's shares have room; the last is the longest.
[[gnu::noinline]] void in_child_of_first() {
  many_sites(std::make_integer_sequence<int, 70>());
  nopal::scope s;
  s.fork(site<1000>, 30);
  s.join();
}

/// Inlined in a function whose own scope has brought it to another stack, where it has an array. Its scope comes back
/// there, whatever was in the scope's memory before.
[[gnu::always_inline]] inline bool with_an_array(unsigned char* memory, double ms) {
  constexpr std::size_t bytes = 4000;
  auto* const array = static_cast<unsigned char*>(__builtin_alloca(bytes));
  std::fill(array, array + bytes, static_cast<unsigned char>(1));
  asm volatile("" ::"r"(array) : "memory");
  auto* const own = new (memory) nopal::scope;
  own->fork(spin, ms);
  spin(2 * ms);
  for (int i = 0; i < 8; ++i) region(ms / 4);  // on stacks that nobody has any more
  own->join();
  own->~scope();
  return std::all_of(array, array + bytes, [](unsigned char each) { return each == 1; });
}

[[gnu::noinline]] bool second_scope(double ms) {
  alignas(nopal::scope) unsigned char memory[sizeof(nopal::scope)];
  std::fill(std::begin(memory), std::end(memory), static_cast<unsigned char>(0xa5));
  asm volatile("" ::"r"(memory) : "memory");
  nopal::scope first;
  first.fork(spin, ms);
  const bool is_there = with_an_array(memory, ms);
  first.join();
  return is_there;
}

[[gnu::noinline]] long leaves(int depth) {
  if (depth == 0) return 1;
  long left = 0;
  nopal::scope s;
  s.fork_into(left, leaves, depth - 1);
  const long right = leaves(depth - 1);
  s.join();
  return left + right;
}
[[gnu::noinline]] long child(int depth) { return leaves(depth); }

/// A child that is not recorded, as those before it were short, and that then is, once one of the strands in it finds that it
/// takes long: while others in it have latent forks.
bool turns_out_long() {
  for (int i = 0; i < 40; ++i) {
    long small = 0;
    nopal::scope s;
    s.fork_into(small, child, i < 39 ? 3 : 14);
    s.join();
    if (small != 1L << (i < 39 ? 3 : 14)) return false;
  }
  return true;
}

/// The number under which the program opens a file after it has closed all that it did not open.
int close_all(const char* file) {
  for (int number = 3; number < 1000; ++number) close(number);
  const int mine = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  return mine >= 0 && write(mine, "mine\n", 5) == 5 ? 0 : 1;
}

/// How the child ends that a signal is sent to.
int child_gets(int number) {
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 100; ++i) usleep(100'000);
    _exit(0);
  }
  usleep(50'000);
  kill(child, number);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == number ? 0 : 1;
}

[[gnu::noinline]] void exit_in_region() {
  nopal::scope s;
  s.fork(spin, 5);
  spin(5);
  std::exit(0);
}

int in_plugin(const char* path, int times) {
  for (int i = 0; i < times; ++i) {
    void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) return 3;
    auto* const compute = reinterpret_cast<long (*)(int)>(dlsym(plugin, "plugin_fib"));
    if (compute == nullptr || compute(20) != 6765) return 4;
    if (times > 1) dlclose(plugin);
  }
  return 0;
}

int run(const std::string& what, const char* argument) {
  if (what == "away" && chdir("/") != 0) return 1;
  region(2);
  if (what == "c") region_in_c(2);
  for (int i = 0; what == "second" && i < 400; ++i) {
    if (!second_scope(0.2)) return 6;
  }
  for (const std::time_t end = std::time(nullptr) + 5; what == "long" && std::time(nullptr) < end;) {
    if (!turns_out_long()) return 7;
  }
  if (what == "close") return close_all(argument);
  if (what == "stopped") nopal::shutdown();
  if (what == "thread" || what == "stopped") pthread_exit(nullptr);
  if (what == "thread_goes_on") {
    std::thread([] {
      std::puts("begun");
      std::fflush(stdout);
      for (;;) pause();
    }).detach();
    pthread_exit(nullptr);
  }
  if (what == "child") return child_gets(SIGTERM) + child_gets(SIGINT);
  if (what == "exit") exit_in_region();
  if (what == "name") {
    nopal::work_span whole;
    whole.begin();
    region(2);
    whole.end(argument);
  }
  if (what == "interval") {
    nopal::work_span part;
    part.begin();
    spin(60);
    part.end("part");
  }
  if (what == "tree" || what == "waits") {
    std::fprintf(stderr, "%g\n", ms_of_calculation() * 2 * 256);
    tree(8, what == "waits");
  }
  if (what == "sites") {
    nopal::scope s;
    s.fork(in_child_of_first);
    s.join();
  }
  if (what == "plugin" || what == "reload") return in_plugin(argument, what == "reload" ? 3 : 1);
  if (what == "sleep") {
    std::puts("begun");
    std::fflush(stdout);
    usleep(30'000'000);
    std::puts("went on");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return run(argv[1], argc > 2 ? argv[2] : "");
}
