// What tests of exceptions out of latent children share: exceptions with numbers, and objects that are counted on their way.
#ifndef NOPAL_TESTS_RUNTIME_LATENT_EXCEPTIONS_HPP
#define NOPAL_TESTS_RUNTIME_LATENT_EXCEPTIONS_HPP

#include <atomic>
#include <exception>

#include "support/counted.hpp"
#include "support/latent.hpp"

namespace counted {

inline bool are_latent() { return support::latent_in(support::compiled_latent); }

inline std::atomic<int> made{0};

/// Counts as living while a scope's function has not unwound it.
class witness {
public:
  witness() {
    ++living;
    ++made;
  }
  witness(const witness&) = delete;
  witness& operator=(const witness&) = delete;
  ~witness() { --living; }
};

/// The number that `body` throws; 0 if nothing.
template <class Body>
int number_thrown_by(const Body& body) {
  try {
    body();
  } catch (const thrown& caught) {
    return caught.number();
  }
  return 0;
}

inline void check_all_destroyed() {
  NOPAL_CHECK(living == 0);
  NOPAL_CHECK(std::uncaught_exceptions() == 0);
  NOPAL_CHECK(std::current_exception() == nullptr);
}

inline int finish() {
  check_all_destroyed();
  support::check_quiet();
  return 0;
}

// Not known to the compiler, which would otherwise know that some functions never return.
inline volatile bool throwing = true;

[[gnu::noinline]] inline int throw_number(int number) {
  const witness local;
  if (throwing) throw thrown(number);
  return number;
}

}  // namespace counted

#endif
