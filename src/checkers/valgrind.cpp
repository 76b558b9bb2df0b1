// Valgrind: which memory is a stack, and what on a stack may be used.
//
// Valgrind sees no function calls of ours but its client requests: instructions that do nothing elsewhere. They are spelled out
// here as Valgrind documents them, for every machine to build the same library, with its headers or without.

#include <pthread.h>

#include <cstdint>

#include "checkers/tools.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace checkers {
namespace valgrind {

namespace {

enum class client_request : std::uintptr_t {
  running_on_valgrind = 0x1001,
  stack_register = 0x1501,
  stack_deregister = 0x1502,
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

void register_stack(stack_record& stack) noexcept {
  if (stack.valgrind_id == 0) {
    const std::uintptr_t id =
        ask(client_request::stack_register, address(stack.low), address(stack.low + stack.bytes - 1));
    stack.valgrind_id = static_cast<unsigned>(id) + 1;
  }
}

void deregister_stack(stack_record& stack) noexcept {
  if (stack.valgrind_id != 0) {
    ask(client_request::stack_deregister, stack.valgrind_id - 1, 0);
    stack.valgrind_id = 0;
  }
}

void find_thread_stack(stack_record& stack) noexcept {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* low = nullptr;
    std::size_t bytes = 0;
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
      stack.low = static_cast<const char*>(low);
      stack.bytes = bytes;
    }
    pthread_attr_destroy(&attributes);
  }
}

void make_usable(const void* low, const void* high) noexcept {
  ask(client_request::make_memory_undefined, address(low), address(high) - address(low));
}

}  // namespace valgrind
}  // namespace checkers
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
