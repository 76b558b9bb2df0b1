// Valgrind: what on a new stack may be used.
//
// It is not told where stacks begin and end. Its request for that keeps one current stack for all
// threads, so with several threads it would take ordinary calls for changes of stacks. Valgrind
// takes any move of the stack pointer by more than some 2 MB for a change of stacks, so the stacks
// lie that far apart.
//
// Valgrind sees no function calls of ours but its client requests: instructions that do nothing
// elsewhere. They are spelled out here as Valgrind documents them, for every machine to build the
// same library, with its headers or without.

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
  // The rotations and the exchange have no effect together. "memory": Valgrind reads the arguments,
  // and every store to the memory that the request is about comes first.
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

// Where the stack pointer moves by little, Valgrind keeps the red zone below it in order; here it
// does not look.
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
