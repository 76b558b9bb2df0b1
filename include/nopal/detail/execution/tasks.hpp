// How what a sender begins comes to a worker: as a task that lies in its operation state.
#ifndef NOPAL_DETAIL_EXECUTION_TASKS_HPP
#define NOPAL_DETAIL_EXECUTION_TASKS_HPP

#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string>

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <nopal/arena.hpp>
#include <nopal/detail/mode.hpp>
#include <nopal/runtime.hpp>

#ifndef NOPAL_ELIDE
#include <nopal/detail/blocking.h>
#include <nopal/detail/task.h>
#endif

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace execution {
namespace detail {

#ifdef NOPAL_ELIDE

/// Where a scheduler's work begins: at once.
struct place {
  friend bool operator==(const place&, const place&) noexcept = default;
};
inline place place_of(const arena& /*of*/) noexcept { return {}; }

/// What begins there.
struct task {
  void (*run)(task*) noexcept;
};
inline void begin(task& one, place /*at*/) noexcept { one.run(&one); }

template <bool BySystem>
struct place_given_up {};

#else

/// What is counted of tasks outside of arenas. No wait of the runtime's is for them.
inline nopal_task_group unawaited{};

/// Where a scheduler's work begins.
struct place {
  nopal_task_group* group = &unawaited;
  nopal_arena* arena = nullptr;
  friend bool operator==(const place&, const place&) noexcept = default;
};
inline place place_of(const arena& of) noexcept {
  return {nopal::detail::arena_access::group(of), nopal::detail::arena_access::seats(of)};
}

/// Where the pool has one worker, that is the thread of the program, and what it does not wait for by the
/// library's means would never begin. So there is a thread that waits, as far as the pool knows, while
/// there is something to begin: another one has its place meanwhile. It lasts as long as the process.
class place_keeper {
public:
  /// After the push, by which the runtime runs: else there is no place to give. The task may have begun by
  /// then, so the count may be below zero for a moment.
  void announce(bool is_first_of_run) noexcept {
    const std::uint64_t before =
        words_.fetch_add(is_first_of_run ? one_time + 1 : 1, std::memory_order_relaxed);
    if (is_first_of_run || to_begin(before) == 0) words_.notify_one();
  }
  void note_begun() noexcept {
    if (to_begin(words_.fetch_sub(1, std::memory_order_relaxed)) == 1) {
      words_.fetch_add(one_time, std::memory_order_relaxed);
      words_.notify_one();
    }
  }

  /// The one of this process. A child of fork(2) has no thread of its parent's.
  static place_keeper& of_this_process();

private:
  explicit place_keeper(pid_t process) noexcept : process_(process) {}
  void begin_thread() noexcept;
  [[noreturn]] void keep();

  static constexpr std::uint64_t one_time = std::uint64_t{1} << 32U;
  static constexpr std::uint32_t none = std::uint32_t{1} << 31U;
  static int to_begin(std::uint64_t words) noexcept {
    return static_cast<int>(static_cast<std::uint32_t>(words) - none);
  }

  /// Low half: `none` and the operations that have not begun; high half: a number that changes whenever
  /// there are none, or the runtime starts. A place that was given before that is not given any more.
  /// Relaxed: the pool's own lists order what the operations do.
  std::atomic<std::uint64_t> words_{none};
  const pid_t process_;
};

/// What begins there. Its memory is its own until `begins` is called, which may free it.
struct task : nopal_task {
  explicit task(void (*function)(task*) noexcept) noexcept : nopal_task{}, begins(function) {}
  void call() noexcept {
    if (keeper != nullptr) keeper->note_begun();
    begins(this);
  }
  void (*begins)(task*) noexcept;
  place_keeper* keeper = nullptr;
};

/// An arena for threads of the program that wait: a wait in it gives a place to another thread.
inline nopal_arena* waiting_room() noexcept {
  static nopal_arena* const room = [] {
    nopal_arena* const made = nopal_arena_make();
    if (made != nullptr) {
      made->limit = 1U << 30U;
      made->worker_limit = 1U << 30U;
      made->rank = 1;
      made->keeps = 0;
      made->destroy = nopal_arena_give_back;
    }
    return made;
  }();
  return room;
}

inline void place_keeper::keep() {
  const auto wait_while = [this](auto holds) {
    std::uint64_t seen = words_.load(std::memory_order_relaxed);
    for (; holds(seen); seen = words_.load(std::memory_order_relaxed)) {
      words_.wait(seen, std::memory_order_relaxed);
    }
    return seen;
  };
  for (;;) {
    const std::uint64_t time = wait_while([](std::uint64_t seen) { return to_begin(seen) <= 0; }) / one_time;
    const nopal::detail::arena_call inside(waiting_room());
    const std::uint32_t begun = nopal_begin_blocking();
    wait_while([time](std::uint64_t seen) { return to_begin(seen) > 0 && seen / one_time == time; });
    if (begun != 0) nopal_end_blocking(begun);
  }
}

inline void place_keeper::begin_thread() noexcept {
  // Signals are for the program's own threads, as with those of the pool.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t id{};
  const int refused = pthread_create(
      &id, nullptr, [](void* keeper) -> void* { static_cast<place_keeper*>(keeper)->keep(); }, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (refused != 0) {
    nopal::detail::end_program(
        std::string("nopal: execution: the system refuses the thread that one worker needs: ") +
        std::strerror(refused));
  }
  pthread_detach(id);
}

// Without a lock: a child of fork(2) may be made while another thread is here.
inline place_keeper& place_keeper::of_this_process() {
  static std::atomic<place_keeper*> current{nullptr};
  const pid_t process = ::getpid();
  // Acquire pairs with the release of whoever made it.
  place_keeper* found = current.load(std::memory_order_acquire);
  if (found != nullptr && found->process_ == process) return *found;
  auto* const made = new (std::nothrow) place_keeper(process);
  if (made == nullptr) {
    nopal::detail::end_program("nopal: execution: there is no memory for a thread's first operation");
  }
  // Release pairs with the acquire above, and where it fails.
  if (!current.compare_exchange_strong(found, made, std::memory_order_acq_rel, std::memory_order_acquire)) {
    delete made;
    return *found;  // of another thread of this process
  }
  made->begin_thread();  // stays, as its thread does
  return *made;
}

/// Has the task begin on a worker. Takes no memory but for a thread's first task.
inline void begin(task& one, place at) noexcept {
  one.group = at.group;
  one.arena = at.arena;
  if (at.arena != nullptr) {
    one.run = [](nopal_task* begun) { static_cast<task*>(begun)->call(); };
  } else {
    one.run = [](nopal_task* begun) {
      nopal_call_unawaited([](void* argument) { static_cast<task*>(argument)->call(); },
                           static_cast<task*>(begun));
    };
  }
  place_keeper* const keeper = workers() == 1 ? &place_keeper::of_this_process() : nullptr;
  one.keeper = keeper;
  const bool is_first_of_run = keeper != nullptr && nopal_is_running() == 0;
  if (nopal_task_push(&one) != 0) {
    nopal::detail::end_program("nopal: execution: there is no memory for a thread's first operation");
  }
  if (keeper != nullptr) keeper->announce(is_first_of_run);  // the task may be gone
}

/// The time that a thread waits, of which one of the pool has the place. `BySystem`: by means of the
/// system, also within strands and bodies, as a call that blocks: what it waits for may be in the list of
/// its own worker. Else for an event, whose wait gives the place itself, except for a thread of the program
/// outside of all that it forked; so that it has one there, it enters an arena. Where there is but one
/// worker the place's keeper gives it.
template <bool BySystem>
class place_given_up {
public:
  place_given_up() {
    const bool is_outermost = nopal_is_outermost() != 0;
    if (is_outermost && workers() != 1) {
      if (nopal_arena* const room = waiting_room()) inside_.emplace(room);
    }
    // Within an arena there is a seat to give up on one worker as well. An event's wait gives it itself.
    if (BySystem) begun_ = nopal_begin_blocking();
  }
  place_given_up(const place_given_up&) = delete;
  place_given_up& operator=(const place_given_up&) = delete;
  ~place_given_up() {
    if (begun_ != 0) nopal_end_blocking(begun_);
  }

private:
  std::optional<nopal::detail::arena_call> inside_;
  std::uint32_t begun_ = 0;
};

#endif

}  // namespace detail
}  // namespace execution
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
