// How long waits leave the tasks of others to them.
#ifndef NOPAL_SCHEDULER_WAIT_PATIENCE_HPP
#define NOPAL_SCHEDULER_WAIT_PATIENCE_HPP

#include <atomic>
#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

inline constexpr std::uint64_t patient_nap_ns = 10'000'000;

// Where a wait has gone on by tasks alone that are not its own, those within these and those that come after are likely to do so, too:
// as many waits of the process are not patient. Relaxed, without a partner: some waits more or less.
inline constexpr int hasty_waits_after_one = 64;
inline std::atomic<int> hasty_waits{0};

[[nodiscard]] inline bool waits_are_hasty() noexcept {
  return hasty_waits.load(std::memory_order_relaxed) > 0;
}
/// A wait has begun tasks of others; or was hasty, and had no need to.
inline void be_hasty() noexcept { hasty_waits.store(hasty_waits_after_one, std::memory_order_relaxed); }
inline void be_less_hasty() noexcept {
  const int left = hasty_waits.load(std::memory_order_relaxed);
  if (left > 0) {
    hasty_waits.store(left - 1, std::memory_order_relaxed);
  }
}

/// How long a wait is patient before others' tasks are begun for it: by its own thread where that keeps its place, else by a substitute.
class wait_patience {
public:
  wait_patience() = default;
  wait_patience(const wait_patience&) = delete;
  wait_patience& operator=(const wait_patience&) = delete;
  ~wait_patience() {
    if (was_hasty_ && !was_in_vain_) {
      be_less_hasty();
    }
  }

  /// Whether it is at its end for a wait that is to nap as long as this next.
  [[nodiscard]] bool ends_before_nap_of(std::uint64_t ns) noexcept {
    const bool is_hasty = waits_are_hasty();
    was_hasty_ = was_hasty_ || is_hasty;
    return is_hasty || ns > patient_nap_ns;
  }
  /// Tasks of others are begun for the wait.
  void was_in_vain() noexcept {
    was_in_vain_ = true;
    be_hasty();
  }

private:
  bool was_hasty_ = false;
  bool was_in_vain_ = false;
};

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
