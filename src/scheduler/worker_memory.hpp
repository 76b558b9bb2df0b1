// Memory of workers, which lie on one page as far as short loops need them.
#ifndef NOPAL_SCHEDULER_WORKER_MEMORY_HPP
#define NOPAL_SCHEDULER_WORKER_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <new>

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

// Aligned here: each time that the C library's aligned memory is taken and given back it leaves small pieces behind, which a
// plug-in that comes and goes would collect. The word before a worker is where its memory begins.
inline worker* new_worker() noexcept {
  constexpr std::size_t alignment = alignof(worker);
  void* const whole = ::operator new(sizeof(worker) + sizeof(void*) + alignment - 1, std::nothrow);
  if (whole == nullptr) {
    return nullptr;
  }
  const auto least = reinterpret_cast<std::uintptr_t>(whole) + sizeof(void*);
  void* const place = static_cast<char*>(whole) + sizeof(void*) + (alignment - least % alignment) % alignment;
  static_cast<void**>(place)[-1] = whole;
  return new (place) worker();
}

inline void delete_worker(worker* self) noexcept {
  void* const whole = reinterpret_cast<void**>(self)[-1];
  self->~worker();
  ::operator delete(whole);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
