// What of a task is known when its handle is gone: whether it is over, and which tasks are to begin then.
//
// Invariants, under the lock of a record: its fate changes once, from open. Who adds itself to a record finds it open, and is
// told of the end, or finds it over. A task begins when nothing is missing: neither its handle's run nor the end of a task that
// was put before it. Each of these counts down once, and who counts to zero begins it.
#ifndef NOPAL_COMPAT_TBB_DETAIL_TASK_RECORD_H
#define NOPAL_COMPAT_TBB_DETAIL_TASK_RECORD_H

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "arena_reference.h"
#include "arena_state.h"
#include "begun_tasks.h"
#include "lock.h"
#include "task_handle.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

#ifdef NOPAL_CHECKED
inline void note_end_before(const void* of) noexcept { nopal_check_signal_too(of); }
inline void note_all_before(const void* of) noexcept { nopal_check_signaled(of); }
inline void note_none_before(const void* of) noexcept { nopal_check_forget_event(of); }
#else
inline void note_end_before(const void* /*of*/) noexcept {}
inline void note_all_before(const void* /*of*/) noexcept {}
inline void note_none_before(const void* /*of*/) noexcept {}
#endif

/// Belongs to the task, to the handles of its completion, and to the tasks before it.
class task_record : private begun_task {
public:
  enum class fate : char { open, complete, canceled };
  /// Puts a task where it is run, and leaves the handle empty. Throws std::bad_alloc; then the handle has it still.
  using starter = void (*)(task_handle& handle, arena_state* arena);

  static task_record* made(task_counts* tasks) {
    const with_followers guard;
    return new task_record(tasks);
  }
  task_record(const task_record&) = delete;
  task_record& operator=(const task_record&) = delete;

  // Relaxed: who refers has a reference already. The last release comes after all others, and acquires them.
  void refer() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void forget() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

  /// The tasks of its group: there while the group is.
  [[nodiscard]] task_counts& tasks() const noexcept { return *tasks_; }
  /// Acquire pairs with the release in finish(): what the task did is seen.
  [[nodiscard]] fate now() const noexcept {
    const fate found = fate_.load(std::memory_order_acquire);
    if (found != fate::open) {
      note_all_before(&fate_);
    }
    return found;
  }

  /// `next`, whose handle was not run yet, begins after this. Throws std::bad_alloc.
  void put_before(task_record& next) {
    std::unique_ptr<follower> one = made(next, false);
    // Relaxed: its handle is run later, and counts down itself.
    next.missing_.fetch_add(1, std::memory_order_relaxed);
    if (!add(one)) {
      // Relaxed: who runs the handle comes after this, which comes after the end by the lock that add() took.
      next.missing_.fetch_sub(1, std::memory_order_relaxed);
      note_all_before(&fate_);
      note_end_before(&next.missing_);
    }
  }
  /// Called by the task: it is over when `heir` is, and not before. Throws std::bad_alloc.
  void hand_over_to(task_record& heir) {
    if (!is_handed_over_) {
      std::unique_ptr<follower> one = made(*this, true);
      is_handed_over_ = true;
      if (!heir.add(one)) {
        finish(heir.now());
      }
    }
  }

  /// The task's handle is run: starts it, now or once the tasks before it are over.
  static void start(task_record& record, task_handle& handle, arena_state* arena, starter how) {
    record.refer();  // the task may be over before this returns
    record.parked_ = std::move(handle);
    record.arena_ = arena_reference(arena);
    record.how_ = how;
    struct unless_begun {
      ~unless_begun() {
        if (is_mine && of.parked_) {
          handle = std::move(of.parked_);
          of.missing_.store(1, std::memory_order_relaxed);  // nobody else knows of it: all before it are over
        }
        of.forget();
      }
      task_record& of;
      task_handle& handle;
      bool is_mine = false;
    } guard{record, handle};
    note_end_before(&record.missing_);
    if (record.is_last()) {
      guard.is_mine = true;
      record.begin();
    }
  }

  /// The task was called, or never will be. Those that were put after it begin where nothing else is missing to them. Called
  /// again, and by a task that handed its end over, it does nothing.
  void end(fate how) noexcept {
    // Relaxed: one that handed nothing over changes its fate itself.
    if (!is_handed_over_ && fate_.load(std::memory_order_relaxed) == fate::open) {
      finish(how);
    }
  }

