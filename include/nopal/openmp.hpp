// Beside OpenMP: code with OpenMP's constructs in strands. Nothing here needs OpenMP, neither to
// compile nor to link: its runtime library is used if the program has one. docs/openmp.md says what
// may be mixed, and how.
#ifndef NOPAL_OPENMP_HPP
#define NOPAL_OPENMP_HPP

#include <nopal/detail/language.h>

#include <pthread.h>

#include <exception>
#include <type_traits>
#include <utility>

#include <nopal/detail/machine.h>
#include <nopal/detail/thrown.hpp>
#include <nopal/runtime.hpp>

// Weak: null in a program without OpenMP. Under names of ours, since <omp.h> declares the same
// functions, each implementation in its own way.
extern "C" {
int nopal_openmp_get_max_threads() noexcept __asm__("omp_get_max_threads") __attribute__((weak));
void nopal_openmp_set_num_threads(int threads) noexcept __asm__("omp_set_num_threads") __attribute__((weak));
int nopal_openmp_get_active_level() noexcept __asm__("omp_get_active_level") __attribute__((weak));
int nopal_openmp_get_max_active_levels() noexcept __asm__("omp_get_max_active_levels") __attribute__((weak));
void nopal_openmp_set_max_active_levels(int levels) noexcept __asm__("omp_set_max_active_levels")
    __attribute__((weak));
}

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace openmp {

/// Whether the program has an OpenMP runtime library, linked or loaded with global symbols before
/// this was bound. From any thread. Constant time.
[[nodiscard]] inline bool is_present() noexcept {
  return nopal_openmp_get_max_threads != nullptr && nopal_openmp_set_num_threads != nullptr &&
         nopal_openmp_get_active_level != nullptr && nopal_openmp_get_max_active_levels != nullptr &&
         nopal_openmp_set_max_active_levels != nullptr;
}

namespace detail {

/// Which OS thread this is. Volatile, since after a fork or a join it may be another: compilers
/// keep what pthread_self gave.
[[gnu::always_inline]] inline const void* this_thread() noexcept {
  const void* thread;
  NOPAL_DETAIL_READ_THREAD(thread);
  return thread;
}

[[noreturn, gnu::noinline, gnu::cold]] inline void fail([[maybe_unused]] const char* message) {
#ifdef __cpp_exceptions
  throw error(message);
#else
  std::terminate();
#endif
}

/// What a thread made for one call runs.
template <class F>
struct call_on_own_thread {
  F& function;
  nopal::NOPAL_MODE_NAMESPACE::detail::kept_exception thrown{};

  static void* run(void* self) {
    auto& call = *static_cast<call_on_own_thread*>(self);
#ifdef __cpp_exceptions
    try {
      call.function();
    } catch (...) {
      call.thrown.keep();
    }
#else
    call.function();
#endif
    return nullptr;
  }
};

}  // namespace detail

/// While it lives, the parallel regions that this OS thread starts get so many threads at most.
///
/// Each OS thread that meets a parallel region gets a team of its own, so P workers whose strands
/// start regions of N threads keep P N threads busy. With a limit of 1 regions are run by the
/// thread that meets them alone, also those with a `num_threads` clause; a greater limit does not
/// hold for such a clause. A limit never raises what held before.
///
/// The limit belongs to the OS thread, so between its making and its end lies no fork and no join,
/// unless this thread is outside of all scopes; if its end is met on another thread the limit stays
/// with the first. `region` does that right. Does nothing in a program without OpenMP. Throws
/// nothing. Constant time.
class thread_limit {
public:
  /// `threads` less than 1 count as 1.
  [[gnu::noinline]] explicit thread_limit(int threads) noexcept : thread_(detail::this_thread()) {
    if (!is_present()) return;
    threads_before_ = nopal_openmp_get_max_threads();
    levels_before_ = nopal_openmp_get_max_active_levels();
    if (threads < threads_before_) nopal_openmp_set_num_threads(threads > 1 ? threads : 1);
    const int level = nopal_openmp_get_active_level();
    if (threads <= 1 && level < levels_before_) nopal_openmp_set_max_active_levels(level);
  }
  thread_limit(const thread_limit&) = delete;
  thread_limit& operator=(const thread_limit&) = delete;

  [[gnu::noinline]] ~thread_limit() {
    if (threads_before_ == 0 || thread_ != detail::this_thread()) return;
    nopal_openmp_set_num_threads(threads_before_);
    nopal_openmp_set_max_active_levels(levels_before_);
  }

private:
  const void* thread_;
  int threads_before_ = 0;  ///< 0: there is no OpenMP
  int levels_before_ = 0;
};

/// A `thread_limit` of 1: while it lives, the parallel regions that this OS thread starts are
/// serial.
class serial_regions : public thread_limit {
public:
  serial_regions() noexcept : thread_limit(1) {}
};

/// Calls `f()`, which has OpenMP's constructs, and returns what it returns.
///
/// In a function of its own, which is the point: both GCC and Clang ask once per function which
/// thread it is on, and OpenMP's constructs after a fork or a join would act for the thread before.
/// In a strand `f` forks nothing itself, nor does what the first thread of its team runs: a join
/// could leave it on another thread in the middle of a parallel region, which corrupts OpenMP's
/// state. `root_region` is for that. Outside of all scopes `f` may fork, as any code of a thread's
/// own. Where `f` comes back on another thread, `error` is thrown (programs without exceptions
/// end). Throws what `f` throws. From any thread and any strand. A call beyond `f`.
template <class F>
[[gnu::noinline]] decltype(auto) region(F&& f) {
  struct check {
    const void* thread = detail::this_thread();
    void operator()() const {
#ifndef NOPAL_ELIDE
      if (thread != detail::this_thread()) {
        detail::fail(
            "nopal::openmp::region: the function came back on another thread, since it forked in a strand");
      }
#endif
    }
  };
  const check is_still_here;
  if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
    std::forward<F>(f)();
    is_still_here();
  } else {
    decltype(auto) result = std::forward<F>(f)();
    is_still_here();
    return static_cast<std::invoke_result_t<F>>(std::forward<decltype(result)>(result));
  }
}

/// The same with a `thread_limit` for the regions in `f`; 1 where all workers have work already.
template <class F>
[[gnu::noinline]] decltype(auto) region(int threads, F&& f) {
  const thread_limit limit(threads);
  return region(std::forward<F>(f));
}

/// Calls `f()`, which returns nothing, has OpenMP's constructs, and forks inside of them.
///
/// Runs on a thread made for the call, while this one waits. There `f` is outside of all scopes, so
/// that each of its joins comes back on the thread that called it, as regions need. The new thread
/// is one more worker for the time. OpenMP's settings are those of a fresh thread. Throws what `f`
/// throws, which may not leave a parallel region, and `error` if there is no thread to be had. From
/// any thread and any strand. Takes the making of a thread, and of a team for it, beyond `f`.
template <class F>
void root_region(F&& f) {
  static_assert(std::is_void_v<std::invoke_result_t<F&>>,
                "nopal: root_region: the function must return nothing");
#ifdef NOPAL_ELIDE
  f();
#else
  using call_type = detail::call_on_own_thread<std::remove_reference_t<F>>;
  call_type call{f};
  pthread_t thread;
  if (pthread_create(&thread, nullptr, call_type::run, &call) != 0) {
    detail::fail("nopal::openmp::root_region: no thread can be made");
  }
  pthread_join(thread, nullptr);
  call.thrown.rethrow();
#endif
}

}  // namespace openmp
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
