// Locks by number: one that begins where another was is another one. What is held by two strands whose locks were in the
// same place one after the other, as variables of functions are, keeps no one out.
#ifndef NOPAL_CHECK_LOCK_NUMBERS_HPP
#define NOPAL_CHECK_LOCK_NUMBERS_HPP

#include <cstddef>
#include <cstdint>

#include "thread.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

/// Of atomic operations; those of locks are greater.
inline constexpr std::uint32_t number_of_atomics = 1;

void make_lock_numbers() noexcept;

std::uint32_t number_of_lock(address lock) noexcept;
/// Where the lock is; zero: it is no more.
address place_of_lock(std::uint32_t number) noexcept;

extern bool has_locks;  ///< there was one
void end_locks(address begin, address end) noexcept;

/// The memory begins anew: the locks that were there are no more.
inline void forget_locks(address begin, std::size_t bytes) noexcept {
  if (has_locks) end_locks(begin, begin + bytes);
}

std::uint32_t lock_numbers() noexcept;  ///< all are less
/// Numbers of locks that are no more are given again. `is_used` has a byte for each number; other than zero: it stays.
void reuse_lock_numbers(const unsigned char* is_used) noexcept;

}  // namespace nopal_check

#endif
