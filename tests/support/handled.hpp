// The number that is being handled.
#ifndef NOPAL_TESTS_SUPPORT_HANDLED_HPP
#define NOPAL_TESTS_SUPPORT_HANDLED_HPP

#include <exception>

namespace support {

/// The number of the exception being handled; 0 if there is none.
inline int handled() {
  const std::exception_ptr current = std::current_exception();
  if (current == nullptr) return 0;
  try {
    std::rethrow_exception(current);
  } catch (const int number) {
    return number;
  }
}

}  // namespace support

#endif
