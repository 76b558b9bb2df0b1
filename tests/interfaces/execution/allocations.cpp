// Of its own, so that no compiler sees into both operators at a call.
#include "allocations.hpp"

#include <cstdlib>
#include <new>

void* operator new(std::size_t bytes) {
  if (counts_allocations.load(std::memory_order_relaxed)) ++allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
