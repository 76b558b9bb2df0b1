// Exceptions of stolen children: kept until the join takes the one that the serial program would
// have met first.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>
#include <utility>

#include <cxxabi.h>

#include <nopal/detail/fast_path.h>
#include <nopal/detail/stop.h>
#include <nopal/detail/stopped.hpp>

#include "cxx_runtime/exception_record.hpp"
#include "scheduler/ending.hpp"
#include "scheduler/exceptions.hpp"
#include "scheduler/foreign_exceptions.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sequence_numbers.hpp"
#include "scheduler/stops.hpp"
#include "scheduler/tags.hpp"

namespace __cxxabiv1 {
extern "C" void __cxa_end_catch();
}  // namespace __cxxabiv1

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Memory for some exceptions where the system has none: an exception may well tell of just that.
class reserve {
public:
  void* take(std::size_t bytes) noexcept {
    for (block& one : blocks_) {
      // Acquire and release pair with the same flag in give: the last user is done with the block.
      // unreached: reserve-type
      if (bytes <= sizeof one.memory && !one.taken.test_and_set(std::memory_order_acquire)) {
        return one.memory;
      }
    }
    return nullptr;
  }

  /// False if the memory is not from here.
  bool give(void* memory) noexcept {
    for (block& one : blocks_) {
      if (memory == one.memory) {
        one.taken.clear(std::memory_order_release);
        return true;
      }
    }
    return false;
  }

private:
  struct block {
    alignas(std::max_align_t) unsigned char memory[64];
    std::atomic_flag taken;
  };
  block blocks_[64] = {};
};

constinit reserve reserved;

/// Orders the children of one frame as the serial program does.
struct serial_position {
  std::uint64_t steal;    ///< ticket of the last steal before the child was forked
  std::uint64_t between;  ///< grows from one child to the next until the next steal

  bool operator<(const serial_position& other) const noexcept {
    return steal != other.steal ? steal < other.steal : between < other.between;
  }
};

/// Among the children forked between two steals, the one whose continuation was stolen is the last.
constexpr std::uint64_t last_before_steal = ~std::uint64_t{0};

struct kept_exception {
  static void* operator new(std::size_t bytes, const std::nothrow_t& nothrow) noexcept {
    void* const memory = ::operator new(bytes, nothrow);
    return memory != nullptr ? memory : reserved.take(bytes);
  }
  static void operator delete(void* memory) noexcept {
    if (!reserved.give(memory)) {
      ::operator delete(memory);
    }
  }
  // unreached: constructor-throws
  static void operator delete(void* memory, const std::nothrow_t&) noexcept { operator delete(memory); }

  kept_exception() = default;
  kept_exception(const kept_exception&) = delete;
  kept_exception& operator=(const kept_exception&) = delete;
  ~kept_exception() {
    if (foreign != nullptr) {
      _Unwind_DeleteException(foreign);
    }
  }

  nopal_frame* frame;
  serial_position position;
  /// Forked at home, and left home by its steal: the position is known at the join
  bool leaving_home;
  bool is_stopped = false;  ///< it is `stopped`, which tells of nothing that others do not know
  std::exception_ptr thrown;
  _Unwind_Exception* foreign = nullptr;  ///< in place of `thrown`, if another runtime threw it
  kept_exception* next;
};

struct exception_store {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  kept_exception* first = nullptr;
};

/// Whether it is thrown, and the other dropped.
bool comes_before(const kept_exception& one, const kept_exception& other) noexcept {
  return one.is_stopped != other.is_stopped ? other.is_stopped : one.position < other.position;
}

constinit exception_store store;
static_assert(sizeof(kept_exception) <= 64, "a block of the reserve holds one");

/// The exception being handled, for a join.
void keep_thrown_in(kept_exception& kept) noexcept {
  if (handled_foreign() == nullptr) {
    kept.thrown = std::current_exception();
    const std::type_info* const type = __cxxabiv1::__cxa_current_exception_type();
    kept.is_stopped = type != nullptr && *type == typeid(stopped);
  } else {
    kept.foreign = take_handled_foreign();
  }
}

