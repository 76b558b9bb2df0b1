// Tasks that nobody waits for, and the threads that run them: asleep while there are none. A task
// of an arena that is full waits until somebody leaves it.
#ifndef NOPAL_COMPAT_TBB_DETAIL_ENQUEUED_H
#define NOPAL_COMPAT_TBB_DETAIL_ENQUEUED_H

#include <pthread.h>
#include <unistd.h>

#include <utility>

#include <nopal/detail/blocking.h>

#include "arena_reference.h"
#include "arena_state.h"
#include "context.h"
#include "current.h"
#include "enqueued_lock.h"
#include "enqueued_task.h"
#include "permit.h"
#include "server_thread.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

class enqueued {
public:
  /// Hands a task over. Where the system refuses a thread for it, the next one may get one.
  static void push(enqueued_task* task) {
#ifdef NOPAL_ELIDE
    task->call();
    delete task;
#else
    const int most = concurrency_of_all();
    static const bool started =
        pthread_atfork([] { pthread_mutex_lock(&mutex); }, [] { pthread_mutex_unlock(&mutex); },
                       [] {
                         start_over_after_fork();
                         pthread_mutex_unlock(&mutex);
                       }) == 0;
    const locked guard;
    if (!started || process == 0) {  // without memory for that a new process starts over at its first task
      start_over_after_fork();
    }
    add(task);
    if (!get_a_thread(most, task)) {
      offer(*task);
    }
#endif
  }

private:
  using line = enqueued_line;

  struct locked : enqueued_guard {
    locked() : enqueued_guard(mutex) {}
  };

  /// A child process has none of its parent's threads. What nobody waits for is the parent's to run.
  static void start_over_after_fork() {
    const pid_t now = getpid();
    if (process != now) {
      if (process != 0) {
        leave_tasks_to_parent();
      }
      process = now;
      threads = idle = looking = woken = blocked = 0;
      watched = false;
      wake = {};
    }
  }

  static void leave_tasks_to_parent() noexcept {
    waiting = 0;
    for (line& one : lines) {
      const line all = std::exchange(one, {});
      for (enqueued_task* task = all.first; task != nullptr;) {
        enqueued_task* const next = std::exchange(task->next, nullptr);
        if (task->group != nullptr) {
          one.append(task);
          ++waiting;
        } else {
          take_back(*task);
          of_parent.append(task);
        }
        task = next;
      }
    }
  }

  static void wake_one() {
    ++woken;
    pthread_cond_signal(&wake);
  }

  /// False: all are at work, and may wait for what was enqueued.
  static bool get_a_thread(int most, const enqueued_task* task = nullptr) {
    workers = most;
    if (looking != 0) {
      return true;
    }
    if (idle > woken) {
      // Whoever is in a full arena looks again as it leaves, and somebody watches.
      if (task == nullptr || !watched || task->arena() == nullptr || !task->arena()->refuses_servers()) {
        wake_one();
      }
      return true;
    }
    const bool is_added = threads - blocked < most && start_server(serve_for_ever);
    threads += is_added ? 1 : 0;
    return is_added;
  }

  /// What a thread runs here says that it blocks: another one may run tasks meanwhile.
  static void block() {
    const int most = concurrency_of_all();
    const locked guard;
    start_over_after_fork();
    ++blocked;
    if (of_thread != nullptr) {
      of_thread->block();
    }
    if (waiting != 0) {
      get_a_thread(most);
    }
  }
  static void go_on() {
    const locked guard;
    if (process == getpid()) {
      --blocked;
    }
    if (of_thread != nullptr) {
      of_thread->go_on();
    }
  }

  static void* serve_for_ever(void*) {
    static constexpr nopal_blocking_server told{block, go_on};
    nopal_tell_of_blocking(&told);
    keep_code_loaded();
    permit with;
    for (;;) {
      enqueued_task* const task = wait_for_task(with);
      const arena_reference arena(task->arena());
      of_thread = &with;
      call_unawaited(
          [](void* argument) {
            auto* const task_to_end = static_cast<enqueued_task*>(argument);
            {
              const seated_call inside(task_to_end->arena());
              task_to_end->call();
            }
            delete task_to_end;
          },
          task);
      of_thread = nullptr;
      with.end_call();
    }
  }

