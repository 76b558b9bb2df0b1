// Where a group is made.
#ifndef NOPAL_COMPAT_TBB_DETAIL_MADE_IN_H
#define NOPAL_COMPAT_TBB_DETAIL_MADE_IN_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string_view>

#include "config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// Whether the function of that name, as compilers print it, may be a constructor.
constexpr bool may_be_constructor(std::string_view function) {
  const std::size_t parenthesis = function.find('(');
  if (parenthesis == std::string_view::npos) {
    return true;
  }
  function = function.substr(0, parenthesis);
  const std::size_t name_at = function.rfind("::");
  if (name_at == std::string_view::npos) {
    return false;
  }
  const std::string_view name = function.substr(name_at + 2);
  std::string_view qualifier = function.substr(0, name_at);
  // Arguments of the class are no part of the constructor's name.
  if (qualifier.ends_with('>')) {
    std::size_t depth = 0;
    do {
      depth += qualifier.back() == '>' ? 1U : 0U;
      depth -= qualifier.back() == '<' ? 1U : 0U;
      qualifier.remove_suffix(1);
    } while (depth != 0 && !qualifier.empty());
  }
  return name.starts_with('~') || qualifier.ends_with(name);
}

/// Answers for functions that asked before, by the address of their name: GCC 12 does not find the
/// function of a default argument at compile time.
class known_functions {
public:
  [[gnu::always_inline]] static bool may_be_constructor_at(const std::source_location& where) {
    const char* const name = where.function_name();
    const auto address = reinterpret_cast<std::uintptr_t>(name);
    const std::uintptr_t answer = answers[address / 16 % answers.size()].load(std::memory_order_relaxed);
    return answer / 2 == address ? answer % 2 != 0 : look_up(name);
  }

private:
  [[gnu::noinline, gnu::cold]] static bool look_up(const char* name) {
    const bool answer = may_be_constructor(name);
    const auto address = reinterpret_cast<std::uintptr_t>(name);
    answers[address / 16 % answers.size()].store(address * 2 + (answer ? 1U : 0U), std::memory_order_relaxed);
    return answer;
  }

  // An address has a bit to spare. Each answer is one word, which is right or somebody else's:
  // relaxed, it orders nothing.
  static inline constinit std::array<std::atomic<std::uintptr_t>, 128> answers{};
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
