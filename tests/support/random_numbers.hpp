// Numbers that follow from a seed, for tests of random programs.
#ifndef NOPAL_TESTS_SUPPORT_RANDOM_NUMBERS_HPP
#define NOPAL_TESTS_SUPPORT_RANDOM_NUMBERS_HPP

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace support {

using number = std::uint64_t;

/// Another number, which looks like any.
constexpr number mix(number x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// What the variable says, which repeats what a failure has printed, or the time.
inline std::string seed_in(const char* variable) {
  const char* const chosen = std::getenv(variable);
  return chosen != nullptr ? chosen
                           : std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
}
/// In a program that was given one.
inline number seed_given_in(const char* variable) {
  return std::strtoull(std::getenv(variable), nullptr, 10);
}

}  // namespace support

#endif
