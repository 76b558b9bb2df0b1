// The library's scopes in virtual time: what the searches use of <nopal/scope.hpp> and <nopal/speculate.hpp>.
#ifndef NOPAL_BENCH_SEARCHES_VIRTUAL_SCOPES_HPP
#define NOPAL_BENCH_SEARCHES_VIRTUAL_SCOPES_HPP

#include <functional>
#include <type_traits>
#include <utility>

#include "machine.hpp"

namespace virtual_time {

/// As of the strand's moment.
[[nodiscard]] inline bool stop_requested() { return machine::current().is_stopped(); }

class scope {
public:
  scope() = default;
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope() { join(); }

  template <class F, class... Args>
  void fork(F&& f, Args&&... args) {
    machine::current().fork(number_, [call = std::decay_t<F>(std::forward<F>(f)),
                                      ... with = std::decay_t<Args>(std::forward<Args>(args))]() mutable {
      static_cast<void>(std::invoke(std::move(call), std::move(with)...));
    });
  }
  template <class Out, class F, class... Args>
  void fork_into(Out& out, F&& f, Args&&... args) {
    fork(
        [&out, call = std::decay_t<F>(std::forward<F>(f))](auto&&... with) mutable {
          out = std::invoke(std::move(call), std::forward<decltype(with)>(with)...);
        },
        std::forward<Args>(args)...);
  }
  void join() { machine::current().join(number_); }

private:
  std::uint32_t number_ = none;
};

/// Inlets take no time, so that there are never two at once.
class cancel_scope {
public:
  cancel_scope() { machine::current().enter_part(part_); }
  cancel_scope(const cancel_scope&) = delete;
  cancel_scope& operator=(const cancel_scope&) = delete;
  ~cancel_scope() {
    join();
    machine::current().leave_part(part_);
  }

  template <class F, class... Args>
  void fork(F&& f, Args&&... args) {
    scope_.fork(std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class Out, class F, class... Args>
  void fork_into(Out& out, F&& f, Args&&... args) {
    scope_.fork_into(out, std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class Inlet, class F, class... Args>
  void fork_inlet(Inlet&& inlet, F&& f, Args&&... args) {
    scope_.fork(
        [takes = std::decay_t<Inlet>(std::forward<Inlet>(inlet)),
         call = std::decay_t<F>(std::forward<F>(f))](auto&&... with) mutable {
          auto result = std::invoke(std::move(call), std::forward<decltype(with)>(with)...);
          machine::current().pass_time();
          static_cast<void>(std::invoke(takes, std::move(result)));
        },
        std::forward<Args>(args)...);
  }
  void join() { scope_.join(); }

  bool request_stop() { return machine::current().stop(part_); }
  [[nodiscard]] bool stop_requested() const {
    machine::current().pass_time();
    return part_.is_stopped();
  }

private:
  stop_part part_;
  scope scope_;
};

}  // namespace virtual_time

#endif
