// The library's own scopes that can be stopped, and in the serial variant their elision.
#ifndef NOPAL_BENCH_SEARCHES_SPECULATIVE_HPP
#define NOPAL_BENCH_SEARCHES_SPECULATIVE_HPP

#include <nopal/parallel.hpp>
#include <nopal/scope.hpp>
#include <nopal/speculate.hpp>

#define NOPAL_SEARCHES_HAS_FIND

namespace searches::NOPAL_SEARCHES_VARIANT {

/// Each strand knows which scopes it is in.
struct stop_view {
  [[nodiscard]] bool stopped() const { return nopal::stop_requested(); }
};

class group : public nopal::scope {
public:
  [[gnu::always_inline]] explicit group(stop_view) {}
  group(const group&) = delete;
  group& operator=(const group&) = delete;
  [[gnu::always_inline]] ~group() noexcept(false) {}
};

class stoppable : public nopal::cancel_scope {
public:
  [[gnu::always_inline]] explicit stoppable(stop_view) {}
  stoppable(const stoppable&) = delete;
  stoppable& operator=(const stoppable&) = delete;
  [[gnu::always_inline]] ~stoppable() noexcept(false) {}
  [[nodiscard]] stop_view view() const { return {}; }
};

}  // namespace searches::NOPAL_SEARCHES_VARIANT

#endif
