// The objects that all strands share, and what the ends of threads and of the process do to sets.
#include "view/process.hpp"

#include <pthread.h>

#include "view/current.hpp"
#include "view/host.hpp"
#include "view/merge.hpp"
#include "view/task_views.hpp"
#include "view/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

constinit registry all_reducers;
constinit deposit_table all_deposits;
constinit store unowned;

namespace {

// Threads that did not come from the pool leave a set behind when they end.
pthread_key_t thread_end_key;
pthread_once_t thread_end_key_made = PTHREAD_ONCE_INIT;
bool thread_end_key_works = false;

/// Ends the set of a thread that is about to end or is no strand any more.
void drop_thread_views() noexcept {
  if (view_set* const set = leave_set()) {
    drop_all(all_reducers, set);
    unowned.give_set(set);
  }
}

void thread_ends(void*) { drop_thread_views(); }

/// At dlclose, and at the end of the program. As late as can be: what is destroyed with the program or the plug-in may use
/// reducers, and end its own.
__attribute__((destructor(101))) void at_unload() {
  if (host::is_stand_in()) {  // unreached: copies
    return;                   // the views at hand are another copy's; unreached: copies
  }
  drop_thread_views();
  unowned.trim();
  all_reducers.trim();
  if (thread_end_key_works) {
    pthread_key_delete(thread_end_key);
    thread_end_key_works = false;
  }
}

void make_thread_end_key() { thread_end_key_works = pthread_key_create(&thread_end_key, thread_ends) == 0; }

}  // namespace

view_set* own_set(bool base) noexcept {
  view_set* set = this_views();
  if (set != nullptr) {
    return set;
  }
  set = unowned.take_set();
  if (set == nullptr) {
    return nullptr;
  }
  if (base) {
    pthread_once(&thread_end_key_made, make_thread_end_key);
    if (thread_end_key_works) {
      pthread_setspecific(thread_end_key, set);  // any value that is not null
    }
  }
  set_this_views(set);
  return set;
}

void count_view_sets(std::uint64_t& in_use, std::uint64_t& most) noexcept { unowned.count(in_use, most); }

void trim_views() noexcept { unowned.trim(); }

void lock_views() noexcept {
  all_reducers.lock();
  all_deposits.lock_all();
  lock_task_merges();
  unowned.lock();
}

void unlock_views() noexcept {
  unowned.unlock();
  unlock_task_merges();
  all_deposits.unlock_all();
  all_reducers.unlock();
}

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
