// Where std::execution comes from: the standard library that has it, or else the reference implementation
// (stdexec), whose headers the program has on its include path.
#ifndef NOPAL_DETAIL_EXECUTION_NAMES_HPP
#define NOPAL_DETAIL_EXECUTION_NAMES_HPP

#include <nopal/detail/language.h>

#include <version>

#if defined(__cpp_lib_senders) && !defined(STDEXEC_NAMESPACE)
#include <execution>
#elif __has_include(<stdexec/execution.hpp>)
#include <stdexec/execution.hpp>
#else
// clang-format off
#error "nopal: execution: std::execution is missing: put stdexec's headers on the include path, or use a standard library that has it"
#include <nopal/the_error_before_this_one_says_what_is_accepted>
// clang-format on
#endif

#include <type_traits>

#include <nopal/detail/mode.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace execution {
namespace detail {

#ifdef STDEXEC
namespace senders = STDEXEC;
namespace tokens = STDEXEC;
#else
namespace senders = ::std::execution;
namespace tokens = ::std;
#endif

template <class Receiver>
using token_of = tokens::stop_token_of_t<senders::env_of_t<Receiver>>;

template <class Tag>
inline constexpr bool is_bulk =
    std::is_same_v<Tag, senders::bulk_chunked_t> || std::is_same_v<Tag, senders::bulk_unchunked_t>;

/// The policy that a bulk was given.
template <class Policy>
constexpr bool is_parallel() {
  using policy = std::remove_cvref_t<Policy>;
  return std::is_same_v<policy, std::remove_cvref_t<decltype(senders::par)>> ||
         std::is_same_v<policy, std::remove_cvref_t<decltype(senders::par_unseq)>>;
}

}  // namespace detail
}  // namespace execution
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
