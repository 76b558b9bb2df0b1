// What a context of oneTBB has here: one of ours, the tasks that were spawned with it, and the first exception of these.
//
// A context is made by inlined code and has 128 bytes. One word of it, which is the library's, leads to a `context_list`,
// which is counted: who runs a task of the context, and contexts that are bound to it, refer to it too.
#ifndef NOPAL_IN_PLACE_CONTEXTS_HPP
#define NOPAL_IN_PLACE_CONTEXTS_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <mutex>
#include <utility>

#include "in_place/both.hpp"

namespace tbb::detail::r1 {

/// Memory of a few lines, which the thread keeps for its next ones. Throws std::bad_alloc.
void* take_block(std::size_t bytes);
void give_block(void* memory, std::size_t bytes) noexcept;

/// Tasks that one wait is for, or several that have a context in common. Where one of these is isolated, it runs those that were
/// put in its call, by the call's number, as long as any of them may come to its end without others.
class tasks : public ours::nopal_detail::task_counts {
public:
  /// `made_in`: the number of a call that isolates what puts any of them, so they need not be told apart; 0: there is none.
  explicit tasks(std::uint64_t made_in = 0) noexcept : made_in_(made_in) {}
  tasks(const tasks&) = delete;
  tasks& operator=(const tasks&) = delete;
  ~tasks();

  /// In which call one counts as put that is put now; 0: in none.
  [[nodiscard]] std::uint64_t isolation_now() const noexcept {
    const std::uint64_t now = nopal_isolation();
    return now == made_in_ ? 0 : now;
  }
  /// One was put in the call. Throws std::bad_alloc.
  void begin_isolated(std::uint64_t call);
  /// One that was is over.
  void end_isolated(std::uint64_t call) noexcept;
  /// One that was waits for these; or goes on.
  void begin_wait(std::uint64_t call) noexcept;
  void end_wait(std::uint64_t call) noexcept;
  /// Whether some are not over, and do not wait so.
  [[nodiscard]] bool has_isolated(std::uint64_t call) noexcept;

private:
  struct counts;
  const std::uint64_t made_in_;
  std::atomic<counts*> isolated_{nullptr};  // made with the first; most contexts have none
};

/// Tasks that come before others of their context that were not begun. Each was spawned with a call of `next(nullptr)` to
/// come, and who has another task to run asks with that one: as many calls are to come as tasks are here. What was put in a call
/// that isolates is for what was put there alone.
class urgent_tasks {
public:
  void push(d1::task& one);
  /// What to run now: an urgent task, with `one` left here for another call, or else `one`, or what was left; null: all
  /// was taken by others.
  d1::task* next(d1::task* one) noexcept;

private:
  struct entry {
    d1::task* one;
    std::uint64_t isolation;  // the number of the call; 0: there is none
  };
  static std::list<entry>::iterator first_in(std::list<entry>& list, std::uint64_t isolation) noexcept;

