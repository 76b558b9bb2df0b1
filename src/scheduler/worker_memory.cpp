// Aligned here: each time that the C library's aligned memory is taken and given back it leaves small pieces behind, which a
// plug-in that comes and goes would collect. The word before a worker is where its memory begins.

#include "scheduler/worker_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <new>

#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

void* take_worker_memory() noexcept {
  constexpr std::size_t alignment = alignof(worker);
  void* const whole = ::operator new(sizeof(worker) + sizeof(void*) + alignment - 1, std::nothrow);
  if (whole == nullptr) {
    return nullptr;
  }
  const auto least = reinterpret_cast<std::uintptr_t>(whole) + sizeof(void*);
  void* const place = static_cast<char*>(whole) + sizeof(void*) + (alignment - least % alignment) % alignment;
  static_cast<void**>(place)[-1] = whole;
  return place;
}

void give_worker_memory(void* memory) noexcept { ::operator delete(static_cast<void**>(memory)[-1]); }

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
