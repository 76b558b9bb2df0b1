// What tests of latent forks are made of, beside thieves that are busy until a moment that the test chooses.
#ifndef NOPAL_TESTS_SUPPORT_LATENT_HPP
#define NOPAL_TESTS_SUPPORT_LATENT_HPP

#include <nopal/nopal.hpp>

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "support/busy_thieves.hpp"
#include "support/strands.hpp"

namespace support {

/// Whether forks of the file that includes this are latent: the compiler can do it, the C library finds tables without a
/// lock, and the environment does not ask for eager ones.
inline bool latent_in(bool compiled_so) {
  const char* const chosen = std::getenv("NOPAL_FORKS");
  return compiled_so && dlsym(RTLD_DEFAULT, "_dl_find_object") != nullptr &&
         (chosen == nullptr || std::strcmp(chosen, "eager") != 0);
}
#if NOPAL_HAS_LATENT_FORKS
inline constexpr bool compiled_latent = true;
#else
inline constexpr bool compiled_latent = false;
#endif

inline std::uint64_t promotions() { return nopal::stats().total.promotions; }
inline std::uint64_t signals_sent() { return nopal::stats().total.signals_sent; }

}  // namespace support

#endif
