// Waits, in lists by descriptor, and libevent's events for them: one for each descriptor, in both
// directions, and one for each wait with an end. docs/io.md has the argument.

#include "io/poller.hpp"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <event2/thread.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <new>
#include <unordered_map>

#include <nopal/detail/io_parallel.hpp>
#include <nopal/waiting.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace io {

namespace {

/// One wait, on the stack of who waits. Written under the lock, but for `told`.
struct one_wait {
  short events;           ///< of poll(2)
  bool is_timed = false;  ///< `timer` is libevent's
  int outcome = wait_is_over;
  std::uint64_t closings = 0;  ///< those of its number, when it began
  one_wait* next = nullptr;
  one_wait** here = nullptr;  ///< what points to it in its list; null: in none
  ::event timer{};
  nopal::event told{};
};

/// A list of waits, to which one is added in front.
struct wait_list {
  one_wait* first = nullptr;
};

void insert(wait_list& list, one_wait& wait) noexcept {
  wait.next = list.first;
  wait.here = &list.first;
  if (list.first != nullptr) list.first->here = &wait.next;
  list.first = &wait;
}

void take_out(one_wait& wait) noexcept {
  *wait.here = wait.next;
  if (wait.next != nullptr) wait.next->here = wait.here;
  wait.here = nullptr;
}

/// A number of a descriptor that was waited for. Lives as long as the poller: libevent may be about to
/// call for it.
struct watched {
  int number = -1;
  std::uint64_t closings = 0;  ///< of the number, by `close_and_tell`
  wait_list waits;
  ::event watch{};
};

struct poller {
  event_base* base = nullptr;
  pthread_t thread{};
  std::unordered_map<int, watched> descriptors;
  wait_list asleep;  ///< waits for time alone
  wait_list closed;  ///< taken from their descriptors, to be told
  ::event tell_closed{};
  ::event stop{};               ///< what is activated before the thread polls counts too, other than a break
  poller* of_parent = nullptr;  ///< one that fork(2) left without its thread; no memory that is lost
};

std::mutex lock;            ///< of all that follows, and of each wait that is in a list
poller* current = nullptr;  ///< null: not started yet in this process
poller* abandoned = nullptr;
bool is_prepared = false;  ///< what a process does once is done
bool is_over = false;      ///< the process ends

/// Tells all, without the lock: those who are told are gone.
void tell(wait_list& done) noexcept {
  for (one_wait* one = done.first; one != nullptr;) {
    one_wait* const next = one->next;
    one->told.set();
    one = next;
  }
}

/// Takes the wait out of its list, to be told. On the polling thread, or after it, so that libevent is
/// not about to call for its timer.
void end_wait(one_wait& wait, int outcome, wait_list& done) noexcept {
  take_out(wait);
  if (wait.is_timed) event_del(&wait.timer);
  wait.outcome = outcome;
  insert(done, wait);
}

short as_poll(short what) noexcept {
  return static_cast<short>(((what & EV_READ) != 0 ? POLLIN : 0) | ((what & EV_WRITE) != 0 ? POLLOUT : 0));
}

void on_ready(evutil_socket_t number, short what, void* argument) noexcept;

/// Registers the descriptor for all who wait for it, from the beginning: the number may be another file's
/// than the one that was registered. 0, or why not.
int watch_anew(poller& own, watched& one) noexcept {
  event_del_noblock(&one.watch);
  short wanted = 0;
  for (const one_wait* wait = one.waits.first; wait != nullptr; wait = wait->next) {
    if ((wait->events & POLLIN) != 0) wanted |= EV_READ;
    if ((wait->events & POLLOUT) != 0) wanted |= EV_WRITE;
  }
  if (wanted == 0) return 0;
  // The system says a thing once. Of a number that was closed it goes on to report a file that lives on under
  // another one, or in another process, and no registration of that number can be taken back.
  wanted |= EV_ET;
  errno = 0;
  if (event_assign(&one.watch, own.base, one.number, wanted, on_ready, &one) != 0 ||
      event_add(&one.watch, nullptr) != 0) {
    return errno != 0 ? errno : ENOMEM;
  }
  return 0;
}

/// Of the polling thread. The registration has been taken back. Who is told looks for itself, so it does
/// no harm that this may be a call for a file that the number was before.
void on_ready(evutil_socket_t /*number*/, short what, void* argument) noexcept {
  watched& one = *static_cast<watched*>(argument);
  wait_list done;
  {
    const std::lock_guard guard(lock);
    for (one_wait* wait = one.waits.first; wait != nullptr;) {
      one_wait* const next = wait->next;
      if ((wait->events & as_poll(what)) != 0) end_wait(*wait, wait_is_over, done);
      wait = next;
    }
    if (watch_anew(*current, one) != 0) {
      // They learn why when they begin again.
      while (one.waits.first != nullptr) end_wait(*one.waits.first, wait_is_over, done);
    }
  }
  tell(done);
}

void on_time(evutil_socket_t /*number*/, short /*what*/, void* argument) noexcept {
  wait_list done;
  {
    const std::lock_guard guard(lock);
    end_wait(*static_cast<one_wait*>(argument), wait_is_over, done);
  }
  tell(done);
}

void on_closed(evutil_socket_t /*number*/, short /*what*/, void* argument) noexcept {
  wait_list done;
  {
    const std::lock_guard guard(lock);
    wait_list& closed = static_cast<poller*>(argument)->closed;
    while (closed.first != nullptr) end_wait(*closed.first, wait_was_closed, done);
  }
  tell(done);
}

void on_stop(evutil_socket_t /*number*/, short /*what*/, void* argument) noexcept {
  event_base_loopbreak(static_cast<poller*>(argument)->base);
}

void* poll_for_all(void* argument) noexcept {
  pthread_setname_np(pthread_self(), "nopal-io");
  event_base_loop(static_cast<event_base*>(argument), EVLOOP_NO_EXIT_ON_EMPTY);
  return nullptr;
}

/// What still waits goes on alone. Who waits may be what the end of the process waits for.
void end_poller() noexcept {
  wait_list done;
  {
    const std::lock_guard guard(lock);
    is_over = true;
    if (current == nullptr) return;
    event_active(&current->stop, EV_READ, 1);
  }
  pthread_join(current->thread, nullptr);
  {
    const std::lock_guard guard(lock);
    for (auto& [number, one] : current->descriptors) {
      while (one.waits.first != nullptr) end_wait(*one.waits.first, wait_alone, done);
      event_del(&one.watch);
    }
    while (current->asleep.first != nullptr) end_wait(*current->asleep.first, wait_alone, done);
    while (current->closed.first != nullptr) end_wait(*current->closed.first, wait_was_closed, done);
    event_base_free(current->base);
    delete current;
    current = nullptr;
  }
  tell(done);
}

void before_new_process() noexcept { lock.lock(); }
void after_new_process() noexcept { lock.unlock(); }
/// The polling thread and those that waited are in the parent alone. Its poller is left as it is: what
/// this process took out of its registrations, the parent would miss.
void in_new_process() noexcept {
  if (current != nullptr) {
    current->of_parent = abandoned;
    abandoned = current;
    current = nullptr;
  }
  lock.unlock();
}

/// libevent says on stderr what it lacks, so that is looked for first. 0, or what the system says.
int look_for_descriptors() noexcept {
  constexpr int needed = 5;  // to poll, to be woken, for time, and two for signals
  int found[needed];
  int count = 0;
  while (count < needed && (found[count] = eventfd(0, EFD_CLOEXEC)) >= 0) ++count;
  const int refused = count < needed ? errno : 0;
  while (count > 0) ::close(found[--count]);
  return refused;
}

event_base* new_base() noexcept {
  event_config* const how = event_config_new();
  if (how == nullptr) return nullptr;
  // Others would look at each descriptor at each turn.
  event_config_require_features(how, EV_FEATURE_O1);
  // Ends are counted from now, and not from when the polling thread woke up last.
  event_config_set_flag(how, EVENT_BASE_FLAG_PRECISE_TIMER | EVENT_BASE_FLAG_NO_CACHE_TIME);
  event_base* const base = event_base_new_with_config(how);
  event_config_free(how);
  return base;
}

/// Without signals: they are for the program's own threads. 0, or what the system says.
int start_thread(poller& own) noexcept {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int refused = pthread_create(&own.thread, nullptr, poll_for_all, own.base);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return refused;
}

/// Under the lock. 0, or what the system says.
int start() noexcept {
  if (!is_prepared) {
    if (evthread_use_pthreads() != 0 ||
        pthread_atfork(before_new_process, after_new_process, in_new_process) != 0 ||
        std::atexit([] { end_poller(); }) != 0) {
      return ENOMEM;
    }
    is_prepared = true;
  }
  if (const int refused = look_for_descriptors(); refused != 0) return refused;
  poller* const own = new (std::nothrow) poller;
  if (own == nullptr) return ENOMEM;
  own->base = new_base();
  if (own->base == nullptr) {
    delete own;
    return ENOMEM;
  }
  event_assign(&own->tell_closed, own->base, -1, 0, on_closed, own);
  event_assign(&own->stop, own->base, -1, 0, on_stop, own);
  if (const int refused = start_thread(*own); refused != 0) {
    event_base_free(own->base);
    delete own;
    return refused;
  }
  current = own;
  return 0;
}

/// Has the wait end at `end` of the steady clock at the latest. Under the lock.
bool set_timer(one_wait& wait, std::int64_t end) noexcept {
  constexpr std::int64_t ns_per_us = 1000;
  constexpr std::int64_t us_per_s = 1'000'000;
  const std::int64_t begin = now();
  const std::int64_t left_us = end <= begin ? 0 : (end - begin - 1) / ns_per_us + 1;
  const timeval left{static_cast<time_t>(left_us / us_per_s), static_cast<suseconds_t>(left_us % us_per_s)};
  wait.is_timed = event_assign(&wait.timer, current->base, -1, 0, on_time, &wait) == 0 &&
                  event_add(&wait.timer, &left) == 0;
  return wait.is_timed;
}

/// The number's entry, or null: there is no memory. Under the lock.
watched* entry_of(int descriptor) noexcept {
#ifdef __cpp_exceptions
  try {
#endif
    const auto [place, is_new] = current->descriptors.try_emplace(descriptor);
    watched& one = place->second;
    if (is_new) {
      one.number = descriptor;
      event_assign(&one.watch, current->base, descriptor, 0, on_ready, &one);
    }
    return &one;
#ifdef __cpp_exceptions
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
#endif
}

/// Under the lock. 0, or what the system says; then nobody will be told.
int begin_wait(one_wait& wait, int descriptor, std::int64_t end) noexcept {
  if (current == nullptr) {
    if (const int refused = start(); refused != 0) return refused;
  }
  watched* one = nullptr;
  if (descriptor >= 0) {
    // libevent would say so on stderr. The lock keeps `close_and_tell` away.
    if (::fcntl(descriptor, F_GETFD) < 0) return EBADF;
    one = entry_of(descriptor);
    if (one == nullptr) return ENOMEM;
    wait.closings = one->closings;
    insert(one->waits, wait);
    if (const int refused = watch_anew(*current, *one); refused != 0) {
      take_out(wait);
      // The others are registered as before, or told at the next event.
      watch_anew(*current, *one);
      return refused;
    }
  } else {
    insert(current->asleep, wait);
  }
  if (end != detail::io_never && !set_timer(wait, end)) {
    take_out(wait);
    if (one != nullptr) watch_anew(*current, *one);
    return ENOMEM;
  }
  return 0;
}

/// Has all who wait for the number told that it is closed. Under the lock.
void take_waits(poller& own, int descriptor) noexcept {
  const auto place = own.descriptors.find(descriptor);
  if (place == own.descriptors.end()) return;
  watched& one = place->second;
  ++one.closings;
  // Also where nobody waits any more: the file may live on under another number, and the system would report it
  // for this one for good.
  event_del_noblock(&one.watch);
  if (one.waits.first == nullptr) return;
  while (one.waits.first != nullptr) {
    one_wait& wait = *one.waits.first;
    take_out(wait);
    insert(own.closed, wait);
  }
  event_active(&own.tell_closed, EV_READ, 1);
}

}  // namespace

std::int64_t now() noexcept {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int wait_for(int descriptor, short events, std::int64_t end) noexcept {
  one_wait wait{.events = events};
  {
    const std::lock_guard guard(lock);
    if (is_over) return wait_alone;
    if (const int refused = begin_wait(wait, descriptor, end); refused != 0) return refused;
  }
  wait.told.wait();
  if (wait.outcome == wait_is_over && descriptor >= 0) {
    // Others that were told of the same may have closed it since: the number may be another file's.
    const std::lock_guard guard(lock);
    if (current != nullptr) {
      const auto place = current->descriptors.find(descriptor);
      if (place != current->descriptors.end() && place->second.closings != wait.closings)
        return wait_was_closed;
    }
  }
  return wait.outcome;
}

int close_and_tell(int descriptor) noexcept {
  // Also over close(2): else a wait could begin between the two, and never be told.
  const std::lock_guard guard(lock);
  if (current != nullptr) take_waits(*current, descriptor);
  return ::close(descriptor);
}

}  // namespace io
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
