// Sessions: MPI's beginning and end, the pool's size, and the calls and waits of strands.
#include "nopal/mpi.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <nopal/runtime.hpp>
#include <nopal/waiting.hpp>

#include "mpi/binding.hpp"
#include "mpi/gate.hpp"
#include "mpi/thread.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace mpi {

namespace {

/// Of the session that there is. Never destroyed in a child of fork(2), where its thread is not.
struct running {
  thread own;
  bool strands_call = false;  ///< the level is `multiple`
  bool was_ours = false;      ///< MPI was initialized here, and has to be finalized
};

gate entrance;               // open while there is a session that takes calls
running* current = nullptr;  // the session's: written before the gate is opened, and read by those within
std::atomic<bool> is_claimed{false};  // by a session, from before its beginning to after its end
std::atomic<bool> is_child{false};    // of fork(2), of a process that had a session

[[noreturn, gnu::noinline, gnu::cold]] void refuse_child() {
  throw nopal::error(
      "nopal: mpi: this process was made by fork(2) while there was a session, which is its parent's; "
      "accepted: calls in the parent");
}

/// Whether MPI was. Any thread may ask.
bool is_finalized() {
  int found = 0;
  MPI_Finalized(&found);
  return found != 0;
}

/// Open MPI 4 ends a program that asks for the text of a code before MPI begins or behind its end.
bool has_texts() {
  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  return is_initialized != 0 && !is_finalized();
}

/// The session cannot end while there is one. Not held while a strand waits for the session's thread: that is over
/// with its orders before the end.
class user {
public:
  user() {
    if (is_child.load(std::memory_order_relaxed)) refuse_child();
    if (!entrance.enter()) {
      throw nopal::error(
          "nopal: mpi: there is no session; accepted: calls while a nopal::mpi::session lives");
    }
    // MPI would end the process.
    if (is_finalized()) {
      entrance.leave();
      throw nopal::error("nopal: mpi: MPI was finalized within the session; accepted: MPI_Finalize behind "
                         "the session, where the "
                         "program initialized MPI");
    }
  }
  user(const user&) = delete;
  user& operator=(const user&) = delete;
  ~user() { entrance.leave(); }

  running* operator->() const noexcept { return current; }
};

void throw_if(const std::exception_ptr& thrown) {
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

template <class F>
void call_on(thread& own, F f) {
  order one{.run = [](void* context) { (*static_cast<F*>(context))(); }, .context = &f};
  own.put(one);
  one.told.wait();
  throw_if(one.thrown);
}

void wait_in_place(order& wait) {
  for (; wait.first < wait.count; ++wait.first) {
    MPI_Status* const status = wait.statuses == nullptr ? MPI_STATUS_IGNORE : wait.statuses + wait.first;
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): the program has begun it
    const int code = MPI_Wait(&wait.requests[wait.first], status);
    if (code != MPI_SUCCESS && wait.thrown == nullptr) wait.thrown = failure_of(code, "MPI_Wait");
  }
}

/// What it throws is in the order.
void wait_for(order& wait) noexcept {
  if (wait.count == 0) return;
  if (thread::is_this()) {
    wait_in_place(wait);
    return;
  }
  try {
    const user session;
    if (session->strands_call && test_in_turn(wait)) return;
    session->own.put(wait);
  } catch (...) {
    wait.thrown = std::current_exception();
    return;
  }
  wait.told.wait();
}

const char* name_of(int level) {
  switch (level) {
  case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
  case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
  case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
  default: return "MPI_THREAD_MULTIPLE";
  }
}

/// What the program's own MPI allows.
int level_of_adopted() {
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  if (level < MPI_THREAD_SERIALIZED) {
    throw nopal::error(
        std::string("nopal: mpi: the program initialized MPI with ") + name_of(level) +
        ", where no other thread may call it; accepted: MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE, or "
        "to leave MPI_Init to nopal::mpi::session");
  }
  return level;
}

/// What MPI gives. On the session's thread, which is the main thread of MPI then.
int initialize(int* argc, char*** argv, int asked) {
  int given = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(argc, argv, asked, &given), "MPI_Init_thread");
  if (given < MPI_THREAD_FUNNELED) {
    MPI_Finalize();
    throw nopal::error(
        "nopal: mpi: this MPI gives MPI_THREAD_SINGLE, where a process has one thread; accepted: an "
        "MPI with MPI_THREAD_FUNNELED at least");
  }
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return given;
}

void look_for_fork() {
  static const int refused = pthread_atfork(nullptr, nullptr, [] {
    if (is_claimed.load(std::memory_order_relaxed)) is_child.store(true, std::memory_order_relaxed);
  });
  if (refused != 0) throw nopal::error("nopal: mpi: the system has no memory for a handler of fork(2)");
}

