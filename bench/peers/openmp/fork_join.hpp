// The programs' scope on OpenMP tasks: `#pragma omp task` with the child's arguments firstprivate, `taskwait` at the
// join. Everything is inlined, so what is compiled is what one writes by hand.
//
// A taskwait waits for all children of the running task, so a join waits for those of an outer scope of the
// same function too.
#ifndef NOPAL_BENCH_PEERS_OPENMP_FORK_JOIN_HPP
#define NOPAL_BENCH_PEERS_OPENMP_FORK_JOIN_HPP

#include <functional>
#include <type_traits>
#include <utility>

#define NOPAL_PROGRAM_HAS_INVOKE

namespace bench::NOPAL_PROGRAM_VARIANT {

class scope {
public:
  scope() = default;
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  [[gnu::always_inline]] ~scope() {
    if (forked_) join();
  }

  template <class F, class... Args>
  [[gnu::always_inline]] void fork(F&& f, Args&&... args) {
    start([f = std::decay_t<F>(std::forward<F>(f)),
           ... args = std::decay_t<Args>(std::forward<Args>(args))]() mutable {
      std::invoke(std::move(f), std::move(args)...);
    });
  }
  template <class Out, class F, class... Args>
  [[gnu::always_inline]] void fork_into(Out& out, F&& f, Args&&... args) {
    start([&out, f = std::decay_t<F>(std::forward<F>(f)),
           ... args = std::decay_t<Args>(std::forward<Args>(args))]() mutable {
      out = std::invoke(std::move(f), std::move(args)...);
    });
  }
  [[gnu::always_inline]] void join() {
#pragma omp taskwait
    forked_ = false;
  }

private:
  // Not always_inline: GCC passes that on to functions that it makes of a task, and then cannot inline them.
  template <class Child>
  void start(Child child) {
    forked_ = true;
#pragma omp task firstprivate(child) default(none)
    child();
  }

  bool forked_ = false;  // known to the compiler, as all of this is inlined
};

namespace openmp {

/// A task for each function but the last, which the caller runs.
template <class Last>
[[gnu::always_inline]] inline void run_all(const Last& last) {
  last();
}
template <class First, class... Rest>
void run_all(First first, const Rest&... rest) {
#pragma omp task firstprivate(first) default(none)
  first();
  run_all(rest...);
}

}  // namespace openmp

template <class... F>
[[gnu::always_inline]] inline void invoke(const F&... functions) {
  openmp::run_all(functions...);
#pragma omp taskwait
}

}  // namespace bench::NOPAL_PROGRAM_VARIANT

#endif