  /// Before what the task does, for a program that is checked.
  void note_begin() const noexcept { note_all_before(&missing_); }

  /// A thread that waits for the end. Lives in the thread's frame.
  struct waiter {
    const task_counts* told = nullptr;  ///< the tasks of the group for which it waits
    waiter* next = nullptr;
  };
#ifndef NOPAL_ELIDE
  void add(waiter& one) noexcept {
    const lock_guard guard(lock_);
    one.next = std::exchange(waiters_, &one);
  }
  void remove(waiter& one) noexcept {
    const lock_guard guard(lock_);
    for (waiter** at = &waiters_; *at != nullptr; at = &(*at)->next) {
      if (*at == &one) {
        *at = one.next;
        return;
      }
    }
  }
#endif

private:
  /// A task that begins after this one, or one that is over when this one is.
  struct follower {
    task_record* who;
    bool inherits;
    follower* next;
  };

  /// Of a checked program, where a strand reads what others wrote under the lock of a record, and is not to come after all that
  /// these did. No code of the program runs in it.
  class with_followers {
  public:
    with_followers() noexcept { note_lock(&all); }
    with_followers(const with_followers&) = delete;
    with_followers& operator=(const with_followers&) = delete;
    ~with_followers() { note_unlock(&all); }

  private:
    static inline char all = 0;
  };

  explicit task_record(task_counts* tasks) noexcept : tasks_(tasks) {
    note_none_before(&fate_);
    note_none_before(&missing_);
  }
  ~task_record() = default;

  static std::unique_ptr<follower> made(task_record& who, bool inherits) {
    const with_followers guard;
    return std::make_unique<follower>(follower{&who, inherits, nullptr});
  }
  /// False: this one is over.
  bool add(std::unique_ptr<follower>& one) noexcept {
    const with_followers both;
    const lock_guard guard(lock_);
    if (fate_.load(std::memory_order_relaxed) != fate::open) {
      return false;
    }
    one->who->refer();
    *last_ = one.get();
    last_ = &one.release()->next;
    return true;
  }

