// Included before the first line of the library's own sources: what they take for atomic operations are steps of the
// explorer. The sources themselves stay as they are shipped.
#ifndef NOPAL_TESTS_EXPLORE_REDIRECT_HPP
#define NOPAL_TESTS_EXPLORE_REDIRECT_HPP

// Whatever else the sources include must not see the macros below.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nopal/version.hpp>

#include "explore/explorer.hpp"

#define NOPAL_LESS_THAN(index, where) ((index) < ::explore::load(where, __ATOMIC_RELAXED))
#define __atomic_load_n(where, order) ::explore::load(where, order)
#define __atomic_store_n(where, value, order) ::explore::store(where, value, order)
#define __atomic_exchange_n(where, value, order) ::explore::exchange(where, value, order)
#define __atomic_add_fetch(where, amount, order) (::explore::fetch_add(where, amount, order) + (amount))
#define __atomic_thread_fence(order) ::explore::fence(order)

// In place of what the sources take from namespace std: atomics, which the compiler would make machine instructions of,
// and the slots of a deque, at the same addresses in each execution and copied by somebody in particular.
namespace std {
template <class T>
using explored_atomic = ::explore::atomic<T>;
inline void* explored_alloc(size_t alignment, size_t bytes) { return ::explore::allocate(alignment, bytes); }
inline void* explored_copy(void* to, const void* from, size_t bytes) {
  return ::explore::copy(to, from, bytes);
}
}  // namespace std
#define atomic explored_atomic
#define aligned_alloc explored_alloc
#define memcpy explored_copy

// Replaces src/arch/<isa>/word128.hpp.
#define NOPAL_ARCH_X86_64_WORD128_HPP
namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace arch {
inline bool compare_exchange_16(void* where, std::uint64_t (&expected)[2], std::uint64_t low,
                                std::uint64_t high) {
  return ::explore::compare_exchange_16(where, expected, low, high);
}
}  // namespace arch
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