/// Keeps the exception being handled for the join of `frame`.
void keep_thrown_at(nopal_frame* frame, serial_position position, bool leaving_home) {
  auto* const kept = new (std::nothrow) kept_exception;
  if (kept == nullptr) {
    os::write_stderr("nopal: no memory to keep the exception of a child\n");
    std::terminate();
  }
  kept->frame = frame;
  kept->leaving_home = leaving_home;
  kept->position = position;
  keep_thrown_in(*kept);
  pthread_mutex_lock(&store.lock);
  kept->next = store.first;
  store.first = kept;
  pthread_mutex_unlock(&store.lock);
  // Relaxed: the join learns of it through `unfinished` or from its own strand.
  the_runtime().exceptions_kept.fetch_add(1, std::memory_order_relaxed);
}

void keep_exception(nopal_frame* frame, bool stolen, std::uint64_t position_between_steals) {
  const strand_origin origin = this_worker()->deque.strand.stack->origin;
  const bool away = origin.frame_pointer == frame->frame_pointer;
  // The thief writes to the frame at any time now, unless the strand is still ours.
  keep_thrown_at(frame,
                 {away     ? origin.ticket
                  : stolen ? 0  // unreached: stolen-is-away
                           : frame->last_ticket,
                  position_between_steals},
                 stolen && !away);
}

}  // namespace

void keep_thrown(nopal_frame* frame, bool of_stolen_child) noexcept {
  keep_exception(frame, of_stolen_child, next_position());
}

void keep_thrown_by_stolen(nopal_frame* frame) noexcept { keep_exception(frame, true, last_before_steal); }

namespace {

/// The key of a group's exceptions, in place of a frame: no frame lies at the group's address.
nopal_frame* key_of(const nopal_task_group* group) noexcept {
  return reinterpret_cast<nopal_frame*>(const_cast<nopal_task_group*>(group));
}

}  // namespace

void keep_thrown(const nopal_task_group* group) noexcept {
  keep_thrown_at(key_of(group), {0, next_position()}, false);
}

void* take_exception(const nopal_task_group* group) noexcept { return take_exception(key_of(group)); }

namespace {

/// Of a child that has its continuation: true if nothing of the scope was stolen, so that the exception goes
/// on from the fork.
bool keep_unless_alone(nopal_frame* frame) {
  if (is_stolen_from(frame)) {
    keep_exception(frame, false, next_position());
    return false;
  }
  _Unwind_Exception* const foreign = handled_foreign();
  if (foreign != nullptr && !cxx_runtime::is_forced_unwind(*foreign)) {  // unreached: forced-unwind
    // A `throw;` would do, but libstdc++'s counts a foreign exception as in flight for good.
    take_from_handler();
    raise_foreign(foreign);
  }
  return true;
}

}  // namespace

extern "C" NOPAL_EXPORT int nopal_threw_after_child(nopal_frame* frame) {
  if (handles_end_of_thread()) {
    check_fork_at_end();
    return 1;
  }
  return keep_unless_alone(frame) ? 1 : 0;
}

extern "C" NOPAL_EXPORT int nopal_watched_child_threw(nopal_frame* frame) {
  if (handles_end_of_thread()) {
    pass_fork_at_end(frame);
    return 1;
  }
  if (nopal_pop() || take_kept(frame)) {
    return keep_unless_alone(frame) ? 1 : 0;
  }
  keep_exception(frame, true, last_before_steal);
  return 2;
}

extern "C" NOPAL_EXPORT int nopal_child_threw(nopal_frame* frame) {
  const int what = nopal_watched_child_threw(frame);
  if (what != 2) {
    return what;
  }
  // The handler is never returned to, so it ends here.
  __cxxabiv1::__cxa_end_catch();
  nopal_child_done(frame);
}

void forget_exceptions() noexcept {
  store.lock = PTHREAD_MUTEX_INITIALIZER;  // another thread may have held it
  store.first = nullptr;
  the_runtime().exceptions_kept.store(0, std::memory_order_relaxed);
}