  /// Counts down. Release: what was done before; acquire: what all others did.
  bool is_last() noexcept { return missing_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  bool is_last_of_others() noexcept {
    const with_followers guard;
    return is_last();
  }
  [[nodiscard]] task_counts& tasks_for_others() const noexcept {
    const with_followers guard;
    return *tasks_;
  }
  void forget_in_turn() noexcept {
    const with_followers guard;
    forget();
  }
  void begin() {
    // Who starts it may be done with the record before this is.
    task_handle handle = std::move(parked_);
    const arena_reference arena = std::move(arena_);
    struct unless_started {
      ~unless_started() {
        if (from) {
          of.parked_ = std::move(from);
        }
      }
      task_record& of;
      task_handle& from;
    } const guard{*this, handle};
    how_(handle, arena.get());
  }

  void finish(fate how) noexcept {
    // First all that are over with this one, so that who waits for one of them does not find what begins after it.
    follower* next = leave_with_heirs(how);
    while (next != nullptr) {
      task_record* const who = take_first(next);
      note_end_before(&who->missing_);
      if (who->is_last_of_others()) {
        begin_in_turn(*who, [](begun_task& task) { begin_surely(static_cast<task_record&>(task)); });
      }
      who->forget_in_turn();
    }
  }
  /// Returns those that begin after. Tasks that hand their end on make chains of any length: no recursion.
  follower* leave_with_heirs(fate how) noexcept {
    const with_followers guard;
    follower* next = nullptr;
    follower** last_next = &next;
    for (follower* left = leave(how); left != nullptr;) {
      follower* const one = std::exchange(left, left->next);
      if (one->inherits) {
        if (follower* const more = one->who->leave(how)) {
          last_of(more)->next = left;
          left = more;
        }
        one->who->forget();
        delete one;
      } else {
        one->next = nullptr;
        *last_next = one;
        last_next = &one->next;
      }
    }
    return next;
  }
  static task_record* take_first(follower*& list) noexcept {
    const with_followers guard;
    follower* const one = std::exchange(list, list->next);
    task_record* const who = one->who;
    delete one;
    return who;
  }
  static follower* last_of(follower* list) noexcept {
    while (list->next != nullptr) {
      list = list->next;
    }
    return list;
  }
  static void begin_surely(task_record& record) noexcept {
    record.tasks_for_others().call_apart([&record] {
      // Others may have made the task and run its handle, beside what calls this.
      record.note_begin();
      NOPAL_TBB_TRY { record.begin(); }
      // Where there is no memory to start it, it is called here, in no arena: it may be full.
      NOPAL_TBB_CATCH { handle_access::call(record.parked_, nullptr); }
    });
  }

  /// It is over. Returns those that follow.
  follower* leave(fate how) noexcept {
    note_end_before(&fate_);
    const lock_guard guard(lock_);
    // Release pairs with the acquire in now().
    fate_.store(how, std::memory_order_release);
#ifndef NOPAL_ELIDE
    // Under the lock: who waits goes away by remove().
    for (const waiter* one = waiters_; one != nullptr; one = one->next) {
      one->told->tell();
    }
#endif
    last_ = &followers_;
    return std::exchange(followers_, nullptr);
  }

  std::atomic<std::size_t> references_{1};  // the task's
  std::atomic<std::size_t> missing_{1};     // the handle's
  task_counts* const tasks_;
  // Of a task whose handle was run and that did not begin. Written before its count, read by the last to count.
  task_handle parked_;
  arena_reference arena_;
  starter how_ = nullptr;

  tiny_lock lock_;
  std::atomic<fate> fate_{fate::open};
  bool is_handed_over_ = false;  // the task's own
  follower* followers_ = nullptr;
  follower** last_ = &followers_;
#ifndef NOPAL_ELIDE
  waiter* waiters_ = nullptr;
#endif
};

/// The record of a handle's task. From any thread. Throws std::bad_alloc.
inline task_record& record_of(const task_handle& handle) {
  std::atomic<task_record*>& slot = *handle_access::record(handle);
  // Acquire, here and below, pairs with the release of who made it.
  task_record* found = slot.load(std::memory_order_acquire);
  if (found == nullptr) {
    task_record* const made = task_record::made(handle_access::tasks(handle));
    if (slot.compare_exchange_strong(found, made, std::memory_order_acq_rel, std::memory_order_acquire)) {
      return *made;
    }
    made->forget();
  }
  return *found;
}

/// Runs a handle: starts its task `how`, once what was put before it is over. The handle is empty before the task begins, which may
/// end what it is part of. Where that throws, it has its task still.
inline void run_handle(task_handle& handle, arena_state* arena, task_record::starter how) {
  task_handle taken(std::move(handle));
  NOPAL_TBB_TRY {
    // Relaxed: who runs the handle comes after those who put something before it.
    task_record* const record = handle_access::record(taken)->load(std::memory_order_relaxed);
    if (record != nullptr) {
      task_record::start(*record, taken, arena, how);
    } else {
      how(taken, arena);
    }
  }
  NOPAL_TBB_CATCH {
    handle = std::move(taken);
    NOPAL_TBB_RETHROW;
  }
}

/// Waits until the task is over, or no task of its group is left. Works meanwhile, in `arena`. Throws what reductions throw.
inline task_record::fate wait_for(task_record& record, [[maybe_unused]] arena_state* arena) {
#ifdef NOPAL_ELIDE
  // It runs when its handle is run, by another thread where not yet.
  for (backoff pause; record.now() == task_record::fate::open && !record.tasks().is_done(); pause.wait()) {
  }
#else
  struct end final : nopal_task_wait_end, task_record::waiter {
    explicit end(task_record& of_task) noexcept
        : nopal_task_wait_end{[](const nopal_task_wait_end* self) {
                                return static_cast<int>(static_cast<const end*>(self)->is_reached_now());
                              },
                              [](nopal_task_wait_end* self) {
                                static_cast<end*>(self)->is_added = true;
                                static_cast<end*>(self)->of.add(*static_cast<end*>(self));
                              },
                              nullptr},
          of(of_task) {
      told = &of_task.tasks();
    }
    end(const end&) = delete;
    end& operator=(const end&) = delete;
    ~end() {
      if (is_added) {
        of.remove(*this);
      }
    }
    [[nodiscard]] bool is_reached_now() const noexcept {
      return of.now() != task_record::fate::open || of.tasks().is_done();
    }
    task_record& of;
    bool is_added = false;
  } here(record);
  record.tasks().wait_until(arena, &here);
#endif
  return record.now();
}

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
