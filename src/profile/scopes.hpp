// How hooks find a scope's record, and what they do to it.
#ifndef NOPAL_PROFILE_SCOPES_HPP
#define NOPAL_PROFILE_SCOPES_HPP

#include <cstddef>

#include "profile/counts.hpp"
#include "profile/machine.hpp"
#include "profile/pool.hpp"
#include "profile/profile.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

/// The place of the record's address: that of the floating-point mode, which is written as the
/// strand is suspended.
static_assert(offsetof(nopal_frame, float_control) % alignof(scope_record*) == 0);
static_assert(offsetof(nopal_frame, x87_control) == offsetof(nopal_frame, float_control) + 4);

inline std::uint64_t get_place(const nopal_frame* frame) noexcept {
  std::uint64_t word;
  __builtin_memcpy(&word, &frame->float_control, sizeof word);
  return word;
}
inline void set_place(nopal_frame* frame, std::uint64_t word) noexcept {
  __builtin_memcpy(&frame->float_control, &word, sizeof word);
}
/// Of a scope that counts steals, true or not.
inline scope_record* scope_of(const nopal_frame* frame) noexcept {
  return reinterpret_cast<scope_record*>(get_place(frame));
}
inline void set_scope(nopal_frame* frame, scope_record* scope) noexcept {
  set_place(frame, reinterpret_cast<std::uint64_t>(scope));
}

/// A record for a scope of the strand in `parent`.
scope_record* make_scope(fork_record* parent) noexcept;

class scope_lock {
public:
  explicit scope_lock(scope_record& scope) noexcept : scope_(scope) {
    while (scope.lock.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~scope_lock() { scope_.lock.clear(std::memory_order_release); }
  scope_lock(const scope_lock&) = delete;
  scope_lock& operator=(const scope_lock&) = delete;

private:
  scope_record& scope_;
};

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
