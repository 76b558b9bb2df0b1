// Of its own, so that no compiler sees into both operators at a call.
#include "allocations.hpp"

#include <cstdlib>
#include <new>

// Sanitizers have operators of their own: nothing is counted there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NOPAL_TEST_WATCHED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NOPAL_TEST_WATCHED
#endif
#endif

#ifndef NOPAL_TEST_WATCHED
void* operator new(std::size_t bytes) {
  if (counts_allocations.load(std::memory_order_relaxed)) ++allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
#endif
