// Arenas: how many threads run some code, whatever it forks.
#ifndef NOPAL_ARENA_HPP
#define NOPAL_ARENA_HPP

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <nopal/detail/first_exception.hpp>
#include <nopal/detail/mode.hpp>
#include <nopal/detail/refused.hpp>
#include <nopal/detail/thrown.hpp>
#include <nopal/nodes.hpp>
#include <nopal/runtime.hpp>

#ifdef NOPAL_CHECKED
#include <nopal/scope.hpp>
#endif
#ifndef NOPAL_ELIDE
#include <nopal/detail/pinned.h>
#include <nopal/detail/task.h>
#endif

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {

/// Which arenas idle workers look at first.
enum class priority : int { low = 1, normal = 2, high = 3 };

/// What an arena may be asked for by name.
struct arena_constraints {
  int node = -1;  ///< of memory_nodes(), on whose CPUs its threads run; negative: on all
  int limit = 0;  ///< 0: as many as `workers()` and, with a node, as that has CPUs
  priority importance = priority::normal;  ///< which arenas idle workers look at first
  int reserved = 0;                        ///< of these, for threads that call `execute` or `wait`
};

namespace detail {

[[noreturn, gnu::noinline, gnu::cold]] inline void end_program(const std::string& text) noexcept {
  static_cast<void>(std::fputs((text + "\n").c_str(), stderr));
  std::abort();
}

[[noreturn, gnu::noinline, gnu::cold]] inline void refuse_arena(const std::string& text) {
#ifdef __cpp_exceptions
  throw error(text);
#else
  end_program(text);
#endif
}

/// What is checked of an arena's arguments in each mode.
inline void check_arena(int limit, int reserved) {
  if (limit < 0 || reserved < 0) {
    refuse_arena("nopal: arena: a limit of " + std::to_string(limit) + " threads, " +
                 std::to_string(reserved) + " of them reserved: neither may be negative");
  }
}

#ifndef NOPAL_ELIDE
/// The limit of an arena that is given none.
inline int limit_at(int node) {
  const int all = workers();
  if (node < 0) {
    return all;
  }
  const int there = cpus_of_node(node);
  if (there == 0) {
    refuse_arena(text_of_no_node(node));
  }
  return there < all ? there : all;
}

/// The time of a call in an arena.
class arena_call {
public:
  explicit arena_call(nopal_arena* arena) {
    if (nopal_begin_in_arena(&call_, arena) != 0) {
#ifdef __cpp_exceptions
      throw std::bad_alloc();
#else
      __builtin_trap();
#endif
    }
  }
  arena_call(const arena_call&) = delete;
  arena_call& operator=(const arena_call&) = delete;
  ~arena_call() { nopal_end_pinned(&call_); }

private:
  nopal_pinned call_;
};

/// What others that put tasks into arenas need of one.
struct arena_access;

#endif

}  // namespace detail

namespace detail {

/// What an arena can be made of.
struct arena_arguments {
  explicit arena_arguments(int = 0, priority = {}, int = 0) {}
  explicit arena_arguments(const arena_constraints&) {}
};

}  // namespace detail

/// A limit of the threads that run some code: no more than `max_concurrency()` threads run what was
/// given to it, and what that forks, at once. Whatever is stolen, joined or promoted there, each
/// thread has a seat while it does so, and there are no more seats than that.
///
/// There is one pool of workers, which all arenas share. Threads of the program that call `execute`
/// count as workers do. Any thread may use an arena, at any depth; several may at once. Calls may
/// be nested: a call in another arena leaves the seat in the first one to others until it is over.
///
/// Making one takes an allocation now and then; a call and its end take two atomic operations each.
class arena {
public:
  /// At most `limit` threads; 0: as many as `workers()`. Of these, `reserved` are for threads that
  /// call `execute` or `wait`, and no worker takes them. Throws `error` for a number below 0.
  explicit arena(int limit = 0, priority importance = priority::normal, int reserved = 0)
      : state_(make({-1, limit, importance, reserved})) {}
  /// The same, with its threads on the CPUs of a memory node: each that enters may run on those alone
  /// while it is there, and where it might before when it leaves. Throws `error` if there is no such node.
  explicit arena(const arena_constraints& with) : state_(make(with)) {}
  /// Of anything else.
  template <class... Wrong>
    requires(!std::is_constructible_v<detail::arena_arguments, Wrong...> &&
             !(std::is_same_v<std::remove_cvref_t<Wrong>, arena> || ...))
  explicit arena(Wrong&&... /*wrong*/) : arena() {
    static_assert(refusals::accepted<Wrong...>,
                  "nopal: arena takes a limit, a nopal::priority and how many are reserved, or constraints");
  }
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  /// Waits, as `wait` does, for what was enqueued. Drops an exception that no `wait` has thrown. No `execute`
  /// may be under way. Ends the program with one line where what was enqueued destroys it.
  ~arena();

  /// Calls `f()` in the arena, on this thread, and returns what it returns, on this thread; its exception goes on to
  /// the caller. Waits while the arena is full; a thread that is in the arena already goes on at once.
  template <class F>
  std::invoke_result_t<F> execute(F&& f);
  /// What cannot be called does not compile, nor do arguments of what is called.
  template <class... Wrong>
    requires(sizeof...(Wrong) != 1 || !(std::is_invocable_v<Wrong> && ...))
  refusals::no_value execute(Wrong&&... /*wrong*/) {
    static_assert(refusals::accepted<Wrong...>,
                  "nopal: arena: what is executed must be callable without arguments, as a lambda is");
    return {};
  }

  /// Has `f()` called in the arena some time, by a worker that is idle or a thread that waits, and
  /// waits for nothing. On one worker it begins at `wait`. Arguments as with a fork: `f` is moved
  /// or copied. An exception is kept for `wait`.
  template <class F>
  void enqueue(F&& f);
  /// What cannot be called does not compile.
  template <class F>
    requires(!std::is_invocable_v<std::decay_t<F>>)
  void enqueue(F&& /*f*/) {
    static_assert(refusals::accepted<F>,
                  "nopal: arena: what is enqueued must be callable without arguments, as a lambda is");
  }
  /// Nor does what can only be moved, and is not given up.
  template <class F>
    requires(std::is_invocable_v<std::decay_t<F>> && !std::is_constructible_v<std::decay_t<F>, F>)
  void enqueue(F&& /*f*/) {
    static_assert(
        refusals::accepted<F>,
        "nopal: arena: what is enqueued is copied or moved: give up what has no copies by std::move(f)");
  }
  /// Nor do arguments of what is called.
  template <class... Wrong>
    requires(sizeof...(Wrong) != 1)
  void enqueue(Wrong&&... /*wrong*/) {
    static_assert(refusals::accepted<Wrong...>,
                  "nopal: arena: what is enqueued must be callable without arguments, as a lambda is");
  }

  /// Waits until all that was enqueued is over, and runs it meanwhile, in the arena. Throws the
  /// exception that was thrown first, once. Throws `error` where what was enqueued calls it.
  void wait();

  /// How many threads may be in it at once.
  [[nodiscard]] int max_concurrency() const noexcept { return state_->limit; }

private:
  friend class observer;
#ifndef NOPAL_ELIDE
  friend detail::arena_access;
#endif

#ifdef NOPAL_ELIDE
  struct state {
    int limit;
    detail::kept_exception thrown;
#ifdef NOPAL_CHECKED
    scope enqueued;
#endif
  };
  static std::unique_ptr<state> make(const arena_constraints& with) {
    detail::check_arena(with.limit, with.reserved);
    if (with.node > 0) {
      detail::refuse_arena(detail::text_of_no_node(with.node));
    }
    auto made = std::make_unique<state>();
    made->limit = with.limit == 0 ? 1 : with.limit;
    return made;
  }
#else
  struct state {
    int limit;
    nopal_arena* seats;
    nopal_task_group enqueued;
    detail::first_exception thrown;

    ~state() {
      if (seats != nullptr) {
        nopal_arena_forget(seats);
      }
    }
  };
  static std::unique_ptr<state> make(const arena_constraints& with) {
    detail::check_arena(with.limit, with.reserved);
    const int most = detail::limit_at(with.node);
    auto made = std::make_unique<state>();
    made->limit = with.limit == 0 ? most : with.limit;
    made->seats = nopal_arena_make();
    if (made->seats == nullptr) {
#ifdef __cpp_exceptions
      throw std::bad_alloc();
#else
      __builtin_trap();
#endif
    }
    nopal_arena& seats = *made->seats;
    seats.limit = static_cast<std::uint32_t>(made->limit);
    seats.worker_limit =
        static_cast<std::uint32_t>(with.reserved < made->limit ? made->limit - with.reserved : 0);
    seats.rank =
        static_cast<std::uint32_t>(static_cast<int>(priority::high) - static_cast<int>(with.importance));
    seats.keeps = 0;
    seats.destroy = nopal_arena_give_back;
    if (with.node >= 0) {
      nopal_arena_bind(&seats, with.node);
    }
    return made;
  }

  /// A call that was enqueued. Whoever runs it deletes it.
  template <class F>
  struct call : nopal_task {
    template <class Source>
    call(arena::state* of, Source&& source) : nopal_task{}, where(of), f(std::forward<Source>(source)) {
      run = [](nopal_task* task) { static_cast<call*>(task)->run_and_delete(); };
      group = &of->enqueued;
      arena = of->seats;
    }
    void run_and_delete() noexcept {
      const std::unique_ptr<call> self(this);
#ifdef __cpp_exceptions
      try {
        static_cast<void>(std::move(f)());
      } catch (...) {
        where->thrown.keep();
      }
#else
      static_cast<void>(std::move(f)());
#endif
    }
    nopal_arena* seats() const noexcept { return where->seats; }

    arena::state* const where;
    F f;
  };

  /// Returns what reductions of reducers threw.
  void* wait_for_enqueued() {
    const detail::arena_call inside(state_->seats);
    return nopal_task_wait(&state_->enqueued, state_->seats);
  }
#endif

  const std::unique_ptr<state> state_;
};

#ifdef NOPAL_ELIDE

inline arena::~arena() = default;

template <class F>
std::invoke_result_t<F> arena::execute(F&& f) {
  return std::forward<F>(f)();
}

template <class F>
void arena::enqueue(F&& f) {
#ifdef NOPAL_CHECKED_PARALLEL
  nopal_check_refuse("what is put into an arena");
#endif
  std::decay_t<F> call(std::forward<F>(f));
#ifdef __cpp_exceptions
  try {
#ifdef NOPAL_CHECKED
    state_->enqueued.fork(std::move(call));
#else
    static_cast<void>(std::move(call)());
#endif
  } catch (...) {
    detail::kept_exception thrown;
    thrown.keep();
    if (!state_->thrown.is_set()) {
      swap(state_->thrown, thrown);
    }
  }
#else
  static_cast<void>(std::move(call)());
#endif
}

inline void arena::wait() {
#ifdef NOPAL_CHECKED
  state_->enqueued.join();
#endif
  state_->thrown.rethrow();
}

#else

struct detail::arena_access {
  static nopal_arena* seats(const arena& of) noexcept { return of.state_->seats; }
  static nopal_task_group* group(const arena& of) noexcept { return &of.state_->enqueued; }
};

inline arena::~arena() {
  if (nopal_is_in_task_of(&state_->enqueued) != 0) {
    detail::end_program("nopal: arena: it was destroyed by what was enqueued there, which it waits for");
  }
  if (nopal_task_is_done(&state_->enqueued) == 0 || state_->enqueued.views != nullptr) {
    static_cast<void>(wait_for_enqueued());
  }
}

template <class F>
std::invoke_result_t<F> arena::execute(F&& f) {
  const detail::arena_call inside(state_->seats);
  return std::forward<F>(f)();
}

template <class F>
void arena::enqueue(F&& f) {
  auto task = std::make_unique<call<std::decay_t<F>>>(state_.get(), std::forward<F>(f));
  if (nopal_task_push(task.get()) != 0) {
#ifdef __cpp_exceptions
    throw std::bad_alloc();
#else
    __builtin_trap();
#endif
  }
  static_cast<void>(task.release());
}

inline void arena::wait() {
  if (nopal_is_in_task_of(&state_->enqueued) != 0) {
    detail::refuse_arena("nopal: arena: wait() was called by what was enqueued there, which it waits for");
  }
  if (void* const thrown = wait_for_enqueued()) {
    nopal_rethrow(thrown);
  }
  state_->thrown.rethrow();
}

#endif

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
