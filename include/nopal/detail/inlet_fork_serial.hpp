// The same in the serial elision: a call, and a call of the inlet.
#ifndef NOPAL_DETAIL_INLET_FORK_SERIAL_HPP
#define NOPAL_DETAIL_INLET_FORK_SERIAL_HPP

#include <type_traits>
#include <utility>

#include <nopal/detail/inlets.hpp>
#include <nopal/detail/speculative_child.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

template <class Inlet, class F, class... Args>
void fork_with_inlet(scope& from, inlets& /*of*/, const stop_part& part, Inlet&& inlet, F&& f,
                     Args&&... args) {
  using result = returned_by<F, Args...>;
  from.fork(
      [&part](std::decay_t<Inlet>&& takes, std::decay_t<F>&& call, std::decay_t<Args>&&... with) {
        returned<result> value;
        const bool ran = run_speculatively(&part, [&] {
          value.make([&]() -> result {
            return NOPAL_ABI_NAMESPACE::detail::invoke(std::move(call), std::move(with)...);
          });
        });
        if (ran) {
          value.give_to(takes);
        }
      },
      std::forward<Inlet>(inlet), std::forward<F>(f), std::forward<Args>(args)...);
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
