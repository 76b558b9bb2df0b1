// The children that wait for thieves, and the counts.

#include "corpus.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <sched.h>

#include <nopal/runtime.hpp>

namespace corpus {

namespace {

registered_case* cases = nullptr;
std::atomic<int> waiting_mode{0};
std::atomic<std::uint32_t> draws{0};
std::atomic<int> alive{0};
std::atomic<std::uint64_t> steals_elsewhere{0};

[[maybe_unused]] constexpr auto longest_wait = std::chrono::microseconds(300);

[[maybe_unused]] bool to_wait() noexcept {
  const auto mode = static_cast<waiting>(waiting_mode.load(std::memory_order_relaxed));
  if (mode != waiting::sometimes) {
    return mode == waiting::always;
  }
  // A multiplicative hash: regular call patterns must not meet a regular pattern of waits.
  return (draws.fetch_add(1, std::memory_order_relaxed) * 2654435769U >> 30) == 0;
}

}  // namespace

registered_case::registered_case(const char* its_name, bool (*its_run)()) noexcept
    : name(its_name), run(its_run), next(cases) {
  cases = this;
}

registered_case* first_case() noexcept { return cases; }

void set_waiting(waiting when) noexcept {
  waiting_mode.store(static_cast<int>(when), std::memory_order_relaxed);
}

[[gnu::noinline]] void scribble() noexcept {
  volatile unsigned char rubbish[768];
  for (volatile unsigned char& byte : rubbish) {
    byte = 0xa5;
  }
}

#ifdef NOPAL_ELIDE

[[gnu::noinline]] void linger() noexcept { scribble(); }
std::uint64_t steals() noexcept { return 0; }

#else

[[gnu::noinline]] void linger() noexcept {
  scribble();
  if (!to_wait()) {
    return;
  }
  const nopal_deque* const mine = nopal_this_deque();
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  // Only this thread writes `bottom`, and it does not while it is here; thieves advance `top`.
  while (__atomic_load_n(&mine->top, __ATOMIC_RELAXED) < mine->bottom &&
         std::chrono::steady_clock::now() < deadline) {
    sched_yield();
  }
}

std::uint64_t steals() noexcept {
  return nopal::stats().total.steals + steals_elsewhere.load(std::memory_order_relaxed);
}

#endif

void add_steals(std::uint64_t more) noexcept { steals_elsewhere.fetch_add(more, std::memory_order_relaxed); }

counted::counted(int with) noexcept : value(with) { alive.fetch_add(1, std::memory_order_relaxed); }
counted::counted(const counted& other) noexcept : value(other.value) {
  alive.fetch_add(1, std::memory_order_relaxed);
}
counted::counted(counted&& other) noexcept : value(std::exchange(other.value, -1)) {
  alive.fetch_add(1, std::memory_order_relaxed);
}
counted::~counted() { alive.fetch_sub(1, std::memory_order_relaxed); }
int counted_alive() noexcept { return alive.load(std::memory_order_relaxed); }

int repetitions() noexcept {
  const char* const text = std::getenv("CORPUS_REPETITIONS");
  return text == nullptr ? 300 : std::atoi(text);
}

}  // namespace corpus
