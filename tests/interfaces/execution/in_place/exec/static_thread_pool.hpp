// In the place of stdexec's own pool, for what is included by name.
#ifndef NOPAL_TESTS_EXECUTION_STATIC_THREAD_POOL_HPP
#define NOPAL_TESTS_EXECUTION_STATIC_THREAD_POOL_HPP

#include "../pool.hpp"

#include <exec/sequence/iterate.hpp>

#include <random>  // which tests use by way of that header
#include <utility>

namespace experimental::execution {

// Nopal has no threads or memory nodes to name and no such sequences. What the tests of the pool itself call of that ends the
// program here, so that their file compiles; stdexec.sh leaves out the cases that would come to it.
struct nodemask {
  void set(std::size_t /*node*/) {}
};
struct no_parameters {};
struct numa_policy {
  explicit numa_policy(auto /*policy*/) {}
};

class static_thread_pool : public nopal_pool {
public:
  using nopal_pool::nopal_pool;
  static_thread_pool(std::uint32_t /*threads*/, no_parameters /*none*/, const numa_policy& /*policy*/) {
    std::terminate();
  }
  scheduler get_constrained_scheduler(const nodemask* /*nodes*/) { std::terminate(); }
  scheduler get_scheduler_on_thread(std::size_t /*thread*/) { std::terminate(); }
};

template <class Range>
auto schedule_all(static_thread_pool& /*pool*/, Range&& range)
    -> decltype(iterate(std::forward<Range>(range))) {
  std::terminate();
}

}  // namespace experimental::execution

#endif
