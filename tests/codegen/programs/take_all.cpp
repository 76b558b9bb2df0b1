// The push of a library in which every offered continuation is taken: each push comes by here, publishes all there is and
// waits until thieves have it. In such a build (CMakeLists.txt) the library's own two slow pushes have other names and are called
// from here, so none of its sources knows of this.
//
// NOPAL_TAKE_PERCENT (100) says how many of the pushes that come by here do that. The others are the ordinary ones and let
// the next push be a fast one, so that what is published by force, out of the hands of a running owner, happens too.
//
// Each eager fork's record is compared with what a walk would have made of it, had the fork been latent.
//
// NOPAL_ASK_EVERY, in microseconds (0: never): all threads are asked for their latent forks that often, whether anybody wants
// them or not.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <nopal/detail/export.h>

#include "deque/deque.hpp"
#include "os/interruptions.hpp"
#include "records.hpp"
#include "scheduler/push.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

extern "C" int nopal_ordinary_push_and_publish(nopal_frame* frame, worker* self) noexcept;
extern "C" int nopal_ordinary_push_slow_path(nopal_frame* frame, push_remainder rest) noexcept;

namespace {

constexpr std::chrono::milliseconds longest_wait{5};

std::uint64_t percent() {
  static const char* const text = std::getenv("NOPAL_TAKE_PERCENT");
  static const std::uint64_t chosen = text != nullptr ? std::strtoull(text, nullptr, 10) : 100;
  return chosen;
}

/// Whether this push is one whose continuation must be taken.
bool is_chosen() {
  static std::atomic<std::uint64_t> state{1};
  if (percent() >= 100) {
    return true;
  }
  // splitmix64; relaxed: only the share of those chosen depends on it.
  std::uint64_t z = state.fetch_add(0x9e3779b97f4a7c15U, std::memory_order_relaxed);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return (z ^ z >> 31) % 100 < percent();
}

/// Whether some other worker has nothing to do.
bool somebody_idles(const worker* self) {
  const runtime& all = the_runtime();
  const int used = all.table_used.load(std::memory_order_seq_cst);
  for (int i = 0; i < used; ++i) {
    // Acquire pairs with the release in enter_table.
    const worker* const other = all.table[i].load(std::memory_order_acquire);
    if (other != nullptr && other != self && get(other->deque.strand.stack) == nullptr) {
      return true;
    }
  }
  return false;
}

/// Until all is taken, nobody is left who could, or time is up: a thief may have no processor for long.
void wait_for_thieves(worker* self) {
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  for (int look = 0; deque::size(self->deque) > 0 && somebody_idles(self); ++look) {
    if (look % 64 == 63) {
      os::yield();
      if (std::chrono::steady_clock::now() > end) {
        return;
      }
    }
    os::cpu_relax();
  }
}

/// As `ask` does, but whatever earlier answers were.
void ask_anyway(worker* first) {
  if (!first->has_thread.load(std::memory_order_seq_cst)) {
    return;
  }
  // The thread's end waits for visitors.
  first->visitors.fetch_add(1, std::memory_order_seq_cst);
  if (first->has_thread.load(std::memory_order_seq_cst)) {
    // Acquire and release as there.
    std::uint32_t state = first->asking.load(std::memory_order_acquire);
    if (first->asking.compare_exchange_strong(state, asked, std::memory_order_acq_rel)) {
      os::interrupt(first->asked_thread.load(std::memory_order_relaxed));
    }
  }
  first->visitors.fetch_sub(1, std::memory_order_release);
}

void ask_all(std::chrono::microseconds pause) {
  runtime& all = the_runtime();
  while (true) {
    std::this_thread::sleep_for(pause);
    if (nopal_latent_forks_used == 0) {
      continue;
    }
    const locked so_that_none_is_freed(all);
    if (all.running.load(std::memory_order_relaxed)) {
      for_each_first_worker(all, ask_anyway);
    }
  }
}

/// Of the process, as long as it runs.
[[maybe_unused]] const bool asks = [] {
  const char* const text = std::getenv("NOPAL_ASK_EVERY");
  const unsigned long long pause = text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
  if (pause != 0) {
    std::thread(ask_all, std::chrono::microseconds(pause)).detach();
  }
  return true;
}();

}  // namespace

extern "C" int nopal_push_and_publish(nopal_frame* frame, worker* self) noexcept {
  return percent() >= 100 ? whole_push : nopal_ordinary_push_and_publish(frame, self);
}

extern "C" int nopal_push_slow_path(nopal_frame* frame, push_remainder rest) noexcept {
  if (const worker* const before = this_worker(); before != nullptr && rest == whole_push) {
    check_record(before->stopped_at, *frame);
  }
  const int failed = nopal_ordinary_push_slow_path(frame, rest);
  worker* const self = this_worker();
  if (failed != 0 || self == nullptr || !is_chosen()) {
    return failed;
  }
  deque::poison(self->deque);
  wake_all();
  wait_for_thieves(self);
  return 0;
}

/// For the programs: waits until what this thread's strand offers is taken, if there are thieves.
extern "C" NOPAL_EXPORT void nopal_wait_until_taken() noexcept {
  if (worker* const self = this_worker()) {
    wait_for_thieves(self);
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
