#include "profile/machine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "arch/arch.hpp"
#include "os/os.hpp"
#include "profile/profile.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

constinit machine this_machine = {};
extern "C" {
std::uint64_t (*nopal_profile_clock)() = nullptr;
}

std::uint64_t now() noexcept {
  return nopal_profile_clock != nullptr ? nopal_profile_clock() : processor_ticks();
}

std::uint64_t as_ns(std::uint64_t ticks) noexcept {
  return static_cast<std::uint64_t>(static_cast<double>(ticks) * 1e6 /
                                    static_cast<double>(this_machine.ticks_per_ms));
}

namespace {

constexpr int tries = 9;
constexpr int ways_tried = 200;
constexpr std::uint64_t usual_steal_ns = 1000;
/// Two threads that share one processor need more than this to tell each other of something.
constexpr std::uint64_t most_steal_ns = 20'000;
constexpr std::size_t stack_pages = 4;
constexpr std::uint64_t first_cost_ns = 60;
constexpr std::uint64_t most_cost_ns = 150;
constexpr std::uint64_t long_piece_ns = 100'000;
constexpr std::uint64_t old_look_ns = 2'000'000;

std::uint64_t median(std::array<std::uint64_t, tries>& of) noexcept {
  std::sort(of.begin(), of.end());
  return of[tries / 2];
}

/// Two threads that tell each other of numbers, by a word in memory or a futex.
struct exchange_of_words {
  alignas(64) std::atomic<std::uint32_t> asked{0};
  alignas(64) std::atomic<std::uint32_t> answered{0};
  std::atomic<std::uint64_t> woken_at{0};
};

void answer(void* argument) {
  auto& words = *static_cast<exchange_of_words*>(argument);
  for (std::uint32_t turn = 0; turn < tries; ++turn) {
    while (words.asked.load(std::memory_order_acquire) == turn) {
      os::futex_wait(words.asked, turn);
    }
    words.woken_at.store(os::monotonic_ns(), std::memory_order_relaxed);
    words.answered.store(turn + 1, std::memory_order_release);
  }
  for (std::uint32_t turn = tries; turn < tries + ways_tried; ++turn) {
    for (int looks = 0; words.asked.load(std::memory_order_acquire) == turn; ++looks) {
      looks % 1000 == 999 ? os::yield() : os::cpu_relax();
    }
    words.answered.store(turn + 1, std::memory_order_release);
  }
}

void await(exchange_of_words& words, std::uint32_t turn) noexcept {
  for (int looks = 0; words.answered.load(std::memory_order_acquire) == turn; ++looks) {
    looks % 1000 == 999 ? os::yield() : os::cpu_relax();
  }
}

/// A sleeper's wake-up, and the way of a few cache lines there and back.
void measure_threads() noexcept {
  exchange_of_words words;
  os::thread_handle other;
  if (os::start_thread(answer, &words, 64 << 10, other) != 0) {
    return;
  }
  std::array<std::uint64_t, tries> wakes{};
  for (std::uint32_t turn = 0; turn < tries; ++turn) {
    std::atomic<std::uint32_t> nothing{0};
    os::futex_wait_for(nothing, 0, 50'000);  // until it sleeps
    const std::uint64_t from = os::monotonic_ns();
    words.asked.store(turn + 1, std::memory_order_release);
    os::futex_wake(words.asked, 1);
    await(words, turn);
    const std::uint64_t at = words.woken_at.load(std::memory_order_relaxed);
    wakes[turn] = at > from ? at - from : 0;
  }
  std::uint64_t best = ~std::uint64_t{0};
  for (std::uint32_t turn = tries; turn < tries + ways_tried; ++turn) {
    const std::uint64_t from = os::monotonic_ns();
    words.asked.store(turn + 1, std::memory_order_release);
    await(words, turn);
    const std::uint64_t way = os::monotonic_ns() - from;
    best = way < best ? way : best;
  }
  os::join_thread(other);
  this_machine.wake_ns = median(wakes);
  // A thief looks at the deque, takes the entry, and reads and writes the frame: two ways there and back.
  this_machine.steal_ns = 2 * best < most_steal_ns ? 2 * best : usual_steal_ns;
}

void measure_pages() noexcept {
  std::array<std::uint64_t, tries> times{};
  const std::size_t bytes = stack_pages * os::page_size();
  for (std::uint64_t& each : times) {
    char* const memory = static_cast<char*>(os::map_stack_memory(bytes));
    if (memory == nullptr) {
      return;
    }
    const std::uint64_t from = os::monotonic_ns();
    for (std::size_t at = 0; at < bytes; at += os::page_size()) {
      *static_cast<volatile char*>(memory + at) = 1;
    }
    each = os::monotonic_ns() - from;
    os::unmap(memory, bytes);
  }
  this_machine.cold_stack_ns = median(times);
}

void measure_ticks() noexcept {
  constexpr std::uint64_t interval_ns = 500'000;
  const std::uint64_t from_ns = os::monotonic_ns();
  const std::uint64_t from = processor_ticks();
  std::uint64_t to_ns;
  do {
    to_ns = os::monotonic_ns();
  } while (to_ns - from_ns < interval_ns);
  this_machine.ticks_per_ms = (processor_ticks() - from) * 1'000'000 / (to_ns - from_ns);
}

}  // namespace

namespace {

/// The program's beginning, as far as the library sees it.
std::uint64_t loaded_at = 0;
__attribute__((constructor)) void note_beginning() { loaded_at = processor_ticks(); }

}  // namespace

void measure_machine() noexcept {
  constexpr std::uint64_t short_child_ns = 2000;
  const std::uint64_t from = processor_ticks();
  if (nopal_profile_clock != nullptr) {
    this_machine.ticks_per_ms = 1'000'000;
  } else {
    measure_ticks();
    measure_threads();
    measure_pages();
  }
  const std::uint64_t burden_ns = this_machine.steal_ns + this_machine.wake_ns + this_machine.cold_stack_ns;
  this_machine.burden = burden_ns * this_machine.ticks_per_ms / 1'000'000;
  // With a clock of its own a test records each fork.
  this_machine.short_child =
      nopal_profile_clock != nullptr ? 0 : short_child_ns * this_machine.ticks_per_ms / 1'000'000;
  const auto real_ticks = [](std::uint64_t ns) {
    return nopal_profile_clock != nullptr ? 0 : ns * this_machine.ticks_per_ms / 1'000'000;
  };
  this_machine.first_cost = real_ticks(first_cost_ns);
  this_machine.most_cost = real_ticks(most_cost_ns);
  const auto unless_clock = [&](std::uint64_t ns) {
    return nopal_profile_clock != nullptr ? ~std::uint64_t{0} : real_ticks(ns);
  };
  this_machine.long_piece = unless_clock(long_piece_ns);
  this_machine.old_look = unless_clock(old_look_ns);
  this_machine.measuring = processor_ticks() - from;
  // What was measured is no part of the program.
  const std::uint64_t at = now();
  this_machine.began_ticks = nopal_profile_clock != nullptr ? at : at - (from - loaded_at);
  this_machine.began_ns = os::monotonic_ns() - as_ns(at - this_machine.began_ticks);
}

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
