// Sets and deposits that nobody owns, kept to be used again; and how many are in use.
#ifndef NOPAL_VIEW_STORE_HPP
#define NOPAL_VIEW_STORE_HPP

#include <pthread.h>

#include <cstdint>

#include <nopal/version.hpp>

#include "view/deposits.hpp"
#include "view/view_set.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

class store {
public:
  /// An empty set; null without memory.
  view_set* take_set() noexcept;
  /// `set` is empty.
  void give_set(view_set* set) noexcept;

  /// A deposit with nothing in it; null without memory.
  deposit* take_deposit() noexcept;
  void give_deposit(deposit* one) noexcept;

  /// Gives what nobody owns back to the system.
  void trim() noexcept;

  /// Sets with an owner: now, and the most at once.
  void count(std::uint64_t& in_use, std::uint64_t& most) noexcept;

  /// fork(2) must not find it in between.
  void lock() noexcept { pthread_mutex_lock(&lock_); }
  void unlock() noexcept { pthread_mutex_unlock(&lock_); }

private:
  void count_one_more() noexcept;

  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  view_set* sets_ = nullptr;
  deposit* deposits_ = nullptr;
  std::uint64_t in_use_ = 0;
  std::uint64_t most_in_use_ = 0;
};

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
