// The programs' scope on oneTBB: a task group; parallel_invoke, which makes no task on the heap, where
// the functions are known at once.
#ifndef NOPAL_BENCH_PEERS_TBB_FORK_JOIN_HPP
#define NOPAL_BENCH_PEERS_TBB_FORK_JOIN_HPP

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>

#define NOPAL_PROGRAM_HAS_INVOKE

namespace bench::NOPAL_PROGRAM_VARIANT {

class scope {
public:
  scope() = default;
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope() { group_.wait(); }

  template <class F, class... Args>
  void fork(F&& f, Args&&... args) {
    group_.run([f = std::decay_t<F>(std::forward<F>(f)),
                ... args = std::decay_t<Args>(std::forward<Args>(args))] { std::invoke(f, args...); });
  }
  template <class Out, class F, class... Args>
  void fork_into(Out& out, F&& f, Args&&... args) {
    group_.run([&out, f = std::decay_t<F>(std::forward<F>(f)),
                ... args = std::decay_t<Args>(std::forward<Args>(args))] { out = std::invoke(f, args...); });
  }
  void join() { group_.wait(); }

private:
  tbb::task_group group_;
};

template <class... F>
void invoke(const F&... functions) {
  tbb::parallel_invoke(functions...);
}

}  // namespace bench::NOPAL_PROGRAM_VARIANT

#endif
