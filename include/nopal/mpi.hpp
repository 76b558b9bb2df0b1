// MPI from strands: a rank is a process with a pool, and strands wait for requests without a worker.
//
// A library of its own, libnopal-mpi: CMake's nopal::mpi, pkg-config's nopal-mpi. docs/mpi.md says what may
// be called where, and how things end. The serial elision uses the same library: what waits is a thread.
#ifndef NOPAL_MPI_HPP
#define NOPAL_MPI_HPP

// The bindings for C++ that MPI once had: nothing here is of them, and they need a library more.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <nopal/detail/export.h>
#include <nopal/runtime.hpp>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

/// How a call of MPI is made where strands may make it themselves.
enum class mpi_call_kind : int {
  quick,   ///< on the strand's worker
  blocks,  ///< the same as a call that blocks: another thread has the worker's place
};

/// Calls `run(context)` where MPI may be called, and waits for its end. Its exceptions pass.
NOPAL_EXPORT void mpi_call(void (*run)(void*), void* context, mpi_call_kind kind);

/// The same of any callable without a result.
template <class F>
void mpi_call_of(F& f, mpi_call_kind kind) {
  mpi_call([](void* context) { (*static_cast<F*>(context))(); }, std::addressof(f), kind);
}

}  // namespace detail

namespace mpi {

/// Which threads may call MPI. Of the session, what MPI gives.
enum class thread_level : int {
  funneled = MPI_THREAD_FUNNELED,      ///< one thread: the session's own makes all calls
  serialized = MPI_THREAD_SERIALIZED,  ///< one at a time: the same
  multiple = MPI_THREAD_MULTIPLE,      ///< all: strands call, and the session's thread looks after requests
};

/// What a session is asked for.
struct options {
  /// Asked of MPI, which may give less.
  thread_level level = thread_level::multiple;
  /// Of the pool; 0: by the processors that this rank is bound to, unless NOPAL_WORKERS is set.
  int workers = 0;
};

/// What MPI refused: a line with the call's name and MPI's own text.
class NOPAL_EXPORT error : public nopal::error {
public:
  /// With the line that `what` gives.
  error(const std::string& line, int code) : nopal::error(line), code_(code) {}
  /// As the call returned it.
  [[nodiscard]] int code() const noexcept { return code_; }

private:
  int code_;
};

/// The time in which strands may use MPI: initializes it, and finalizes it at the end. One at a time; of one
/// process, MPI allows one at all.
///
/// Has a thread of its own, `nopal-mpi`, which initializes MPI. If the program initialized MPI itself, the
/// session uses that, and leaves its end to the program. Sizes the pool, unless that runs already. Made by all
/// ranks of MPI_COMM_WORLD. Throws `nopal::error` where there can be none; if MPI was begun by then, it is
/// finalized.
class NOPAL_EXPORT session {
public:
  /// MPI may take what is its own out of the arguments of `main`.
  session(int& argc, char**& argv, const options& with = {}) : session(&argc, &argv, with) {}
  /// The same without arguments.
  explicit session(const options& with = {}) : session(nullptr, nullptr, with) {}
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  /// Refuses calls from here on, and waits for those that have begun, also for requests that strands wait for;
  /// then MPI_Finalize, which may wait for all ranks. Not within `start` or `call`.
  ~session();

  /// What MPI gives, and not more than was asked for.
  [[nodiscard]] thread_level level() const noexcept { return level_; }
  /// Of MPI_COMM_WORLD.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// Of MPI_COMM_WORLD.
  [[nodiscard]] int size() const noexcept { return size_; }

private:
  session(int* argc, char*** argv, const options& with);

