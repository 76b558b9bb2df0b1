// A leaf under latent forks, before and after a thief has had the outermost continuation: each time backtrace() and a debugger
// must find the whole chain of calls. On two workers.
//
// Usage: latent_chain main|thread. Prints the functions that backtrace() found, innermost first, "promoted", and those found then.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <sched.h>
#include <thread>

#include <nopal/nopal.hpp>

namespace {

constexpr int levels = 5;
constexpr int most_frames = 64;

std::atomic<bool> thief_is_busy{false};
std::atomic<bool> thief_may_go{false};
std::atomic<bool> continued{false};

void wait_until(const std::atomic<bool>& set) {
  while (!set.load(std::memory_order_acquire)) {
    sched_yield();
  }
}

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

}  // namespace

/// Where the debugger stops, twice.
extern "C" [[gnu::noinline]] void chain_marker() {
  asm volatile("");
  print_backtrace();
  asm volatile("");
}

extern "C" [[gnu::noinline]] int chain_leaf() {
  chain_marker();
  thief_may_go.store(true, std::memory_order_release);
  wait_until(continued);
  std::printf("promoted\n");
  chain_marker();
  return 0;
}

/// Forks the next level. The odd ones by a function as it is, the others by one with captures.
template <int Level>
[[gnu::noinline]] int chain_level(int value) {
  int below = 0;
  nopal::scope s;
  if constexpr (Level == levels) {
    s.fork_into(below, chain_leaf);
  } else if constexpr (Level % 2 == 1) {
    s.fork_into(below, chain_level<Level + 1>, value + 1);
  } else {
    s.fork_into(below, [value] { return chain_level<Level + 1>(value + 1) + 0; });
  }
  if (Level == 1) {
    continued.store(true, std::memory_order_release);
  }
  s.join();
  return below + Level + (value > levels ? 1 : 0);  // so that the parameter stays
}

/// The outermost fork is eager, and its thief is busy until the leaf has printed once.
extern "C" [[gnu::noinline]] void chain_thread_entry() {
  int result = 0;
  nopal::scope s;
  s.fork([&result] {
    wait_until(thief_is_busy);
    nopal::scope t;
    t.fork_into(result, chain_level<1>, 0);
    t.join();
  });
  thief_is_busy.store(true, std::memory_order_release);
  wait_until(thief_may_go);
  s.join();
  if (result != levels * (levels + 1) / 2 || nopal::stats().total.promotions < levels) {
    std::abort();
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "thread") == 0) {
    std::thread(chain_thread_entry).join();
  } else {
    chain_thread_entry();
  }
  std::printf("done\n");
}
