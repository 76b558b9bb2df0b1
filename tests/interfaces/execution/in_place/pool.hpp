// A pool as stdexec's tests make them, by a Nopal arena of so many threads. The headers beside this one are found in the place
// of those of its own pools.
#ifndef NOPAL_TESTS_EXECUTION_POOL_HPP
#define NOPAL_TESTS_EXECUTION_POOL_HPP

#include <nopal/execution.hpp>

#include <cstdint>
#include <thread>

namespace experimental::execution {

class nopal_pool {
public:
  using scheduler = nopal::execution::scheduler;
  using domain = nopal::execution::domain;

  nopal_pool() : nopal_pool(std::thread::hardware_concurrency()) {}
  explicit nopal_pool(std::uint32_t threads) : arena_(static_cast<int>(threads)) {}

  [[nodiscard]] scheduler get_scheduler() noexcept { return nopal::execution::get_scheduler(arena_); }
  [[nodiscard]] std::uint32_t available_parallelism() const noexcept {
    return static_cast<std::uint32_t>(arena_.max_concurrency());
  }
  void request_stop() noexcept {}

private:
  nopal::arena arena_;
};

}  // namespace experimental::execution

namespace exec = experimental::execution;

#endif
