// Several copies of the library in one process: a program and a plug-in, each with an archive, or
// one of them with libnopal.so.
//
// The dynamic linker binds each name to the first object that exports it: the library's functions
// and variables, and the inline functions and template instances of its users. So either all of a
// copy is bound to itself, or all of it to another copy, which serves in its stead. A mixture would
// have one library's strands run by the other. A program exports the library as a whole: every file
// of the archive is part of each program that has one.

#include "scheduler/copies.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <nopal/detail/fibril_frame.h>
#include <nopal/detail/frame.h>
#include <nopal/detail/task.h>

#include "arch/arch.hpp"
#include "os/os.hpp"
#include "variant.hpp"

extern "C" {
// Not in every static program.
__attribute__((weak)) int dladdr(const void* address, Dl_info* info) noexcept;

// The inline function of <nopal/detail/copy.h>. Null where no C++ code with scopes or reducers is
// seen.
NOPAL_EXPORT __attribute__((weak)) std::ptrdiff_t nopal_place_in_inline_code();
NOPAL_EXPORT int nopal_workers();
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constexpr char own_build[] = NOPAL_BUILT;

using any_function = void (*)();

// One function of each file that nothing else in the library refers to.
[[gnu::used, gnu::retain]] const any_function whole[] = {
    reinterpret_cast<any_function>(&nopal_workers),
    reinterpret_cast<any_function>(&nopal_fibril_fork_void),
    reinterpret_cast<any_function>(&nopal_task_wait),
    reinterpret_cast<any_function>(&nopal_watched_pop),
};

// unreached below: copies
const char* file_of_this_copy() noexcept {
  Dl_info info;
  return dladdr != nullptr && dladdr(own_build, &info) != 0 ? info.dli_fname : "this program";
}

// unreached below: copies
[[noreturn]] void refuse_mixture() noexcept {
  os::write_stderr("nopal: %s shares inline functions or variables with another part of the program, but "
                   "not the whole library: link it with -Wl,-Bsymbolic, or all parts with libnopal.so\n",
                   file_of_this_copy());
  std::abort();
}

// unreached below: copies
[[noreturn]] void refuse_build(const char* other) noexcept {
  os::write_stderr("nopal: %s has version %s of the library, and another part of the program, whose names "
                   "stand before it, %s: link it with -Wl,-Bsymbolic, or all parts with one libnopal.so\n",
                   file_of_this_copy(), own_build, other);
  std::abort();
}

/// Runs before the constructors of the program or shared object, which may fork.
[[gnu::constructor(101)]] void check_binding() noexcept {
  const char* const build = arch::bound_build()();
  const bool elsewhere = is_stand_in();
  // unreached below: copies
  if ((build != own_build) != elsewhere ||
      (nopal_place_in_inline_code != nullptr && nopal_place_in_inline_code() != arch::offset_of_current())) {
    refuse_mixture();
  }
  // unreached below: copies
  if (std::strcmp(build, own_build) != 0) {
    refuse_build(build);
  }
}

}  // namespace

bool is_stand_in() noexcept { return arch::offset_of_current() != arch::offset_of_own_current(); }

/// Names this build. A copy of another version, or built with other options, cannot stand in for
/// it.
extern "C" NOPAL_EXPORT const char* nopal_build() { return own_build; }

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