/// Where the program asks for no number.
void size_pool(double share) {
  const char* const set = std::getenv("NOPAL_WORKERS");
  if ((set != nullptr && *set != '\0') || share >= 1) return;
  constexpr double rounding = 1e-6;
  configuration with;
  with.workers = static_cast<int>(workers() * share + rounding);
  if (with.workers < 1) with.workers = 1;
  try {
    configure(with);
  } catch (const nopal::error&) {  // NOLINT(bugprone-empty-catch)
    // The pool runs, and stays as it is.
  }
}

/// Ends a session's own, once its other orders are over, and MPI if that was begun here. Also of a session whose
/// beginning failed: a process that ends without MPI_Finalize takes others along.
struct ending {
  void operator()(running* ended) const {
    order last{.run = finalize, .context = &ended->was_ours, .is_last = true};
    ended->own.put(last);
    last.told.wait();
    delete ended;
  }

  static void finalize(void* was_ours) {
    int is_initialized = 0;
    MPI_Initialized(&is_initialized);
    // The program may have done so itself.
    if (*static_cast<bool*>(was_ours) && is_initialized != 0 && !is_finalized()) MPI_Finalize();
  }
};

}  // namespace

std::exception_ptr failure_of(int code, const char* name) noexcept {
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  if (!has_texts() || MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  try {
    std::string line = std::string("nopal: mpi: ") + name + ": ";
    line += length > 0 ? std::string(text, static_cast<std::size_t>(length)) : std::to_string(code);
    return std::make_exception_ptr(error(line, code));
  } catch (...) {
    return std::current_exception();
  }
}

void check(int code, const char* name) {
  if (code != MPI_SUCCESS) std::rethrow_exception(failure_of(code, name));
}

session::session(int* argc, char*** argv, const options& with) {
  const int asked = static_cast<int>(with.level);
  if (asked < MPI_THREAD_FUNNELED || asked > MPI_THREAD_MULTIPLE) {
    throw nopal::error("nopal: mpi: a level that is none; accepted: funneled, serialized, multiple");
  }
  if (is_child.load(std::memory_order_relaxed)) refuse_child();
  if (is_claimed.exchange(true, std::memory_order_acquire)) {
    throw nopal::error("nopal: mpi: there is a session already; accepted: one at a time");
  }
  struct claim {
    bool is_kept = false;
    ~claim() {
      if (!is_kept) is_claimed.store(false, std::memory_order_release);
    }
  } claimed;
  look_for_fork();

  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  if (is_finalized()) {
    throw nopal::error(
        "nopal: mpi: MPI was finalized, and cannot be initialized again; accepted: one session that "
        "lasts as long as MPI is used");
  }
  int given = is_initialized != 0 ? level_of_adopted() : asked;
  // Before MPI begins: a number that is none, or a pool that runs already, is refused.
  if (with.workers != 0) configure({.workers = with.workers});
  std::unique_ptr<running, ending> started(new running);
  started->was_ours = is_initialized == 0;
  double share = 1;
  call_on(started->own, [&] {
    if (started->was_ours) given = initialize(argc, argv, asked);
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
    share = share_of_processors();
  });
  level_ = static_cast<thread_level>(given < asked ? given : asked);
  started->strands_call = level_ == thread_level::multiple;
  if (with.workers == 0) size_pool(share);
  current = started.release();
  entrance.open();
  claimed.is_kept = true;
}

session::~session() {
  if (is_child.load(std::memory_order_relaxed)) return;
  entrance.close();
  ending()(std::exchange(current, nullptr));
  is_claimed.store(false, std::memory_order_release);
}

// What says "no status" is null in an order; in MPI it may be another address.
void wait(MPI_Request& request, MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) status = nullptr;
  order one{.requests = &request, .statuses = status, .count = 1};
  wait_for(one);
  throw_if(one.thrown);
}

void wait_all(std::span<MPI_Request> requests, MPI_Status* statuses) {
  if (statuses == MPI_STATUSES_IGNORE) statuses = nullptr;
  order all{.requests = requests.data(), .statuses = statuses, .count = requests.size()};
  wait_for(all);
  throw_if(all.thrown);
}

void barrier(MPI_Comm of) {
  complete([of](MPI_Request* request) { return MPI_Ibarrier(of, request); }, nullptr, "MPI_Ibarrier");
}

void yield() {
  if (thread::is_this()) return;
  order nothing{.run = [](void* /*context*/) {}};
  user()->own.put(nothing);
  nothing.told.wait();
}

// Who wants the error waits before.
request::~request() {
  if (request_ == MPI_REQUEST_NULL) return;
  order one{.requests = &request_, .count = 1};
  wait_for(one);
}

}  // namespace mpi

namespace detail {

void mpi_call(void (*run)(void*), void* context, mpi_call_kind kind) {
  if (mpi::thread::is_this()) {
    run(context);
    return;
  }
  mpi::order one{.run = run, .context = context};
  {
    const mpi::user session;
    if (session->strands_call) {
      if (kind == mpi_call_kind::quick) {
        run(context);
      } else {
        blocking([&] { run(context); });
      }
      return;
    }
    session->own.put(one);
  }
  one.told.wait();
  mpi::throw_if(one.thrown);
}

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