  thread_level level_ = thread_level::funneled;
  int rank_ = 0;
  int size_ = 0;
};

/// Throws `mpi::error` if `code` is not MPI_SUCCESS; `name` is that of the call. Where MPI may be called;
/// before MPI begins and behind its end the line has the number in place of MPI's text.
NOPAL_EXPORT void check(int code, const char* name);

/// Waits until the request is complete, as MPI_Wait: it is MPI_REQUEST_NULL then, or inactive if it is a
/// persistent one. Of those two it returns at once, with an empty status.
///
/// A strand that waits is suspended: its worker runs others meanwhile, and the wait may return on another
/// thread, as a join. Other threads block. The buffer has to live until then. Throws `mpi::error` if the
/// request failed.
NOPAL_EXPORT void wait(MPI_Request& request, MPI_Status* status = nullptr);

/// Waits for all of them, also if some fail; then throws the error of the first that did. `statuses`, if
/// given, has one for each.
NOPAL_EXPORT void wait_all(std::span<MPI_Request> requests, MPI_Status* statuses = nullptr);

/// Calls `f()` where MPI may be called, and returns what it returns; its exceptions pass. For calls that
/// block: in MPI, and not for long, as on one thread of the rank's that all others wait for then, unless
/// the level is `multiple`. `f` forks nothing. Calls of this header within it are made on the spot; a wait there
/// suspends the strand under `multiple`, and is MPI's otherwise.
template <class F>
decltype(auto) call(F&& f) {
  using result = std::invoke_result_t<F>;
  constexpr auto kind = detail::mpi_call_kind::blocks;
  if constexpr (std::is_void_v<result>) {
    auto run = [&f] { std::forward<F>(f)(); };
    detail::mpi_call_of(run, kind);
  } else if constexpr (std::is_reference_v<result>) {
    std::remove_reference_t<result>* found = nullptr;
    auto run = [&] {
      result one = std::forward<F>(f)();
      found = std::addressof(one);
    };
    detail::mpi_call_of(run, kind);
    return static_cast<result>(*found);
  } else {
    std::optional<result> found;
    auto run = [&] { found.emplace(std::forward<F>(f)()); };
    detail::mpi_call_of(run, kind);
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): the call has come back
    return result(*std::move(found));
  }
}

/// The same for calls that only begin something or ask for something, as MPI_Isend and MPI_Iprobe. `f`
/// returns nothing, or the code of such a call, which is checked: `name` is for the error's line.
template <class F>
void start(F&& f, const char* name = "a call in nopal::mpi::start") {
  constexpr auto kind = detail::mpi_call_kind::quick;
  if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
    auto run = [&f] { std::forward<F>(f)(); };
    detail::mpi_call_of(run, kind);
  } else {
    auto run = [&f, name] { check(std::forward<F>(f)(), name); };
    detail::mpi_call_of(run, kind);
  }
}

/// Starts a request by `f(&request)`, and waits for it: for collectives above all.
template <class F>
void complete(F&& f, MPI_Status* status = nullptr, const char* name = "a call in nopal::mpi::complete") {
  MPI_Request request = MPI_REQUEST_NULL;
  start([&] { return std::forward<F>(f)(&request); }, name);
  wait(request, status);
}

/// Waits until all ranks of the communicator have come to it.
NOPAL_EXPORT void barrier(MPI_Comm of = MPI_COMM_WORLD);

/// Lets strands that are ready go first: the calling one waits for the session's thread, which does nothing.
///
/// A strand whose request is complete goes on once a worker looks for work, as at the end of a running loop.
/// Where a rank has one worker, and a strand computes there without ever waiting, that is never: such a strand
/// yields now and then.
NOPAL_EXPORT void yield();

/// A request that is waited for at the end of its scope, also if an exception leaves that: so declare it
/// behind its buffer. What the wait throws in the destructor is dropped.
class NOPAL_EXPORT request {
public:
  request() noexcept = default;
  request(const request&) = delete;
  request& operator=(const request&) = delete;
  ~request();

  /// For the call that starts it.
  [[nodiscard]] MPI_Request* handle() noexcept { return &request_; }
  /// Waits for it, as `nopal::mpi::wait`; if it was never started, not at all.
  void wait(MPI_Status* status = nullptr) { mpi::wait(request_, status); }

private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace mpi
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
