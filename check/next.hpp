// What a function of the program's libraries is called by that has one of the checker's before it.
#ifndef NOPAL_CHECK_NEXT_HPP
#define NOPAL_CHECK_NEXT_HPP

#include <dlfcn.h>

namespace [[gnu::visibility("hidden")]] nopal_check {

template <class Function>
Function next_one(const char* name, Function) noexcept {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
#define NEXT(name)                                                                                           \
  ([] {                                                                                                      \
    static const auto found = ::nopal_check::next_one(#name, &name);                                         \
    return found;                                                                                            \
  }())

}  // namespace nopal_check

#endif
