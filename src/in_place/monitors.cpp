// Threads that wait for something that is said of an address: bounded queues and mutexes.

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

#include <nopal/waiting.hpp>

#include "in_place/both.hpp"

namespace tbb::detail::r1 {

/// Who waits asks again each time that somebody tells.
class concurrent_monitor {
public:
  /// Returns once `asks()` is true. What it reads is changed before `tell`.
  template <class Ask>
  void wait_until(const Ask& asks) {
    std::unique_lock<std::mutex> lock(mutex_);
    ++waiting_;
    const count_down at_end{waiting_};
    std::atomic_thread_fence(std::memory_order_seq_cst);  // with the one in tell
    while (!asks()) {
      changes_.wait(lock);
    }
  }
  void tell() noexcept {
    // With the one in wait_until: the one that waits is seen, or what was changed is.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (waiting_.load(std::memory_order_relaxed) != 0) {
      const std::lock_guard<std::mutex> lock(mutex_);
      changes_.notify_all();
    }
  }

private:
  struct count_down {
    std::atomic<int>& count;
    ~count_down() { --count; }
  };
  std::mutex mutex_;
  std::condition_variable changes_;
  std::atomic<int> waiting_{0};
};

namespace {

constexpr std::size_t monitors_of_queue = 2;

concurrent_monitor& monitor_of(const void* address) {
  static auto& all = *new std::array<concurrent_monitor, 64>;  // threads may wait there as the program ends
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  return all[(number >> 6U ^ number >> 12U) % all.size()];
}

/// The thread's place is another's meanwhile, as it may wait long.
template <class Ask>
void wait_for(concurrent_monitor& monitor, const Ask& asks) {
  nopal::blocking([&] { monitor.wait_until(asks); });
}

}  // namespace

std::uint8_t* allocate_bounded_queue_rep(std::size_t bytes) {
  auto* const memory = static_cast<std::uint8_t*>(
      cache_aligned_allocate(bytes + monitors_of_queue * sizeof(concurrent_monitor)));
  for (std::size_t i = 0; i != monitors_of_queue; ++i) {
    new (memory + bytes + i * sizeof(concurrent_monitor)) concurrent_monitor;
  }
  return memory;
}
void deallocate_bounded_queue_rep(std::uint8_t* memory, std::size_t bytes) {
  auto* const monitors = reinterpret_cast<concurrent_monitor*>(memory + bytes);
  for (std::size_t i = 0; i != monitors_of_queue; ++i) {
    monitors[i].~concurrent_monitor();
  }
  cache_aligned_deallocate(memory);
}
void abort_bounded_queue_monitors(concurrent_monitor* monitors) {
  for (std::size_t i = 0; i != monitors_of_queue; ++i) {
    monitors[i].tell();
  }
}
void notify_bounded_queue_monitor(concurrent_monitor* monitors, std::size_t which, std::size_t) {
  monitors[which].tell();
}
/// Waits while the predicate, which may throw, is true.
void wait_bounded_queue_monitor(concurrent_monitor* monitors, std::size_t which, std::ptrdiff_t,
                                d1::delegate_base& must_wait) {
  wait_for(monitors[which], [&must_wait] { return !must_wait(); });
}

void wait_on_address(void* address, d1::delegate_base& may_go_on, std::uintptr_t) {
  wait_for(monitor_of(address), [&may_go_on] { return may_go_on(); });
}
void notify_by_address(void* address, std::uintptr_t) { monitor_of(address).tell(); }
void notify_by_address_one(void* address) { monitor_of(address).tell(); }
void notify_by_address_all(void* address) { monitor_of(address).tell(); }

}  // namespace tbb::detail::r1
