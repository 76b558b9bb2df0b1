// Included before the first line of the library's own sources: what they take for atomic operations are steps of the
// explorer. The sources themselves stay as they are shipped.
#ifndef NOPAL_TESTS_EXPLORE_REDIRECT_HPP
#define NOPAL_TESTS_EXPLORE_REDIRECT_HPP

// Whatever else the sources include must not see the macros below.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
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

#include "models/explorer.hpp"

// What sources ask of src/testing/fault_points.hpp.
#define NOPAL_FAULT_POINTS "models/fault_points.hpp"

#define NOPAL_LESS_THAN(index, where) ((index) < ::explore::load(where, __ATOMIC_RELAXED))
#define __atomic_load_n(where, order) ::explore::load(where, order)
#define __atomic_store_n(where, value, order) ::explore::store(where, value, order)
#define __atomic_exchange_n(where, value, order) ::explore::exchange(where, value, order)
#define __atomic_add_fetch(where, amount, order) (::explore::fetch_add(where, amount, order) + (amount))
#define __atomic_fetch_add(where, amount, order) ::explore::fetch_add(where, amount, order)
#define __atomic_fetch_sub(where, amount, order) ::explore::fetch_sub(where, amount, order)
#define __atomic_compare_exchange_n(where, expected, desired, weak, order, failed)                           \
  ::explore::compare_exchange(where, expected, desired, order)
#define __atomic_thread_fence(order) ::explore::fence(order)

// In place of what the sources take from namespace std: atomics, which the compiler would make machine instructions of,
// and the slots of a deque, at the same addresses in each execution and copied by somebody in particular.
namespace std {
template <class T>
using explored_atomic = ::explore::atomic<T>;
inline void* explored_alloc(size_t alignment, size_t bytes) { return ::explore::allocate(alignment, bytes); }
inline void* explored_malloc(size_t bytes) { return ::explore::allocate(alignof(max_align_t), bytes); }
inline void* explored_calloc(size_t count, size_t bytes) {
  return memset(explored_malloc(count * bytes), 0, count * bytes);
}
inline void explored_free(void* address) { ::explore::free_memory(address); }
using explored_atomic_flag = ::explore::atomic_flag;
inline void* explored_copy(void* to, const void* from, size_t bytes) {
  return ::explore::copy(to, from, bytes);
}
}  // namespace std
#define atomic explored_atomic
#define aligned_alloc explored_alloc
#define memcpy explored_copy
#define atomic_flag explored_atomic_flag
#define malloc(bytes) explored_malloc(bytes)
#define calloc(count, bytes) explored_calloc(count, bytes)
#define free(address) explored_free(address)

// While a lock is held by somebody else.
#define sched_yield() ::explore::yield()

// Of the thread library, what the sources use. A model says what a thread's end means.
extern "C" {
int explored_key_create(pthread_key_t* key, void (*at_end)(void*)) noexcept;
int explored_key_delete(pthread_key_t key) noexcept;
int explored_setspecific(pthread_key_t key, const void* value) noexcept;
}
#define pthread_mutex_lock(mutex) (::explore::broken("no lock") ? void() : ::explore::lock(mutex))
#define pthread_mutex_unlock(mutex) ::explore::unlock(mutex)
#define pthread_key_create explored_key_create
#define pthread_key_delete explored_key_delete
#define pthread_setspecific explored_setspecific

// Replaces src/arch/<isa>/word128.hpp.
#define NOPAL_ARCH_X86_64_WORD128_HPP
#ifdef NOPAL_EXPLORE_HALVES
// By that of a processor without such an exchange, as it is shipped.
#include "../../src/arch/riscv64/word128.hpp"
#else
namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {
constexpr bool wait_if_changing(std::uint64_t) noexcept { return false; }
constexpr void end_change(void*) noexcept {}
inline bool compare_exchange_16(void* where, std::uint64_t (&expected)[2], std::uint64_t low,
                                std::uint64_t high) {
  return ::explore::compare_exchange_16(where, expected, low, high);
}
}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
#endif

#endif