  std::mutex mutex_;
  // Empty lists take no memory: a context is made for each loop. Under the lock, as what follows.
  std::list<entry> urgent_;
  std::list<entry> put_off_;           // in whose place an urgent one ran
  std::atomic<std::size_t> count_{0};  // of urgent ones; changed under the lock, looked at without
};

class context_list {
public:
  explicit context_list(bool is_bound) noexcept
      : is_bound_(is_bound),
        own_(is_bound ? ours::task_group_context::bound : ours::task_group_context::isolated) {}
  static void* operator new(std::size_t bytes) { return take_block(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { give_block(memory, bytes); }
  context_list(const context_list&) = delete;
  context_list& operator=(const context_list&) = delete;

  /// Relaxed: the caller has a reference, or the context, which has one.
  void refer() noexcept { users_.fetch_add(1, std::memory_order_relaxed); }
  void forget() noexcept {
    // Release and acquire: what the others did comes before the end.
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      end();
    }
  }

  /// Whether it is to be cancelled with what is around its first use.
  [[nodiscard]] bool is_bound() const noexcept { return is_bound_; }
  /// Inside of `outer`, or of none, if it was not used before.
  void bind(context_list* outer) noexcept;
  [[nodiscard]] bool is_cancelled() const noexcept;
  bool cancel() noexcept { return own_.cancel_group_execution(); }
  void reset() noexcept;

  /// Keeps what is being handled, if it is the first, and cancels.
  void keep_exception() noexcept;
  /// Throws what was kept. It is kept still.
  void throw_kept();

  [[nodiscard]] ours::task_group_context& own() noexcept { return own_; }
  /// What was spawned with it by code that runs in another.
  [[nodiscard]] tasks& spawned() noexcept { return spawned_; }
  [[nodiscard]] urgent_tasks& urgent() noexcept { return urgent_; }

private:
  ~context_list();
  /// Once nobody uses it: now, or, where a task that was spawned with it still comes to its end, later.
  void end() noexcept;

  enum class binding : std::uint8_t { not_yet, under_way, done };

  const bool is_bound_;
  ours::task_group_context own_;
  tasks spawned_{nopal_isolation()};  // others seldom have a context that was made there
  urgent_tasks urgent_;
  std::atomic<int> users_{1};
  std::atomic<binding> binding_{binding::not_yet};
  std::atomic<context_list*> outer_{nullptr};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr thrown_;  // under the lock
  context_list* next_over_ = nullptr;

  static inline constinit std::mutex mutex_of_over_;
  static inline constinit context_list* over_ = nullptr;  // under that lock: those that are to be ended later
};

/// The calling thread's floating-point settings as a word: rounding, and, where the system tells, exceptions and small numbers.
std::uint64_t float_modes() noexcept;
void set_float_modes(std::uint64_t modes) noexcept;

/// Oversees the members of theirs that are the library's.
struct task_group_context_impl {
  static d1::task_group_context& actual(d1::task_group_context& context) noexcept {
    return context.actual_context();
  }
  static context_list& of(d1::task_group_context& context) noexcept {
    return *context.actual_context().my_context_list;
  }
  static bool has_float_settings(const d1::task_group_context& context) noexcept {
    return context.my_traits.fp_settings;
  }
  static std::uint64_t float_settings(const d1::task_group_context& context) noexcept {
    return context.my_cpu_ctl_env;
  }
  static void capture_float_settings(d1::task_group_context& context) noexcept;
  static void initialize(d1::task_group_context& context);
  static void destroy(d1::task_group_context& context) noexcept;
};

/// A use that keeps a context's.
class context_use {
public:
  explicit context_use(d1::task_group_context& context) noexcept
      : list_(&task_group_context_impl::of(context)) {
    list_->refer();
  }
  context_use(const context_use&) = delete;
  context_use& operator=(const context_use&) = delete;
  ~context_use() { list_->forget(); }
  [[nodiscard]] context_list& operator*() const noexcept { return *list_; }
  [[nodiscard]] context_list* operator->() const noexcept { return list_; }

private:
  context_list* const list_;
};

/// What runs on a thread: code of a task, with its context. In the frame of whoever calls it.
struct frame {
  d1::task_group_context* context;
  context_list* list;
  tasks* of;  ///< what it spawns with that context is one of these
  frame* outer;
  d1::task* task;  ///< that it is code of, or null
  /// Of a task that was put in a call that isolates: whose it is, and the number of the call; null: it was put in none
  tasks* counted;
  std::uint64_t isolation;
  const void* waits;  ///< a wait for tasks that include it, in code of its; null: there is none
};
extern constinit thread_local frame* innermost [[gnu::tls_model("initial-exec")]];
/// Whether the thread has used the library's tasks or arenas.
extern constinit thread_local bool has_begun [[gnu::tls_model("initial-exec")]];

/// Whether the thread runs what was enqueued in no arena, where the pool has one worker. Its index is the next one.
extern constinit thread_local bool is_beside_workers [[gnu::tls_model("initial-exec")]];

/// The calling thread's index, or negative.
int index_of_thread();
/// The same for tasks: 0 where there is none.
d1::slot_id slot_of_thread();

/// Code whose tasks are of its own, where they have the context, and are waited for at its end.
class own_part {
public:
  own_part(d1::task_group_context& context, context_list& list) noexcept
      : here_{&context, &list, &of_,   innermost, innermost != nullptr ? innermost->task : nullptr,
              nullptr,  0,     nullptr} {
    innermost = &here_;
  }
  own_part(const own_part&) = delete;
  own_part& operator=(const own_part&) = delete;
  ~own_part() {
    of_.wait(ours::nopal_detail::current_arena());
    innermost = here_.outer;
  }

private:
  tasks of_;
  frame here_;
};

/// Has a task run some time, in an arena or, for null, in none; null: an urgent one.
/// `is_of_graph`: waits for other graphs run it, too, as task_counts::push_sharing has it.
void spawn_in(d1::task* one, d1::task_group_context& context, ours::nopal_detail::arena_state* arena,
              d1::slot_id affinity, bool is_of_graph);

/// As that in no arena, and for whoever waits for tasks of the context, whatever code the caller is.
void spawn_for_any(d1::task& one, d1::task_group_context& context);

/// Runs a task, and those that it returns, as one of `of`; null: an urgent one of the context, if any is left. As one that was
/// put in the call `isolation`, and counted so; 0: in none, or as a part of what runs.
void run(d1::task* one, d1::task_group_context& context, tasks& of, ours::nopal_detail::arena_state* arena,
         d1::execution_data& with, std::uint64_t isolation = 0) noexcept;

}  // namespace tbb::detail::r1

#endif
