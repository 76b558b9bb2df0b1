#include "locks.hpp"

#include <algorithm>
#include <sys/mman.h>

#include "lists.hpp"
#include "lock_numbers.hpp"
#include "records.hpp"
#include "tables.hpp"

#include <nopal/detail/check.h>

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

/// One lock that is held: from the lowest bit whether it is shared, its number, and the fork that it is held over; zero:
/// none. Parent and children hold it at the same time, and are not excluded from one another by it.
using held_lock = std::uint64_t;
constexpr unsigned fork_shift = 32;

struct lock_set {
  std::uint32_t count;
  held_lock locks[1];  ///< in order
};

constexpr std::uint32_t most_sets = 1U << 26;
constexpr std::uint32_t most_locks = 1024;
table<lock_set*> known;  ///< null: its number is free
number_map by_hash;
std::uint32_t forks;  ///< that locks were held over; after the last number comes the first one

table<std::uint32_t> free_numbers;
lock_set* free_sets[8];  ///< by count; the first lock of each is the address of the next
constexpr std::uint32_t least_limit = 1U << 12;
std::uint32_t set_limit = least_limit;

std::uint32_t fork_of(held_lock lock) noexcept { return static_cast<std::uint32_t>(lock >> fork_shift); }
held_lock without_fork(held_lock lock) noexcept { return lock & ((held_lock{1} << fork_shift) - 1); }
/// What two that are the same lock have alike.
held_lock lock_in(held_lock lock) noexcept { return without_fork(lock) | 1; }

address place_of(held_lock lock) noexcept {
  return place_of_lock(static_cast<std::uint32_t>(without_fork(lock)) >> 1);
}
/// As one that is shared.
held_lock lock_at(address lock) noexcept { return held_lock{number_of_lock(lock)} << 1 | 1; }

bool is_equal(const lock_set& a, const held_lock* locks, std::uint32_t count) noexcept {
  return a.count == count && std::equal(locks, locks + count, a.locks);
}

/// Where the number of a set is; zero: it is new.
std::uint32_t& number_in_table(const held_lock* locks, std::uint32_t count) noexcept {
  std::uint64_t hashed = count;
  for (std::uint32_t i = 0; i < count; ++i) {
    hashed = (hashed ^ locks[i]) * hash_step;
    hashed ^= hashed >> 32;
  }
  for (;; ++hashed) {
    std::uint32_t& number = by_hash.at(hashed);
    if (number == 0 || is_equal(*known[number], locks, count)) return number;
  }
}

lock_set* make_set(std::uint32_t count) noexcept {
  if (count < std::size(free_sets) && free_sets[count] != nullptr) {
    lock_set* const taken = free_sets[count];
    std::copy_n(reinterpret_cast<lock_set**>(taken->locks), 1, &free_sets[count]);
    return taken;
  }
  return static_cast<lock_set*>(keep(sizeof(lock_set) + (count - 1) * sizeof(held_lock)));
}

void free_set(std::uint32_t number) noexcept {
  lock_set* const freed = known[number];
  known[number] = nullptr;
  free_numbers.add(number);
  if (freed->count >= std::size(free_sets)) return;
  std::copy_n(&free_sets[freed->count], 1, reinterpret_cast<lock_set**>(freed->locks));
  free_sets[freed->count] = freed;
}

std::uint32_t number_of(const held_lock* locks, std::uint32_t count) noexcept {
  if (count == 0) return 0;
  std::uint32_t& number = number_in_table(locks, count);
  if (number != 0) return number;
  lock_set* const made = make_set(count);
  made->count = count;
  std::copy(locks, locks + count, made->locks);
  if (free_numbers.count != 0) {
    number = free_numbers[--free_numbers.count];
    known[number] = made;
    return number;
  }
  if (known.count == most_sets) fail("nopal: check: more than 67108862 sets of locks to remember\n");
  return number = known.add(made);
}

/// Sets that no access has, and no thread holds, make room for others.
void collect_sets() noexcept {
  const std::uint32_t sets = known.count;
  const std::uint32_t numbers = lock_numbers();
  auto* const is_used = static_cast<unsigned char*>(reserve(std::size_t{sets} + numbers));
  unsigned char* const is_number_used = is_used + sets;
  is_used[0] = is_used[atomics_alone] = 1;
  mark_listed_locks(is_used, sets);
  for (const thread* each = all_threads; each != nullptr; each = each->next_thread)
    is_used[each->lock_set] = 1;
  by_hash.release();
  for (std::uint32_t i = 1; i < sets; ++i) {
    lock_set* const each = known[i];
    if (each == nullptr) continue;
    if (is_used[i] == 0) {
      free_set(i);
      continue;
    }
    number_in_table(each->locks, each->count) = i;
    for (std::uint32_t j = 0; j < each->count; ++j) is_number_used[without_fork(each->locks[j]) >> 1] = 1;
  }
  reuse_lock_numbers(is_number_used);
  munmap(is_used, std::size_t{sets} + numbers);
  set_limit = std::max(least_limit, 2 * (known.count - free_numbers.count));
}

