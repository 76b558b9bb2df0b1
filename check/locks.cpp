#include "locks.hpp"

#include <algorithm>

#include "records.hpp"
#include "tables.hpp"

#include <nopal/detail/check.h>

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

/// Ordered by address; the lowest bit says that it is shared.
struct lock_set {
  std::uint32_t count;
  address locks[1];
};

constexpr std::uint32_t most_sets = 1U << 26;
constexpr std::uint32_t most_locks = 1024;
table<const lock_set*> known;
number_map by_hash;

std::uint32_t number_of(const address* locks, std::uint32_t count) noexcept {
  if (count == 0) return 0;
  std::uint64_t hashed = count;
  for (std::uint32_t i = 0; i < count; ++i) hashed = (hashed ^ locks[i]) * hash_step;
  std::uint32_t& number = by_hash.at(hashed);
  if (number == 0) {
    auto* const made = static_cast<lock_set*>(keep(sizeof(lock_set) + count * sizeof(address)));
    made->count = count;
    for (std::uint32_t i = 0; i < count; ++i) made->locks[i] = locks[i];
    number = known.add(made);
  }
  return number;
}

// What was held over a fork has a number above the address: parent and children hold it at the same time, and
// are not excluded from one another by it. There are so many numbers; later ones are given again.
constexpr unsigned fork_shift = 47;
constexpr address most_forks = (address{1} << (64 - fork_shift)) - 1;
address forks;

address fork_of(address lock) noexcept { return lock >> fork_shift; }
address lock_in(address lock) noexcept { return (lock & ((address{1} << fork_shift) - 1)) | 1; }

bool exclude(address a, address b) noexcept {
  if (lock_in(a) != lock_in(b) || (a & b & 1) != 0) return false;
  return fork_of(a) == 0 || fork_of(a) != fork_of(b);
}

}  // namespace

void make_locks() noexcept {
  known.make(most_sets);
  static const lock_set none{};
  known.add(&none);
}

std::uint32_t with_lock(std::uint32_t set, address lock, bool is_shared) noexcept {
  const lock_set& from = *known[set];
  if (from.count == most_locks) fail("nopal: check: a strand holds more than 1024 locks at once\n");
  address locks[most_locks];
  std::uint32_t count = 0;
  std::uint32_t i = 0;
  while (i < from.count && from.locks[i] < lock) locks[count++] = from.locks[i++];
  locks[count++] = (lock & ~address{1}) | (is_shared ? 1 : 0);
  while (i < from.count) locks[count++] = from.locks[i++];
  return number_of(locks, count);
}

std::uint32_t without_lock(std::uint32_t set, address lock) noexcept {
  const lock_set& from = *known[set];
  address locks[most_locks];
  std::uint32_t count = 0;
  bool is_out = false;
  for (std::uint32_t i = 0; i < from.count; ++i) {
    if (!is_out && lock_in(from.locks[i]) == lock_in(lock)) {
      is_out = true;
    } else {
      locks[count++] = from.locks[i];
    }
  }
  return number_of(locks, count);
}

bool are_disjoint(std::uint32_t a, std::uint32_t b) noexcept {
  const lock_set& one = *known[a];
  const lock_set& other = *known[b];
  for (std::uint32_t i = 0; i < one.count; ++i) {
    for (std::uint32_t j = 0; j < other.count; ++j) {
      if (exclude(one.locks[i], other.locks[j])) return false;
    }
  }
  return true;
}

bool is_part(std::uint32_t a, std::uint32_t b, bool same_forks) noexcept {
  if (a == 0 || a == b) return true;
  const lock_set& part = *known[a];
  const lock_set& whole = *known[b];
  const auto without_fork = [same_forks](address lock) {
    return same_forks ? lock : lock & ((address{1} << fork_shift) - 1);
  };
  for (std::uint32_t i = 0; i < part.count; ++i) {
    bool is_there = false;
    const address one = without_fork(part.locks[i]);
    for (std::uint32_t j = 0; j < whole.count; ++j) {
      const address other = without_fork(whole.locks[j]);
      is_there |= one == other || one == (other | 1);
    }
    if (!is_there) return false;
  }
  return true;
}

bool is_held(std::uint32_t set, address lock) noexcept {
  const lock_set& held = *known[set];
  for (std::uint32_t i = 0; i < held.count; ++i) {
    if (lock_in(held.locks[i]) == lock_in(lock)) return true;
  }
  return false;
}

bool share_a_lock(std::uint32_t a, std::uint32_t b) noexcept {
  return !are_disjoint(without_lock(a, atomic_lock), without_lock(b, atomic_lock));
}

void hold_over_fork() noexcept {
  if (self.lock_set == 0) return;
  const lock_set& from = *known[self.lock_set];
  address locks[most_locks];
  bool is_marked = true;
  for (std::uint32_t i = 0; i < from.count; ++i) is_marked = is_marked && fork_of(from.locks[i]) != 0;
  if (is_marked) return;  // an earlier fork did it
  forks = forks == most_forks ? 1 : forks + 1;
  for (std::uint32_t i = 0; i < from.count; ++i) {
    locks[i] = fork_of(from.locks[i]) != 0 ? from.locks[i] : from.locks[i] | forks << fork_shift;
  }
  std::sort(locks, locks + from.count);
  self.lock_set = number_of(locks, from.count);
}

void hold(address lock, bool is_shared) noexcept {
  // One that was held over a fork and is taken once more, as recursive mutexes are, excludes no more than before.
  const lock_set& held = *known[self.lock_set];
  for (std::uint32_t i = 0; i < held.count; ++i) {
    if (fork_of(held.locks[i]) != 0 && lock_in(held.locks[i]) == lock_in(lock)) {
      lock |= fork_of(held.locks[i]) << fork_shift;
      break;
    }
  }
  self.lock_set = with_lock(self.lock_set, lock, is_shared);
  start_segment();
}

void let_go(address lock) noexcept {
  self.lock_set = without_lock(self.lock_set, lock);
  start_segment();
}

}  // namespace nopal_check

using namespace nopal_check;

extern "C" {

void nopal_check_lock(const void* lock) {
  if (self.running == nullptr) return;
  const at_work now;
  hold(reinterpret_cast<address>(lock), false);
}

void nopal_check_lock_shared(const void* lock) {
  if (self.running == nullptr) return;
  const at_work now;
  hold(reinterpret_cast<address>(lock), true);
}

void nopal_check_unlock(const void* lock) {
  if (self.running == nullptr) return;
  const at_work now;
  let_go(reinterpret_cast<address>(lock));
}
}
