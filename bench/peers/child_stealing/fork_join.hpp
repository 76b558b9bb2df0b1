// The programs' scope with stolen children: see scheduler.hpp. `invoke` keeps its tasks in the parent's frame, `fork`,
// which may be in a loop, in memory that each worker has at hand.
#ifndef NOPAL_BENCH_PEERS_CHILD_STEALING_FORK_JOIN_HPP
#define NOPAL_BENCH_PEERS_CHILD_STEALING_FORK_JOIN_HPP

#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include "peers/child_stealing/scheduler.hpp"

#define NOPAL_PROGRAM_HAS_INVOKE

namespace bench::NOPAL_PROGRAM_VARIANT {

class scope {
public:
  scope() = default;
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope() { join(); }

  template <class F, class... Args>
  void fork(F&& f, Args&&... args) {
    start([f = std::decay_t<F>(std::forward<F>(f)),
           ... args = std::decay_t<Args>(std::forward<Args>(args))]() mutable {
      std::invoke(std::move(f), std::move(args)...);
    });
  }
  template <class Out, class F, class... Args>
  void fork_into(Out& out, F&& f, Args&&... args) {
    start([&out, f = std::decay_t<F>(std::forward<F>(f)),
           ... args = std::decay_t<Args>(std::forward<Args>(args))]() mutable {
      out = std::invoke(std::move(f), std::move(args)...);
    });
  }
  void join() {
    while (forked_ > 0) {
      child_stealing::task* const own = child_stealing::pop();
      if (own == nullptr) {
        child_stealing::wait(join_, forked_);
        forked_ = 0;
        return;
      }
      --forked_;
      own->run(own);
    }
  }

private:
  template <class Child>
  struct child_task : child_stealing::task {
    Child child;
  };

  template <class Child>
  void start(Child&& child) {
    using made = child_task<std::decay_t<Child>>;
    constexpr bool is_small = sizeof(made) <= child_stealing::task_memory::largest_bytes &&
                              alignof(made) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
    void* memory;
    if constexpr (is_small) {
      memory = child_stealing::this_worker().memory.allocate<sizeof(made)>();
    } else {
      memory = ::operator new(sizeof(made), std::align_val_t(alignof(made)));
    }
    child_stealing::push(new (memory) made{{run<made, is_small>, &join_}, std::forward<Child>(child)});
    ++forked_;
  }

  // The memory is free for the child's own children.
  template <class Made, bool IsSmall>
  static void run(child_stealing::task* forked) {
    auto* const made = static_cast<Made*>(forked);
    auto child = std::move(made->child);
    made->~Made();
    if constexpr (IsSmall) {
      child_stealing::this_worker().memory.free<sizeof(Made)>(made);
    } else {
      ::operator delete(made, std::align_val_t(alignof(Made)));
    }
    child();
  }

  std::int64_t forked_ = 0;  // and not known to be done or stolen
  child_stealing::join_state join_;
};

template <class Last>
[[gnu::always_inline]] inline void invoke(const Last& last) {
  last();
}

/// Offers the first, runs the others, and then the first unless it was stolen.
template <class First, class... Rest>
[[gnu::always_inline]] inline void invoke(const First& first, const Rest&... rest) {
  struct offered : child_stealing::task {
    const First* function;
  };
  child_stealing::join_state join;
  offered offer{{[](child_stealing::task* taken) { (*static_cast<offered*>(taken)->function)(); }, &join},
                &first};
  child_stealing::push(&offer);
  invoke(rest...);
  if (child_stealing::pop() != nullptr) {
    first();
  } else {
    child_stealing::wait(join, 1);
  }
}

}  // namespace bench::NOPAL_PROGRAM_VARIANT

#endif