bool exclude(held_lock a, held_lock b) noexcept {
  if (lock_in(a) != lock_in(b) || (a & b & 1) != 0) return false;
  return fork_of(a) == 0 || fork_of(a) != fork_of(b);
}

/// With one that may have the mark of a fork.
std::uint32_t with_held(std::uint32_t set, held_lock lock) noexcept {
  const lock_set& from = *known[set];
  if (from.count == most_locks) fail("nopal: check: a strand holds more than 1024 locks at once\n");
  held_lock locks[most_locks];
  std::uint32_t count = 0;
  std::uint32_t i = 0;
  while (i < from.count && from.locks[i] < lock) locks[count++] = from.locks[i++];
  locks[count++] = lock;
  while (i < from.count) locks[count++] = from.locks[i++];
  return number_of(locks, count);
}

}  // namespace

void make_locks() noexcept {
  make_lock_numbers();
  known.make(most_sets);
  free_numbers.make(most_sets);
  static lock_set none{};
  known.add(&none);
  with_lock(0, atomic_lock, false);  // `atomics_alone`
}

std::uint32_t with_lock(std::uint32_t set, address lock, bool is_shared) noexcept {
  const held_lock one = lock_at(lock);
  return with_held(set, is_shared ? one : one & ~held_lock{1});
}

std::uint32_t without_lock(std::uint32_t set, address lock) noexcept {
  const lock_set& from = *known[set];
  held_lock locks[most_locks];
  std::uint32_t count = 0;
  bool is_out = false;
  for (std::uint32_t i = 0; i < from.count; ++i) {
    if (!is_out && place_of(from.locks[i]) == lock) {
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

bool is_other_part(std::uint32_t a, std::uint32_t b, bool same_forks) noexcept {
  const lock_set& part = *known[a];
  const lock_set& whole = *known[b];
  const auto compared = [same_forks](held_lock lock) { return same_forks ? lock : without_fork(lock); };
  for (std::uint32_t i = 0; i < part.count; ++i) {
    bool is_there = false;
    const held_lock one = compared(part.locks[i]);
    for (std::uint32_t j = 0; j < whole.count; ++j) {
      const held_lock other = compared(whole.locks[j]);
      is_there |= one == other || one == (other | 1);
    }
    if (!is_there) return false;
  }
  return true;
}

bool is_held(std::uint32_t set, address lock) noexcept {
  const lock_set& held = *known[set];
  for (std::uint32_t i = 0; i < held.count; ++i) {
    if (place_of(held.locks[i]) == lock) return true;
  }
  return false;
}

bool share_a_lock(std::uint32_t a, std::uint32_t b) noexcept {
  const lock_set& one = *known[a];
  const lock_set& other = *known[b];
  for (std::uint32_t i = 0; i < one.count; ++i) {
    if (lock_in(one.locks[i]) == lock_at(atomic_lock)) continue;
    for (std::uint32_t j = 0; j < other.count; ++j) {
      if (exclude(one.locks[i], other.locks[j])) return true;
    }
  }
  return false;
}

void sets_apart::add(std::uint32_t set) noexcept {
  if (are_many()) return;
  const lock_set& added = *known[set];
  const lock_set& beside = *known[beside_];
  std::uint32_t count = count_;
  for (std::uint32_t i = 0; i < added.count; ++i) {
    const held_lock one = added.locks[i];
    if (std::any_of(beside.locks, beside.locks + beside.count,
                    [one](held_lock other) { return other == one || (other | 1) == one; }))
      continue;
    if (count == most || std::find(locks_, locks_ + count_, lock_in(one)) != locks_ + count_) return;
    locks_[count++] = lock_in(one);
  }
  count_ = count;
  ++sets_;
}

void hold_over_fork() noexcept {
  const lock_set& from = *known[self.lock_set];
  held_lock locks[most_locks];
  bool is_marked = true;
  for (std::uint32_t i = 0; i < from.count; ++i) is_marked = is_marked && fork_of(from.locks[i]) != 0;
  if (is_marked) return;  // an earlier fork did it
  if (++forks == 0) forks = 1;
  for (std::uint32_t i = 0; i < from.count; ++i) {
    locks[i] = fork_of(from.locks[i]) != 0 ? from.locks[i] : from.locks[i] | held_lock{forks} << fork_shift;
  }
  std::sort(locks, locks + from.count);
  self.lock_set = number_of(locks, from.count);
}

void hold(address lock, bool is_shared) noexcept {
  if (known.count - free_numbers.count > set_limit) collect_sets();
  // One that was held over a fork and is taken once more, as recursive mutexes are, excludes no more than before.
  held_lock one = lock_at(lock);
  const lock_set& held = *known[self.lock_set];
  for (std::uint32_t i = 0; i < held.count; ++i) {
    if (fork_of(held.locks[i]) != 0 && lock_in(held.locks[i]) == one) {
      one |= held_lock{fork_of(held.locks[i])} << fork_shift;
      break;
    }
  }
  self.lock_set = with_held(self.lock_set, is_shared ? one : one & ~held_lock{1});
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
