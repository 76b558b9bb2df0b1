// The same in the serial elision: a call, and a call of the inlet.
#ifndef NOPAL_DETAIL_INLET_FORK_SERIAL_HPP
#define NOPAL_DETAIL_INLET_FORK_SERIAL_HPP

#include <type_traits>
#include <utility>

#include <nopal/detail/check.h>
#include <nopal/detail/inlets.hpp>
#include <nopal/detail/speculative_child.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// To the checker an inlet comes after all of the children and inlets that were before it: it sees what they did.
class one_inlet_at_a_time {
public:
  explicit one_inlet_at_a_time([[maybe_unused]] const inlets& of) noexcept : of_(&of) {
#ifdef NOPAL_CHECKED
    nopal_check_signaled(of_);
#endif
  }
  one_inlet_at_a_time(const one_inlet_at_a_time&) = delete;
  one_inlet_at_a_time& operator=(const one_inlet_at_a_time&) = delete;
  ~one_inlet_at_a_time() {
#ifdef NOPAL_CHECKED
    nopal_check_signal_too(of_);
#endif
  }

private:
  [[maybe_unused]] const inlets* of_;
};

template <class Inlet, class F, class... Args>
void fork_with_inlet(scope& from, [[maybe_unused]] inlets& of, const stop_part& part, Inlet&& inlet, F&& f,
                     Args&&... args) {
  using result = returned_by<F, Args...>;
  from.fork(
      [&part, &of](std::decay_t<Inlet>&& takes, std::decay_t<F>&& call, std::decay_t<Args>&&... with) {
        returned<result> value;
        const bool ran = run_speculatively(&part, [&] {
          value.make([&]() -> result {
            return NOPAL_ABI_NAMESPACE::detail::invoke(std::move(call), std::move(with)...);
          });
        });
        if (ran) {
          const one_inlet_at_a_time alone(of);
          value.give_to(takes);
        }
      },
      std::forward<Inlet>(inlet), std::forward<F>(f), std::forward<Args>(args)...);
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