  // These under the lock.
  static void add(enqueued_task* task) noexcept {
    constexpr unsigned normal_rank = 1;
    lines[task->arena() != nullptr ? task->arena()->rank() : normal_rank].append(task);
    ++waiting;
  }

  /// After so many looks at a task whose arena is full, those may call it who wait there: perhaps they are all.
  static constexpr int most_refused = 10;
  /// Where all places are reserved a thread comes all the same after so many, which are some milliseconds: perhaps nobody else does.
  static constexpr int most_refused_where_reserved = 40;
  static bool is_offered(const enqueued_task& task) noexcept { return task.refused >= most_refused; }

  static enqueued_task* taken_out(line& from, enqueued_task* before, enqueued_task* task) noexcept {
    (before != nullptr ? before->next : from.first) = task->next;
    from.last = from.last == task ? before : from.last;
    --waiting;
    take_back(*task);
    return task;
  }
  static void take_back(enqueued_task& task) noexcept {
    if (is_offered(task)) {
      task.refused = 0;
      offered.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  /// The oldest task of the highest priority of those whose arena has room.
  static enqueued_task* take(permit& with) noexcept {
    for (line& one : lines) {
      enqueued_task* before = nullptr;
      for (enqueued_task* at = one.first; at != nullptr; before = at, at = at->next) {
        if (with.is_held() && !with.is_for(at->arena())) {
          return nullptr;  // not before it has left, without the lock
        }
        if (with.enter(at->arena(), workers, at->refused == most_refused_where_reserved)) {
          return taken_out(one, before, at);
        }
        refuse(*at);
      }
    }
    return nullptr;
  }

#ifdef NOPAL_ELIDE
  static void refuse(enqueued_task& /*task*/) noexcept {}
  static void offer_rest() noexcept {}
#else
  static void refuse(enqueued_task& task) noexcept {
    task.refused += task.refused != most_refused_where_reserved ? 1 : 0;
    if (task.refused == most_refused - 1) {
      offer(task);
    }
  }
  /// Those who wait for its group where the task is to run may call it; and any wait there: at once where its thread runs no
  /// task there, else after a while. Nobody tells these: they look as often as for what others start.
  static void offer(enqueued_task& task) noexcept {
    if (is_offered(task)) {
      return;
    }
    task.refused = most_refused;
    offered.fetch_add(1, std::memory_order_relaxed);
    // Release pairs with the acquire of those who wait.
    call_offered.store(
        [](task_counts& group, arena_state* arena, bool is_patient) {
          enqueued_task* const found = take_offered(group, arena, is_patient);
          if (found != nullptr) {
            call_taken(found, &group, arena);
          }
          return found != nullptr;
        },
        std::memory_order_release);
    nopal_tell_of_offered(call_at_join);
    if (task.group != nullptr) {
      // Who looked before looks again, and sees both. The task is one of the group, so that is there.
      task.group->tell();
    }
  }
  /// `group`: the one that is waited for; null: none is.
  static void call_taken(enqueued_task* task, task_counts* group, arena_state* arena) noexcept {
    struct all {
      enqueued_task* task;
      arena_state* arena;
      void operator()() const {
        task->call();
        delete task;
      }
    };
    all what{task, arena};
    if (group != nullptr && task->group == group) {
      return group->call(what);
    }
    call_unawaited(
        [](void* argument) {
          task_counts alone;
          alone.call(*static_cast<all*>(argument));
          alone.wait(static_cast<all*>(argument)->arena);  // has what it leaves in reducers
        },
        &what);
  }

  /// For a thread that waits at the end of a loop or of a scope in the arena, or, for null, in none; see nopal_tell_of_offered.
  static int call_at_join(nopal_arena* seats, int only_asks) noexcept {
    if (offered.load(std::memory_order_relaxed) == 0 || is_isolated()) {
      return 0;
    }
    const auto is_here = [seats](const enqueued_task& task) { return seats_of(task.arena()) == seats; };
    if (only_asks != 0) {
      const locked guard;
      return find_offered(is_here, false) != nullptr ? 1 : 0;
    }
    if (enqueued_task* const found = take_offered(is_here)) {
      const arena_reference arena(found->arena());  // the task's own ends with it
      call_taken(found, nullptr, arena.get());
    }
    return 1;
  }
  template <class Wanted>
  static enqueued_task* take_offered(const Wanted& wanted) noexcept {
    const locked guard;
    return find_offered(wanted, true);
  }

  /// All threads are at work.
  static void offer_rest() noexcept {
    for (const line& one : lines) {
      for (enqueued_task* at = one.first; at != nullptr && waiting != offered.load(std::memory_order_relaxed);
           at = at->next) {
        offer(*at);
      }
    }
  }

  static bool may_call(const enqueued_task& task, const task_counts& group, const arena_state* arena,
                       bool is_patient) noexcept {
    return (task.arena() == arena && (runs_no_task() || (is_patient && !is_isolated()))) ||
           (task.group == &group && (task.arena() == arena || task.arena() == nullptr));
  }
  static enqueued_task* take_offered(const task_counts& group, const arena_state* arena,
                                     bool is_patient) noexcept {
    if (offered.load(std::memory_order_relaxed) == 0) {
      return nullptr;
    }
    const locked guard;
    if (has_waited_enough()) {
      return nullptr;  // what begins after that for which the thread waits is added here after it
    }
    return find_offered([&group, arena, is_patient](
                            const enqueued_task& task) { return may_call(task, group, arena, is_patient); },
                        true);
  }
  /// The oldest of these, of the highest priority, `takes`: taken out. Null: there is none. Under the lock.
  template <class Wanted>
  static enqueued_task* find_offered(const Wanted& wanted, bool takes) noexcept {
    for (line& one : lines) {
      enqueued_task* before = nullptr;
      for (enqueued_task* at = one.first; at != nullptr; before = at, at = at->next) {
        if (is_offered(*at) && wanted(*at)) {
          return takes ? taken_out(one, before, at) : at;
        }
      }
    }
    return nullptr;
  }
#endif

  static enqueued_task* wait_for_task(permit& with) {
    const locked guard;
    for (bool looks = true;;) {
      if (enqueued_task* const task = take(with)) {
        if (waiting != 0 && !watched && idle > woken) {
          wake_one();
        } else if (idle == 0 && looking == 0 && !(waiting != 0 && get_a_thread(workers))) {
          offer_rest();
        }
        return task;
      }
      if (looks || with.is_held()) {
        looks = look_again(with);
        continue;
      }
      ++idle;
      if (waiting == 0 || watched) {
        pthread_cond_wait(&wake, &mutex);
      } else {
        watched = true;
        // Tasks are there, and their arenas are full. Those who leave an arena tell nobody: they do so at each fork. One thread looks again
        // and again for all: as many as there may be would do nothing else.
        wait_a_moment(wake, mutex);
        watched = false;
      }
      --idle;
      if (woken != 0) {
        --woken;
      }
      looks = waiting == 0;
    }
  }

  /// Whoever puts tasks here one after the other wakes nobody for each: who has none looks for a moment before it sleeps. True if one
  /// came; else it has left its arena.
  static bool look_again(permit& with) noexcept {
    const bool may_come = waiting == 0;
    ++looking;
    pthread_mutex_unlock(&mutex);
    const bool came = may_come && comes_in_a_moment(waiting);
    if (!came) {
      with.leave();
    }
    pthread_mutex_lock(&mutex);
    --looking;
    return came;
  }

  // All zeroes is PTHREAD_COND_INITIALIZER on Linux.
  static inline constinit pthread_mutex_t mutex = short_mutex;
  static inline constinit pthread_cond_t wake = {};
  static inline constinit line lines[3] = {};   // by the rank of the arena
  static inline constinit line of_parent = {};  // never run, and never freed: tools find them
  static inline constinit std::atomic<std::size_t> waiting{
      0};  // tasks; changed under the lock, looked at without
  static inline constinit std::atomic<std::size_t> offered{0};  // of these; others read whether there are any
  static inline constinit int workers = 1;                      // of the pool
  static inline constinit int threads = 0;
  static inline constinit int idle = 0;
  static inline constinit int looking = 0;  // threads that look for some, and are not idle
  static inline constinit int woken = 0;    // of the idle
  static inline constinit int blocked = 0;  // of the threads, in calls that say so
  static inline constinit thread_local permit* of_thread = nullptr;  // of what it runs
  static inline constinit bool watched = false;                      // an idle thread waits a moment
  static inline constinit pid_t process = 0;
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
