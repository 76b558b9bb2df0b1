// The thread of a session.
#include "mpi/thread.hpp"

#include <signal.h>
#include <sys/prctl.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include <nopal/runtime.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace mpi {

namespace {

// After something happened it looks again and again for so long; then it sleeps between two looks, twice as
// long each time, up to the longest. docs/mpi.md names the bound.
constexpr std::int64_t looks_for_ns = 20'000;
constexpr std::int64_t shortest_sleep_ns = 5'000;
constexpr std::int64_t longest_sleep_ns = 100'000;

thread_local bool is_session_thread = false;

std::int64_t now() noexcept {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Keeps the failure if it is the first in the order of the requests.
void fail(order& wait, std::size_t at, int code) noexcept {
  if (wait.thrown == nullptr || at < wait.first_failed) {
    wait.thrown = failure_of(code, "MPI_Wait");
    wait.first_failed = at;
  }
}

void record(order& wait, std::size_t at, const MPI_Status& status, int code) noexcept {
  if (wait.statuses != nullptr) wait.statuses[at] = status;
  if (code != MPI_SUCCESS) fail(wait, at, code);
}

}  // namespace

bool test_in_turn(order& wait) {
  for (; wait.first < wait.count; ++wait.first) {
    int is_complete = 0;
    MPI_Status status{};
    const int code = MPI_Test(&wait.requests[wait.first], &is_complete, &status);
    if (code == MPI_SUCCESS && is_complete == 0) return false;
    record(wait, wait.first, status, code);
  }
  return true;
}

thread::thread() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // Without signals: they are for the program's own threads. Those that MPI starts have the same mask.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int refused = pthread_create(&thread_, nullptr, run_for, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (refused != 0) {
    throw nopal::error(std::string("nopal: mpi: the system refuses a thread: ") + std::strerror(refused));
  }
}

thread::~thread() {
  {
    const std::lock_guard guard(lock_);
    is_over_ = true;
  }
  has_work_.notify_one();
  pthread_join(thread_, nullptr);
}

// Not inlined: compilers keep the address of a thread-local variable across a wait.
[[gnu::noinline]] bool thread::is_this() noexcept { return is_session_thread; }

void thread::put(order& one) {
  {
    const std::lock_guard guard(lock_);
    *tail_ = &one;
    tail_ = &one.next;
    has_orders_.store(true, std::memory_order_relaxed);
  }
  has_work_.notify_one();
}

void* thread::run_for(void* argument) noexcept {
  is_session_thread = true;
  pthread_setname_np(pthread_self(), "nopal-mpi");
  // Its sleeps are shorter than what the system adds to those of other threads.
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  static_cast<thread*>(argument)->loop();
  return nullptr;
}

void thread::loop() noexcept {
  while (pause()) {
    // Relaxed: the lock orders the queue.
    if (has_orders_.load(std::memory_order_relaxed)) take_orders();
    if (!requests_.empty() && test_batch()) last_event_ = now();
    if (last_ != nullptr && requests_.empty()) {
      order& one = *last_;
      last_ = nullptr;
      make_call(one);
    }
  }
}

bool thread::pause() {
  if (!requests_.empty() && now() - last_event_ < looks_for_ns) {
    pause_ns_ = shortest_sleep_ns;
    return true;
  }
  std::unique_lock guard(lock_);
  const auto is_awake = [this] { return head_ != nullptr || is_over_; };
  if (requests_.empty()) {
    has_work_.wait(guard, is_awake);
    return head_ != nullptr;
  }
  has_work_.wait_for(guard, std::chrono::nanoseconds(pause_ns_), is_awake);
  pause_ns_ = 2 * pause_ns_ < longest_sleep_ns ? 2 * pause_ns_ : longest_sleep_ns;
  return true;
}

void thread::take_orders() noexcept {
  order* taken = nullptr;
  {
    const std::lock_guard guard(lock_);
    taken = head_;
    head_ = nullptr;
    tail_ = &head_;
    has_orders_.store(false, std::memory_order_relaxed);
  }
  while (taken != nullptr) {
    // It may be gone once it was begun.
    order& one = *taken;
    taken = one.next;
    begin(one);
  }
  last_event_ = now();
}

void thread::begin(order& one) noexcept {
  if (one.is_last) {
    last_ = &one;
  } else if (one.run != nullptr) {
    make_call(one);
  } else {
    add_to_batch(one);
  }
}

void thread::make_call(order& one) noexcept {
  try {
    one.run(one.context);
  } catch (...) {
    one.thrown = std::current_exception();
  }
  one.told.set();
}

/// All that a wait can fail for, for want of memory. False: it was told.
bool thread::make_room_for(order& wait) noexcept {
  const std::size_t most = requests_.size() + (wait.count - wait.first);
  try {
    requests_.reserve(most);
    owners_.reserve(most);
    indices_.resize(most);
    statuses_.resize(most);
    return true;
  } catch (...) {
    wait.thrown = std::current_exception();
    wait.told.set();
    return false;
  }
}

void thread::add_to_batch(order& wait) noexcept {
  if (!make_room_for(wait)) return;
  // One more, so that it is not told while it is added.
  wait.left = 1;
  for (std::size_t at = wait.first; at < wait.count; ++at) {
    int is_complete = 0;
    MPI_Status status{};
    const int code = MPI_Test(&wait.requests[at], &is_complete, &status);
    if (code != MPI_SUCCESS || is_complete != 0) {
      record(wait, at, status, code);
      continue;
    }
    requests_.push_back(wait.requests[at]);
    owners_.push_back({&wait, at});
    ++wait.left;
  }
  if (--wait.left == 0) wait.told.set();
}

bool thread::test_batch() noexcept {
  int count = 0;
  const int code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, indices_.data(),
                                statuses_.data());
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) return test_each();
  if (count <= 0) return false;
  for (int i = 0; i < count; ++i) {
    const MPI_Status& status = statuses_[static_cast<std::size_t>(i)];
    complete(static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]), status,
             code == MPI_SUCCESS ? MPI_SUCCESS : status.MPI_ERROR);
  }
  drop_complete();
  return true;
}

// Where MPI does not say which one failed.
bool thread::test_each() noexcept {
  bool found = false;
  for (std::size_t at = 0; at < requests_.size(); ++at) {
    int is_complete = 0;
    MPI_Status status{};
    const int code = MPI_Test(&requests_[at], &is_complete, &status);
    if (code == MPI_SUCCESS && is_complete == 0) continue;
    complete(at, status, code);
    found = true;
  }
  drop_complete();
  return found;
}

void thread::complete(std::size_t at, const MPI_Status& status, int code) noexcept {
  const owner its = owners_[at];
  its.wait->requests[its.at] = requests_[at];
  record(*its.wait, its.at, status, code);
  owners_[at].wait = nullptr;
  // With its last request the order may be gone.
  if (--its.wait->left == 0) its.wait->told.set();
}

void thread::drop_complete() noexcept {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < requests_.size(); ++at) {
    if (owners_[at].wait == nullptr) continue;
    requests_[kept] = requests_[at];
    owners_[kept] = owners_[at];
    ++kept;
  }
  requests_.resize(kept);
  owners_.resize(kept);
}

}  // namespace mpi
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
