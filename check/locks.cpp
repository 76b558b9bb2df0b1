#include "locks.hpp"

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
constexpr std::uint32_t most_locks = 64;
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

bool exclude(address a, address b) noexcept { return (a | 1) == (b | 1) && ((a & b & 1) == 0); }

}  // namespace

void make_locks() noexcept {
  known.make(most_sets);
  static const lock_set none{};
  known.add(&none);
}

std::uint32_t with_lock(std::uint32_t set, address lock, bool is_shared) noexcept {
  const lock_set& from = *known[set];
  address locks[most_locks + 1];
  std::uint32_t count = 0;
  std::uint32_t i = 0;
  while (i < from.count && from.locks[i] < lock) locks[count++] = from.locks[i++];
  locks[count++] = (lock & ~address{1}) | (is_shared ? 1 : 0);
  while (i < from.count && count < most_locks) locks[count++] = from.locks[i++];
  return number_of(locks, count);
}

std::uint32_t without_lock(std::uint32_t set, address lock) noexcept {
  const lock_set& from = *known[set];
  address locks[most_locks + 1];
  std::uint32_t count = 0;
  bool is_out = false;
  for (std::uint32_t i = 0; i < from.count; ++i) {
    if (!is_out && (from.locks[i] | 1) == (lock | 1)) {
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

bool is_part(std::uint32_t a, std::uint32_t b) noexcept {
  if (a == 0 || a == b) return true;
  const lock_set& part = *known[a];
  const lock_set& whole = *known[b];
  for (std::uint32_t i = 0; i < part.count; ++i) {
    bool is_there = false;
    for (std::uint32_t j = 0; j < whole.count; ++j) {
      is_there |= part.locks[i] == whole.locks[j] || part.locks[i] == (whole.locks[j] | 1);
    }
    if (!is_there) return false;
  }
  return true;
}

bool share_a_lock(std::uint32_t a, std::uint32_t b) noexcept {
  return !are_disjoint(without_lock(a, atomic_lock), without_lock(b, atomic_lock));
}

void hold(address lock, bool is_shared) noexcept {
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
