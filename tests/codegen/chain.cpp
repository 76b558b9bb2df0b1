// A chain of forking functions of which each continuation is stolen, so that every level runs on another stack; at
// its end both backtrace() and a debugger must find the whole chain of calls.
//
// Usage: chain main|thread. Prints the functions that backtrace() found, innermost first.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <sched.h>
#include <thread>

#include <nopal/scope.hpp>

namespace {

constexpr int levels = 5;
constexpr int most_frames = 64;

std::atomic<int> reached{0};

void print_backtrace() {
  void* frames[most_frames];
  const int count = backtrace(frames, most_frames);
  for (int i = 0; i < count; ++i) {
    Dl_info found{};
    // A return address may lie behind its function: one byte before is inside the call.
    const bool known = dladdr(static_cast<char*>(frames[i]) - 1, &found) != 0 && found.dli_sname != nullptr;
    std::printf("%s\n", known ? found.dli_sname : "?");
  }
}

/// Ends only when the continuation runs, which is then on another worker.
[[gnu::noinline]] void wait_for_continuation(int level) {
  while (reached.load(std::memory_order_acquire) < level) {
    sched_yield();
  }
}

}  // namespace

/// Where the debugger stops.
extern "C" [[gnu::noinline]] void chain_marker() {
  asm volatile("");
  print_backtrace();
  asm volatile("");
}

/// Calls the next level in the continuation, which is certain to have been stolen there.
template <int Level>
[[gnu::noinline]] int chain_level(int value) {
  nopal::scope s;
  s.fork(wait_for_continuation, Level);
  reached.store(Level, std::memory_order_release);
  int result = value;
  if constexpr (Level == levels) {
    chain_marker();
  } else {
    result = chain_level<Level + 1>(value + 1);
  }
  s.join();
  return result + Level;
}

extern "C" [[gnu::noinline]] void chain_thread_entry() {
  if (chain_level<1>(0) < 0) {
    std::abort();
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "thread") == 0) {
    std::thread(chain_thread_entry).join();
  } else if (chain_level<1>(0) < 0) {
    return 1;
  }
  std::printf("done\n");
}
