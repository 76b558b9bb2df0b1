// The headers of loaded objects; see the header.
#include "os/linux/loaded_objects.hpp"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <cstddef>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

namespace {

struct needs {
  bool executable_stacks = false;
  std::size_t thread_local_bytes = 0;  // with the most that alignment may take
};

int add_needs_of(dl_phdr_info* object, std::size_t, void* context) {
  auto& sum = *static_cast<needs*>(context);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    // An object without this header, such as the kernel's own, asks for no executable stack.
    if (header.p_type == PT_GNU_STACK && (header.p_flags & PF_X) != 0) sum.executable_stacks = true;
    if (header.p_type == PT_TLS) sum.thread_local_bytes += header.p_memsz + 2 * header.p_align;
  }
  return 0;
}

const needs& of_all_objects() noexcept {
  static const needs all = [] {
    needs sum;
    dl_iterate_phdr(add_needs_of, &sum);
    // The GNU C library's own figure: its structure for a thread, and what it reserves for
    // libraries loaded later. Looked up by name, since linking against it would bind to one version
    // of the library.
    const auto least = reinterpret_cast<std::size_t (*)(const pthread_attr_t*)>(
        dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
    pthread_attr_t attributes;
    if (least != nullptr && pthread_attr_init(&attributes) == 0) {
      sum.thread_local_bytes = std::max(sum.thread_local_bytes, least(&attributes));
      pthread_attr_destroy(&attributes);
    }
    return sum;
  }();
  return all;
}

/// Usually runs before there are threads: the search takes a lock of the loader's, which a child of
/// fork(2) may find held.
__attribute__((constructor)) void look_at_objects() { (void)of_all_objects(); }

}  // namespace

bool asks_for_executable_stacks() noexcept { return of_all_objects().executable_stacks; }

std::size_t bytes_taken_of_each_stack() noexcept { return of_all_objects().thread_local_bytes; }

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
