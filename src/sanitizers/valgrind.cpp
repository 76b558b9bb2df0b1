// Valgrind: what on a new stack may be used.
//
// Where one stack ends and another begins it is not told: the request for that knows one current stack for all threads, so
// that where several change theirs, it takes calls for changes of stacks. It takes a move of the stack pointer by more
// than some 2 MB for one anyway, and so the stacks are made to lie that far apart.
//
// Valgrind sees no function calls of ours but its client requests: instructions that do nothing elsewhere. They are spelled out
// here as Valgrind documents them, for every machine to build the same library, with its headers or without.

#include <cstdint>

#include "sanitizers/tools.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace sanitizers {
namespace valgrind {

namespace {

constexpr std::uintptr_t red_zone_bytes = 128;

enum class client_request : std::uintptr_t {
  running_on_valgrind = 0x1001,
  make_memory_undefined = 0x4d430001,  // memcheck's; the other tools ignore it
};

std::uintptr_t ask(client_request request, std::uintptr_t first, std::uintptr_t second) noexcept {
#ifdef __x86_64__
  const volatile std::uintptr_t arguments[6] = {static_cast<std::uintptr_t>(request), first, second, 0, 0, 0};
  std::uintptr_t answer;
  // The rotations add up to nothing, and so does the exchange. "memory": the arguments are read, and what the request is
  // about has to be in place.
  asm volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
               "xchgq %%rbx, %%rbx"
               : "=d"(answer)
               : "a"(&arguments[0]), "0"(std::uintptr_t{0})
               : "cc", "memory");
  return answer;
#else
  static_cast<void>(request);
  static_cast<void>(first);
  static_cast<void>(second);
  return 0;
#endif
}

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

bool is_present() noexcept { return ask(client_request::running_on_valgrind, 0, 0) != 0; }

// Where the stack pointer moves by little, Valgrind keeps the red zone below it in order; here it does not look.
void make_usable(const void* stack_pointer, const void* known) noexcept {
  if (stack_pointer < known) {
    const std::uintptr_t low = address(stack_pointer) - red_zone_bytes;
    ask(client_request::make_memory_undefined, low, address(known) - low);
  }
}

}  // namespace valgrind
}  // namespace sanitizers
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
