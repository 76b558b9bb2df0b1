// What the standard's replaceable parallel scheduler asks of who replaces it, by Nopal.
#ifndef NOPAL_DETAIL_EXECUTION_BACKEND_HPP
#define NOPAL_DETAIL_EXECUTION_BACKEND_HPP

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include <nopal/detail/execution/bulk.hpp>
#include <nopal/detail/execution/names.hpp>
#include <nopal/detail/execution/tasks.hpp>
#include <nopal/parallel.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace execution {
namespace detail {

namespace replacement = senders::parallel_scheduler_replacement;

/// The scheduler of the pool behind the standard's interface. Work begins as a task, in the memory that
/// comes with it where that is large enough, else in some that is kept for the next. A bulk that follows
/// on a worker needs none.
class pool_backend final : public replacement::parallel_scheduler_backend {
public:
  pool_backend() = default;
  pool_backend(const pool_backend&) = delete;
  pool_backend& operator=(const pool_backend&) = delete;
  ~pool_backend() override {
    while (kept_ != nullptr) delete std::exchange(kept_, kept_->next);
  }

  void schedule(replacement::receiver_proxy& receiver, std::span<std::byte> memory) noexcept override {
    begin_as_task<&pool_backend::complete>(receiver, 0, memory);
  }
  void schedule_bulk_chunked(std::size_t count, replacement::bulk_item_receiver_proxy& receiver,
                             std::span<std::byte> memory) noexcept override {
    is_worker() ? run_chunks(receiver, count)
                : begin_as_task<&pool_backend::run_chunks>(receiver, count, memory);
  }
  void schedule_bulk_unchunked(std::size_t count, replacement::bulk_item_receiver_proxy& receiver,
                               std::span<std::byte> memory) noexcept override {
    is_worker() ? run_each(receiver, count) : begin_as_task<&pool_backend::run_each>(receiver, count, memory);
  }

private:
  struct operation : task {
    explicit operation(void (*function)(task*) noexcept) noexcept : task{function} {}
    pool_backend* backend = nullptr;
    replacement::receiver_proxy* receiver = nullptr;
    std::size_t count = 0;
    operation* next = nullptr;
    bool is_given = false;  // its memory is whoever started it
  };

  static bool is_worker() noexcept {
#ifdef NOPAL_ELIDE
    return true;
#else
    return nopal_is_in_task_of(&unawaited) != 0;
#endif
  }

  static bool is_stopped(const replacement::receiver_proxy& receiver) noexcept {
    const auto token = receiver.try_query<tokens::inplace_stop_token>(tokens::get_stop_token);
    return token.has_value() && token->stop_requested();
  }

  static void complete(replacement::receiver_proxy& receiver, std::size_t /*count*/) noexcept {
    is_stopped(receiver) ? receiver.set_stopped() : receiver.set_value();
  }

  template <class Loop>
  static void run(replacement::receiver_proxy& receiver, const Loop& loop) noexcept {
    const auto token = receiver.try_query<tokens::inplace_stop_token>(tokens::get_stop_token);
    is_stopped_during(token.value_or(tokens::inplace_stop_token()), loop) ? receiver.set_stopped()
                                                                          : receiver.set_value();
  }
  static void run_chunks(replacement::receiver_proxy& receiver, std::size_t count) noexcept {
    auto& items = static_cast<replacement::bulk_item_receiver_proxy&>(receiver);
    run(receiver, [&items, count] {
      nopal::parallel_for(std::size_t{0}, count, [&items](const std::size_t& from, const std::size_t& to) {
        items.execute(from, to);
      });
    });
  }
  static void run_each(replacement::receiver_proxy& receiver, std::size_t count) noexcept {
    auto& items = static_cast<replacement::bulk_item_receiver_proxy&>(receiver);
    run(receiver, [&items, count] {
      nopal::parallel_for(std::size_t{0}, count, std::size_t{1},
                          [&items](const std::size_t& i) { items.execute(i, i + 1); });
    });
  }

  template <void (*Function)(replacement::receiver_proxy&, std::size_t) noexcept>
  void begin_as_task(replacement::receiver_proxy& receiver, std::size_t count,
                     std::span<std::byte> memory) noexcept {
    operation* const one = make(memory, [](task* begun) noexcept {
      auto& self = *static_cast<operation*>(begun);
      replacement::receiver_proxy& whose = *self.receiver;
      const std::size_t number = self.count;
      self.backend->forget(&self);
      Function(whose, number);
    });
    if (one == nullptr) {
#ifdef __cpp_exceptions
      receiver.set_error(std::make_exception_ptr(std::bad_alloc()));
#else
      __builtin_trap();
#endif
      return;
    }
    one->receiver = &receiver;
    one->count = count;
    detail::begin(*one, place{});
  }

  operation* make(std::span<std::byte> memory, void (*function)(task*) noexcept) noexcept {
    void* at = memory.data();
    std::size_t room = memory.size();
    operation* made = nullptr;
    if (std::align(alignof(operation), sizeof(operation), at, room) != nullptr) {
      made = new (at) operation(function);
      made->is_given = true;
    } else {
      {
        const std::lock_guard<std::mutex> guard(lock_);
        if (kept_ != nullptr) made = std::exchange(kept_, kept_->next);
      }
      if (made != nullptr) {
        made = new (made) operation(function);
      } else {
        made = new (std::nothrow) operation(function);
      }
    }
    if (made != nullptr) made->backend = this;
    return made;
  }

  void forget(operation* one) noexcept {
    if (one->is_given) return;
    const std::lock_guard<std::mutex> guard(lock_);
    one->next = std::exchange(kept_, one);
  }

  std::mutex lock_;
  operation* kept_ = nullptr;
};

}  // namespace detail

/// The backend by which `get_parallel_scheduler()` begins work on the pool's workers. A program has it used
/// by defining `query_parallel_scheduler_backend` in the namespace `parallel_scheduler_replacement`, with a
/// body that returns this.
[[nodiscard]] inline std::shared_ptr<detail::replacement::parallel_scheduler_backend>
parallel_scheduler_backend() {
  // Stays: as the process ends, work may be about.
  static const auto& one = *new std::shared_ptr(std::make_shared<detail::pool_backend>());
  return one;
}

}  // namespace execution
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
