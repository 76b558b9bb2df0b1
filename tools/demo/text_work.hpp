// The work of the demo: sorting lines and counting words, one source compiled as the parallel program,
// as its serial elision, and as the elision that counts how deeply forks nest (bench/variants.cmake).
#ifndef NOPAL_TOOLS_DEMO_TEXT_WORK_HPP
#define NOPAL_TOOLS_DEMO_TEXT_WORK_HPP

#include <cstdint>
#include <span>
#include <string_view>

namespace demo {

using line = std::string_view;

struct word_tally {
  std::uint64_t words = 0;
  std::uint64_t distinct_words = 0;
  std::uint64_t checksum = 0;  ///< of the distinct words, whatever their order

  bool operator==(const word_tally&) const = default;
};

#define NOPAL_DECLARE_TEXT_WORK(variant)                                                                     \
  namespace variant {                                                                                        \
  /* Sorts `lines`; `scratch` is as long and is overwritten. */                                              \
  void sort_lines(std::span<line> lines, std::span<line> scratch);                                           \
  word_tally count_words(std::span<const line> lines);                                                       \
  }
NOPAL_DECLARE_TEXT_WORK(parallel)
NOPAL_DECLARE_TEXT_WORK(elided)
NOPAL_DECLARE_TEXT_WORK(depth)
#undef NOPAL_DECLARE_TEXT_WORK

}  // namespace demo

#endif
