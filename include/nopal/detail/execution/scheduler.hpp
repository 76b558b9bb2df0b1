// The scheduler, its senders, and the domain by which algorithms behind them become Nopal's.
#ifndef NOPAL_DETAIL_EXECUTION_SCHEDULER_HPP
#define NOPAL_DETAIL_EXECUTION_SCHEDULER_HPP

#include <type_traits>
#include <utility>

#include <nopal/arena.hpp>
#include <nopal/detail/execution/bulk.hpp>
#include <nopal/detail/execution/names.hpp>
#include <nopal/detail/execution/tasks.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace execution {

class scheduler;

/// What algorithms find in senders that complete on a Nopal scheduler: `bulk`, `bulk_chunked` and
/// `bulk_unchunked` become loops as `parallel_for`, and `sync_wait` gives the waiting thread's place
/// to another one.
struct domain : detail::senders::default_domain {
  /// A bulk as a loop.
  template <class Sender, class Env>
    requires detail::is_bulk<detail::senders::tag_of_t<Sender>>
  constexpr auto transform_sender(detail::senders::set_value_t /*completes*/, Sender&& sender,
                                  const Env& /*env*/) const {
    auto&& [tag, data, child] = std::forward<Sender>(sender);
    if constexpr (std::is_lvalue_reference_v<Sender>) {
      return detail::make_bulk(tag, data, child);
    } else {
      return detail::make_bulk(tag, std::move(data), std::move(child));
    }
  }

  /// `sync_wait`, whose thread's place another one has meanwhile.
  template <class Sender>
  auto apply_sender(detail::senders::sync_wait_t tag, Sender&& sender) const {
    [[maybe_unused]] const detail::place_given_up<true> while_it_waits;
    return detail::senders::default_domain().apply_sender(tag, std::forward<Sender>(sender));
  }
};

namespace detail {

/// What a sender of a scheduler says of its completions.
struct attributes {
  place at;
  [[nodiscard]] scheduler query(senders::get_completion_scheduler_t<senders::set_value_t> /*query*/,
                                const auto&... /*env*/) const noexcept;
  [[nodiscard]] domain query(senders::get_completion_domain_t<senders::set_value_t> /*query*/,
                             const auto&... /*env*/) const noexcept {
    return {};
  }
};

template <class Receiver>
class schedule_operation : task {
public:
  using operation_state_concept = senders::operation_state_tag;

  schedule_operation(place at, Receiver&& receiver)
      : task{[](task* begun) noexcept { static_cast<schedule_operation*>(begun)->complete(); }}, at_(at),
        receiver_(static_cast<Receiver&&>(receiver)) {}
  schedule_operation(const schedule_operation&) = delete;
  schedule_operation& operator=(const schedule_operation&) = delete;
  ~schedule_operation() = default;

  void start() & noexcept { begin(*this, at_); }

private:
  void complete() noexcept {
    if constexpr (!tokens::unstoppable_token<token_of<Receiver>>) {
      if (tokens::get_stop_token(senders::get_env(receiver_)).stop_requested()) {
        senders::set_stopped(static_cast<Receiver&&>(receiver_));
        return;
      }
    }
    senders::set_value(static_cast<Receiver&&>(receiver_));
  }

  place at_;
  Receiver receiver_;
};

}  // namespace detail

/// Begins work on workers of the pool. Made by `get_scheduler`.
class scheduler {
public:
  /// It is a scheduler.
  using scheduler_concept = detail::senders::scheduler_tag;

  /// What `schedule` returns: completes on a worker, or with `set_stopped` where the receiver's token
  /// is stopped when it would begin.
  class sender {
  public:
    /// It is a sender.
    using sender_concept = detail::senders::sender_tag;

    /// Whether it can be stopped depends on the receiver's environment.
    template <class Self, class Env>
    static consteval auto get_completion_signatures() noexcept {
      using namespace detail::senders;
      if constexpr (detail::tokens::unstoppable_token<detail::tokens::stop_token_of_t<Env>>) {
        return completion_signatures<set_value_t()>();
      } else {
        return completion_signatures<set_value_t(), set_stopped_t()>();
      }
    }

    /// The operation, in place; it allocates nothing.
    template <class Receiver>
    [[nodiscard]] detail::schedule_operation<Receiver> connect(Receiver receiver) const {
      return {at_, static_cast<Receiver&&>(receiver)};
    }
    /// Says on which scheduler it completes.
    [[nodiscard]] detail::attributes get_env() const noexcept { return {at_}; }

  private:
    friend scheduler;
    explicit sender(detail::place at) noexcept : at_(at) {}
    detail::place at_;
  };

  /// A sender that completes on a worker.
  [[nodiscard]] sender schedule() const noexcept { return sender(at_); }

  /// `parallel`; `weakly_parallel` with NOPAL_ELIDE, where work begins in the call that starts it.
  [[nodiscard]] auto query(detail::senders::get_forward_progress_guarantee_t /*query*/) const noexcept {
#ifdef NOPAL_ELIDE
    return detail::senders::forward_progress_guarantee::weakly_parallel;
#else
    return detail::senders::forward_progress_guarantee::parallel;
#endif
  }
  /// Its domain.
  [[nodiscard]] domain query(detail::senders::get_completion_domain_t<detail::senders::set_value_t> /*query*/,
                             const auto&... /*env*/) const noexcept {
    return {};
  }
  /// Itself.
  [[nodiscard]] scheduler
  query(detail::senders::get_completion_scheduler_t<detail::senders::set_value_t> /*query*/,
        const auto&... /*env*/) const noexcept {
    return *this;
  }

  /// Whether both begin work in the same arena, or both in none.
  friend bool operator==(const scheduler&, const scheduler&) noexcept = default;

private:
  friend scheduler get_scheduler() noexcept;
  friend scheduler get_scheduler(const arena& of) noexcept;
  friend detail::attributes;
  explicit scheduler(detail::place at) noexcept : at_(at) {}
  detail::place at_;
};

/// The scheduler of the pool.
[[nodiscard]] inline scheduler get_scheduler() noexcept { return scheduler(detail::place{}); }

/// The scheduler of an arena, which has to outlive all that begins there. `arena::wait` and the arena's
/// end wait for it as for what was enqueued.
[[nodiscard]] inline scheduler get_scheduler(const arena& of) noexcept {
  return scheduler(detail::place_of(of));
}

inline scheduler
detail::attributes::query(senders::get_completion_scheduler_t<senders::set_value_t> /*query*/,
                          const auto&... /*env*/) const noexcept {
  return scheduler(at);
}

}  // namespace execution
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