void* take_exception(nopal_frame* frame) noexcept {
  runtime& all = the_runtime();
  if (all.exceptions_kept.load(std::memory_order_relaxed) == 0) {
    return nullptr;
  }
  kept_exception* earliest = nullptr;
  kept_exception* dropped = nullptr;
  pthread_mutex_lock(&store.lock);
  for (kept_exception** link = &store.first; *link != nullptr;) {
    kept_exception* const candidate = *link;
    if (candidate->frame != frame) {
      link = &candidate->next;
      continue;
    }
    *link = candidate->next;
    if (candidate->leaving_home) {
      candidate->position = {frame->home_ticket, last_before_steal};
    }
    all.exceptions_kept.fetch_sub(1, std::memory_order_relaxed);
    const bool earlier = earliest == nullptr || comes_before(*candidate, *earliest);
    kept_exception* const loser = earlier ? earliest : candidate;
    earliest = earlier ? candidate : earliest;
    if (loser != nullptr) {
      loser->next = dropped;
      dropped = loser;
    }
  }
  pthread_mutex_unlock(&store.lock);
  if (earliest != nullptr) {
    earliest->next =
        dropped;  // They end in nopal_rethrow: their destructors are the program's, and may fork.
  }
  return earliest;
}

namespace {

void delete_all(kept_exception* first) {
  while (first != nullptr) {
    kept_exception* const next = first->next;
    delete first;
    first = next;
  }
}

/// Its address stands for `stopped`, which takes no memory before it is thrown.
constinit char stopped_mark = 0;

}  // namespace

void* keep_handled_exception() noexcept {
  const std::type_info* const type =
      handled_foreign() == nullptr ? __cxxabiv1::__cxa_current_exception_type() : nullptr;
  auto* const kept =
      type != nullptr && *type != typeid(stopped) ? new (std::nothrow) kept_exception : nullptr;
  if (kept != nullptr) {
    kept->next = nullptr;
    keep_thrown_in(*kept);
  }
  return kept;
}

void drop_exceptions(void* exceptions) noexcept { delete_all(static_cast<kept_exception*>(exceptions)); }

void* stopped_at_join() noexcept { return &stopped_mark; }

void* one_of_exceptions(void* first, void* second) noexcept {
  if (second == nullptr || first == nullptr || first == &stopped_mark) {
    return second != nullptr ? second : first;
  }
  if (static_cast<kept_exception*>(first)->is_stopped) {
    std::swap(first, second);
  }
  kept_exception* last = static_cast<kept_exception*>(first);
  while (last->next != nullptr) {
    last = last->next;
  }
  last->next = static_cast<kept_exception*>(second);  // it ends with those that are dropped
  return first;
}

extern "C" NOPAL_EXPORT void nopal_rethrow(void* exception) {
  if (exception == &stopped_mark) {
    stops::throw_stopped();
  }
  auto* const kept = static_cast<kept_exception*>(exception);
  if (kept->is_stopped) {
    nopal_keep_handled();  // the handler that the join is in ends by this
  }
  std::exception_ptr thrown = static_cast<std::exception_ptr&&>(kept->thrown);
  _Unwind_Exception* const foreign = std::exchange(kept->foreign, nullptr);
  delete_all(kept);
  if (foreign != nullptr) {
    raise_foreign(foreign);
  }
  std::rethrow_exception(static_cast<std::exception_ptr&&>(thrown));
}

namespace {

/// Where `stopped` is what leaves the scope, it is not to hide what was thrown.
bool stays_in_child(kept_exception* kept) noexcept {
  return !kept->is_stopped && !os::thread_is_ending() && stops::keep_in_child(kept);
}

}  // namespace

extern "C" NOPAL_EXPORT void nopal_rethrow_at_end(nopal_frame* frame, void* exception) {
  // A thread that is being ended leaves the scope as an exception does, but counts as none.
  // unreached: ended-after-throw
  if (std::uncaught_exceptions() > static_cast<int>(frame->uncaught_at_fork) || os::thread_is_ending()) {
    if (exception != &stopped_mark && !stays_in_child(static_cast<kept_exception*>(exception))) {
      delete_all(static_cast<kept_exception*>(exception));
    }
    return;
  }
  nopal_rethrow(exception);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
