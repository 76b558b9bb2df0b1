// Loads the plug-in named on the command line, has it compute on several threads, unloads it, again and again. The
// host itself knows nothing of Nopal: after the unloading no code, thread or handler of the library is left.
#include <dlfcn.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <thread>

namespace {

void check(bool holds, const char* what) {
  if (holds) return;
  const char* const reason = dlerror();
  std::fprintf(stderr, "does not hold: %s (%s)\n", what, reason != nullptr ? reason : "no loader error");
  _exit(1);
}

long threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

// A joined thread may stay on the list for a moment.
bool threads_settle_at(long count) {
  for (int i = 0; i < 1000 && threads_of_this_process() != count; ++i) usleep(1000);
  return threads_of_this_process() == count;
}

using fib_function = long (*)(int);

void compute(fib_function fib) {
  check(fib(18) == 2584, "the plug-in's answer");
  // These threads end while the library is there, the main thread after it.
  std::thread other([fib] { check(fib(16) == 987, "the plug-in's answer on another thread"); });
  check(fib(16) == 987, "the plug-in's answer beside another thread");
  other.join();
}

struct sigaction overflow_handling() {
  struct sigaction action = {};
  sigaction(SIGSEGV, nullptr, &action);
  return action;
}

void own_handler(int) {}
void own_handler_with_details(int, siginfo_t*, void*) {}

/// A handler that the program installs meanwhile is still there afterwards.
void load_and_unload_around_own_handler(const char* path, bool details) {
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  check(plugin != nullptr, "dlopen");
  compute(reinterpret_cast<fib_function>(dlsym(plugin, "plugin_fib")));
  struct sigaction own = {};
  if (details) {
    own.sa_flags = SA_SIGINFO;
    own.sa_sigaction = own_handler_with_details;
  } else {
    own.sa_handler = own_handler;
  }
  sigaction(SIGSEGV, &own, nullptr);
  check(dlclose(plugin) == 0, "dlclose");
  struct sigaction now = {};
  sigaction(SIGSEGV, nullptr, &now);
  check(details ? now.sa_sigaction == own_handler_with_details : now.sa_handler == own_handler,
        "the program's own handler is still there");
  signal(SIGSEGV, SIG_DFL);
}

void load_compute_unload(const char* path) {
  const long threads_before = threads_of_this_process();
  const struct sigaction handling_before = overflow_handling();
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  check(plugin != nullptr, "dlopen");
  const auto fib = reinterpret_cast<fib_function>(dlsym(plugin, "plugin_fib"));
  check(fib != nullptr, "dlsym");
  compute(fib);
  check(dlclose(plugin) == 0, "dlclose");
  check(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == nullptr, "the plug-in is gone");
  check(threads_settle_at(threads_before), "the pool's threads are gone");
  check(overflow_handling().sa_handler == handling_before.sa_handler, "the signal's handler is gone");
}

/// What reducers had of the heap is returned, those included that end with the plug-in.
void load_reduce_unload(const char* path) {
  const auto heap_after = [path](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      check(plugin != nullptr, "dlopen");
      const auto sum = reinterpret_cast<long (*)(int)>(dlsym(plugin, "plugin_sum"));
      check(sum != nullptr && sum(100) == 4950, "the plug-in's sum");
      check(dlclose(plugin) == 0, "dlclose");
    }
    return mallinfo2().uordblks;
  };
  const std::size_t before = heap_after(3);
  check(heap_after(10) < before + 20000, "the heap does not grow");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  alarm(60);
  std::thread([] {}).join();  // ThreadSanitizer starts one of its own beside the first
  for (int i = 0; i < 10; ++i) load_compute_unload(argv[1]);
  load_reduce_unload(argv[1]);
  for (const bool details : {false, true}) load_and_unload_around_own_handler(argv[1], details);
  // A thread that the library had adopted ends after it.
  std::thread([path = argv[1]] { load_compute_unload(path); }).join();
  return 0;
}
