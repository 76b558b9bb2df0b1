// The fault points of a library (src/testing/fault_points.hpp) that has the fault which NOPAL_CHOSEN_FAULT names.
#ifndef NOPAL_TESTS_PROGRAMS_CHOSEN_FAULT_HPP
#define NOPAL_TESTS_PROGRAMS_CHOSEN_FAULT_HPP

#include <cstdlib>
#include <string_view>

namespace chosen_fault {

inline bool is(std::string_view name) {
  static const char* const chosen = std::getenv("NOPAL_CHOSEN_FAULT");
  return chosen != nullptr && name == chosen;
}

}  // namespace chosen_fault

#define NOPAL_FAULT(name) (chosen_fault::is(name))
#define NOPAL_FAULT_OMITS(name, ...)                                                                         \
  if (!chosen_fault::is(name)) __VA_ARGS__

#endif
