// Sets of locks that are held.
#ifndef NOPAL_CHECK_LOCKS_HPP
#define NOPAL_CHECK_LOCKS_HPP

#include <cstdint>

#include "thread.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

/// What atomic operations hold. No lock lies there.
inline constexpr address atomic_lock = 2;

void make_locks() noexcept;

/// The set of atomic operations without another lock.
inline constexpr std::uint32_t atomics_alone = 1;

/// `set` with a lock more, and less. A shared one excludes the same lock where that is not shared.
std::uint32_t with_lock(std::uint32_t set, address lock, bool is_shared) noexcept;
std::uint32_t without_lock(std::uint32_t set, address lock) noexcept;

bool is_held(std::uint32_t set, address lock) noexcept;
/// Whether no lock of one excludes one of the other.
bool are_disjoint(std::uint32_t a, std::uint32_t b) noexcept;
/// Whether what holds `b` is excluded by all that `a` is. `same_forks`: also where the locks were held over forks.
bool is_other_part(std::uint32_t a, std::uint32_t b, bool same_forks) noexcept;
inline bool is_part(std::uint32_t a, std::uint32_t b, bool same_forks) noexcept {
  return a == 0 || a == b || is_other_part(a, b, same_forks);
}
/// Whether they have a lock in common that is no atomic operation's.
bool share_a_lock(std::uint32_t a, std::uint32_t b) noexcept;

/// Counts sets that have no lock in common, but for those of `beside`: what holds fewer locks than there are sets, and none
/// of `beside`, is not kept away from all of them.
class sets_apart {
public:
  explicit sets_apart(std::uint32_t beside) noexcept : beside_(beside) {}
  void add(std::uint32_t set) noexcept;
  [[nodiscard]] bool are_many() const noexcept { return sets_ == many; }

  static constexpr std::uint32_t many = 16;

private:
  static constexpr std::uint32_t most = 64;
  std::uint32_t beside_;
  std::uint32_t sets_ = 0;
  std::uint32_t count_ = 0;
  std::uint64_t locks_[most];
};

/// Before a fork, where a lock is held: what is held does not keep the child and its parent apart.
void hold_over_fork() noexcept;

void hold(address lock, bool is_shared) noexcept;
void let_go(address lock) noexcept;

}  // namespace nopal_check

#endif
