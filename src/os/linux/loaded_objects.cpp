// The headers of loaded objects; see the header.
#include "os/linux/loaded_objects.hpp"

#include <link.h>

#include <cstddef>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace os {

namespace {

struct needs {
  bool executable_stacks = false;
};

int add_needs_of(dl_phdr_info* object, std::size_t, void* context) {
  auto& sum = *static_cast<needs*>(context);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    // Objects that do not say, as the kernel's own, do not ask.
    if (header.p_type == PT_GNU_STACK && (header.p_flags & PF_X) != 0) sum.executable_stacks = true;
  }
  return 0;
}

const needs& of_all_objects() noexcept {
  static const needs all = [] {
    needs sum;
    dl_iterate_phdr(add_needs_of, &sum);
    return sum;
  }();
  return all;
}

/// Before there are threads, as a rule: the search takes a lock of the loader's, which a child of fork(2) may find taken.
__attribute__((constructor)) void look_at_objects() { (void)of_all_objects(); }

}  // namespace

bool asks_for_executable_stacks() noexcept { return of_all_objects().executable_stacks; }

}  // namespace os
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
