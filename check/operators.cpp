// operator new and delete, so that reports name the program's line and not the C++ library's. A
// program that has its own keeps these.
#include <cstddef>
#include <new>

#include "allocation.hpp"

using namespace nopal_check;

#define HERE __builtin_return_address(0)

namespace {

void* make(std::size_t bytes, std::size_t alignment, void* returned_to) {
  for (;;) {
    if (void* const memory = take_memory(bytes != 0 ? bytes : 1, alignment)) {
      return allocated(memory, bytes, returned_to);
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void* try_to_make(std::size_t bytes, std::size_t alignment, void* returned_to) noexcept {
  try {
    return make(bytes, alignment, returned_to);
  } catch (...) {
    return nullptr;
  }
}

void end(void* memory, void* returned_to) noexcept {
  will_be_freed(memory, returned_to);
  give_memory(memory);
}

std::size_t number(std::align_val_t alignment) noexcept { return static_cast<std::size_t>(alignment); }

}  // namespace

[[gnu::weak]] void* operator new(std::size_t n) { return make(n, 1, HERE); }
[[gnu::weak]] void* operator new[](std::size_t n) { return make(n, 1, HERE); }
[[gnu::weak]] void* operator new(std::size_t n, std::align_val_t a) { return make(n, number(a), HERE); }
[[gnu::weak]] void* operator new[](std::size_t n, std::align_val_t a) { return make(n, number(a), HERE); }
[[gnu::weak]] void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return try_to_make(n, 1, HERE);
}
[[gnu::weak]] void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
  return try_to_make(n, 1, HERE);
}
[[gnu::weak]] void operator delete(void* p) noexcept { end(p, HERE); }
[[gnu::weak]] void operator delete[](void* p) noexcept { end(p, HERE); }
[[gnu::weak]] void operator delete(void* p, std::size_t) noexcept { end(p, HERE); }
[[gnu::weak]] void operator delete[](void* p, std::size_t) noexcept { end(p, HERE); }
[[gnu::weak]] void operator delete(void* p, std::align_val_t) noexcept { end(p, HERE); }
[[gnu::weak]] void operator delete[](void* p, std::align_val_t) noexcept { end(p, HERE); }
[[gnu::weak]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { end(p, HERE); }
[[gnu::weak]] void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { end(p, HERE); }
