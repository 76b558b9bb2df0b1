// Random programs of forks, joins, locks, exceptions and accesses, to memory that comes and goes: the checker finds a race
// of a byte exactly where an oracle that compares all pairs of accesses does.
//
// Usage: generated [SEED [COUNT [threads]]]; without a seed, or with 0, it takes a new one, and prints it. `threads`: the
// program has had a second thread, so that the checker takes its other path.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "generated_history.hpp"
#include "generated_uses.hpp"

#include <nopal/detail/check.h>
#include <nopal/scope.hpp>

namespace {

alignas(256) unsigned char memory[1024];
std::uint64_t locks[lock_count];

history* now;

/// The generator's own work is no part of the program that it makes.
struct [[nodiscard]] apart {
  apart() { nopal_check_ignore(); }
  ~apart() { nopal_check_heed(); }
  apart(const apart&) = delete;
  apart& operator=(const apart&) = delete;
};

struct shape {
  std::mt19937_64 random;
  bool has_locks;
  bool keeps_locks;  ///< over several steps, and forks
  bool has_two_scopes;
  bool has_atomics;
  bool has_memory;  ///< that comes and goes
  bool throws;
  bool is_narrow;  ///< few bytes are used, again and again
  bool collects;   ///< some steps make very many strands
  int left;        ///< steps
  std::array<region*, 3> blocks{};
  std::uint64_t up_to(std::uint64_t most) { return random() % (most + 1); }
  bool one_in(std::uint64_t many) { return random() % many == 0; }
};

std::uint64_t chosen(shape& of, std::uint64_t most) {
  const apart here;
  return of.up_to(most);
}

void note_use(region* of, std::size_t at, std::size_t size, int node, bool is_write, const held_locks& held) {
  for (std::size_t i = at; i < at + size; ++i) of->uses[i].push_back({node, is_write, held});
}

void take(unsigned lock, bool is_shared, held_locks& held) {
  const apart here;
  held[lock] = {true, is_shared, 0};
  is_shared ? nopal_check_lock_shared(&locks[lock]) : nopal_check_lock(&locks[lock]);
}

void let_go(unsigned lock, held_locks& held) {
  const apart here;
  held[lock] = {};
  nopal_check_unlock(&locks[lock]);
}

struct one_use {
  unsigned char* at;
  std::size_t size;
  enum { plain, atomic, range } kind;
  bool is_write;
};

one_use choose_use(shape& of, int node, const held_locks& held) {
  one_use made{};
  auto each = now->live.begin();
  if (of.one_in(2)) std::advance(each, static_cast<std::ptrdiff_t>(of.up_to(now->live.size() - 1)));
  region* const where = of.one_in(2) ? each->second : now->regions[0].get();
  const std::size_t room = where->uses.size();
  made.is_write = of.one_in(4);
  made.size = std::size_t{1} << of.up_to(4);
  made.kind = of.has_atomics && made.size <= 8 && of.one_in(3) ? one_use::atomic
              : of.one_in(8)                                   ? one_use::range
                                                               : one_use::plain;
  if (made.kind == one_use::range)
    made.size = 1 + of.up_to((of.one_in(2) ? std::min<std::size_t>(room, 40) : room) - 1);
  // Most are around the end of a block of shadow memory.
  const std::size_t first = room > 300 && made.size <= 16 ? 232 : 0;
  std::size_t at = first + of.up_to(first != 0 ? 48 - made.size : room - made.size);
  if (of.is_narrow) at = at / 24 * 24;
  if (of.is_narrow && of.one_in(2)) {
    made.size = 8;
  } else if (of.is_narrow) {  // a part of a word that others use as a whole
    made.size = std::min<std::size_t>(made.size, 8);
    at += of.up_to(8 - made.size);
  }
  if (of.is_narrow || made.kind == one_use::atomic) at = at / made.size * made.size;
  if (at + made.size > room) at = 0, made.size = 8;
  held_locks with = held;
  if (made.kind == one_use::atomic) with[of_atomics].is_held = true;
  made.at = where->begin + at;
  note_use(where, at, made.size, node, made.is_write, with);
  return made;
}

void step_access(shape& of, int node, const held_locks& held) {
  one_use made{};
  {
    const apart here;
    made = choose_use(of, node, held);
  }
  if (made.kind == one_use::plain) return use_sized(made.at, made.size, made.is_write);
  if (made.kind == one_use::atomic) return use_sized_atomically(made.at, made.size, made.is_write);
  if (made.is_write) {
    std::memset(made.at, 1, made.size);
  } else {
    volatile int is_other = std::memcmp(made.at, made.at, made.size);
    static_cast<void>(is_other);
  }
}

void step_memory(shape& of, int node, const held_locks& held) {
  region* old = nullptr;
  std::size_t which = 0;
  std::size_t bytes = 0;
  bool moves = false;
  {
    const apart here;
    which = of.up_to(of.blocks.size() - 1);
    old = of.blocks[which];
    bytes = 16 + of.up_to(of.one_in(3) ? 600 : 20);
    moves = of.one_in(3);
    if (old != nullptr) note_use(old, 0, old->uses.size(), node, true, held);
  }
  unsigned char* const before = old == nullptr ? nullptr : old->begin;
  void* made = nullptr;
  if (moves) {
    made = std::realloc(before, bytes);
  } else {
    std::free(before);
    made = std::malloc(bytes);
  }
  const apart here;
  if (old != nullptr) now->end_region(old);
  region* const is_new = of.blocks[which] = now->begin_region(made, bytes, "block ");
  if (!moves || made != before) return;
  // It goes on where it was.
  for (std::size_t i = 0; i < bytes && i < old->uses.size(); ++i) {
    is_new->uses[i] = old->uses[i];
    is_new->reported[i] = old->reported[i];
  }
}

void step_forget(shape& of) {
  std::size_t at = 0;
  std::size_t bytes = 0;
  {
    const apart here;
    bytes = 1 + of.up_to(of.one_in(2) ? 20 : 500);
    at = of.up_to(of.one_in(2) ? 280 - 20 : sizeof memory - bytes);
    bytes = std::min(bytes, sizeof memory - at);
  }
  nopal_check_forget(memory + at, bytes);
  const apart here;
  // What went before is looked at as memory of its own.
  region* const all = now->regions[0].get();
  now->regions.push_back(std::make_unique<region>(memory, sizeof memory,
                                                  "memory before " + std::to_string(now->regions.size())));
  for (std::size_t i = at; i < at + bytes; ++i) {
    now->regions.back()->uses[i].swap(all->uses[i]);
    now->regions.back()->reported[i] = all->reported[i];
    all->reported[i] = false;
  }
}

/// Enough for the checker to give out numbers anew.
[[gnu::noinline]] void make_many_strands() {
  nopal::scope s;
  for (int i = 0; i < 70000; ++i) s.fork([] {});
}

struct done {
  int node;  ///< that it ended in
};
int run(shape& of, int node, int depth, held_locks& held);

/// Runs a child, which may end by an exception: then the scope is joined. Returns the node that it ended in.
int fork_child(shape& of, nopal::scope& in, int node, int depth, held_locks& held, bool& has_thrown) {
  int first = 0;
  bool throws = false;
  {
    const apart here;
    first = now->add({node});
    throws = of.throws && of.one_in(3);
    bool is_first = true;
    for (held_lock& each : held) {
      if (!each.is_held || each.fork != 0) continue;
      now->forks_with_locks += is_first ? 1 : 0;
      is_first = false;
      each.fork = now->forks_with_locks;
    }
  }
  int last = 0;
  try {
    in.fork([&of, first, depth, throws, &last, &held] {
      const int end = run(of, first, depth + 1, held);
      const apart here;
      last = end;
      if (throws) throw done{end};
    });
  } catch (const done&) {
    has_thrown = true;
  }
  return last;
}

/// Takes or lets go one lock. `own`: those that this procedure took, which alone it lets go.
void step_lock(shape& of, held_locks& held, std::array<bool, lock_count>& own) {
  const auto which = static_cast<unsigned>(chosen(of, lock_count - 1));
  const bool is_shared = chosen(of, 3) == 0;
  const apart here;
  if (own[which]) {
    let_go(which, held);
    own[which] = false;
  } else if (!held[which].is_held) {
    take(which, is_shared, held);
    own[which] = true;
  }
}

/// An access with locks that are held for it alone.
void step_locked_access(shape& of, int node, held_locks& held) {
  std::array<bool, lock_count> own{};
  for (unsigned i = 0; i < lock_count; ++i) {
    const bool takes = chosen(of, 1) == 0;
    const apart here;
    own[i] = takes && !held[i].is_held;
    if (own[i]) take(i, false, held);
  }
  step_access(of, node, held);
  for (unsigned i = 0; i < lock_count; ++i) {
    const apart here;
    if (own[i]) let_go(i, held);
  }
}

/// Runs a procedure that begins in `node`; returns the node that it ends in.
int run(shape& of, int node, int depth, held_locks& held) {
  unsigned char local[64];
  nopal::scope scopes[2];
  std::vector<int> ended[2];
  std::array<bool, lock_count> own{};
  region* mine = nullptr;
  {
    const apart here;
    mine = now->begin_region(local, sizeof local, "a variable ");
  }
  const auto note_join = [&](int which) {
    if (ended[which].empty()) return;
    ended[which].push_back(node);
    node = now->add(ended[which]);
    ended[which].clear();
  };
  const auto join = [&](int which) {
    scopes[which].join();
    const apart here;
    note_join(which);
  };
  for (std::uint64_t steps = chosen(of, 8) + 1; steps != 0; --steps) {
    const apart all;
    if (of.left-- <= 0) break;
    const std::uint64_t what = of.up_to(11);
    // The second scope is used between two uses of the first, so they are nested.
    const int which = of.has_two_scopes ? static_cast<int>(of.up_to(1)) : 0;
    const bool is_shallow = depth < 6;
    const bool has_many = of.collects && of.one_in(40);
    nopal_check_heed();
    if (what < 4) {
      step_access(of, node, held);
    } else if (what == 4) {
      if (of.has_locks) step_locked_access(of, node, held);
    } else if (what < 8) {
      if (which == 0) join(1);
      if (is_shallow) {
        bool has_thrown = false;
        const int last = fork_child(of, scopes[which], node, depth, held, has_thrown);
        const apart here;
        ended[which].push_back(last);
        node = now->add({node});
        if (has_thrown) note_join(which);
      }
    } else if (what == 8) {
      if (which == 0) join(1);
      join(which);
    } else if (what == 9) {
      if (is_shallow) node = run(of, node, depth + 1, held);
    } else if (what == 10) {
      if (of.keeps_locks) step_lock(of, held, own);
    } else if (of.has_memory) {
      chosen(of, 1) == 0 ? step_memory(of, node, held) : step_forget(of);
    }
    if (has_many) make_many_strands();
    nopal_check_ignore();
  }
  join(1);
  join(0);
  const apart here;
  for (unsigned i = 0; i < lock_count; ++i) {
    if (own[i]) let_go(i, held);
  }
  now->end_region(mine);
  return node;
}

int run_one(std::uint64_t seed) {
  const apart here;
  history all;
  now = &all;
  nopal_check_forget(memory, sizeof memory);
  all.begin_region(memory, sizeof memory, "memory ");
  std::mt19937_64 random(seed);
  shape of{};
  of.random.seed(random());
  bool* const features[] = {&of.has_locks,  &of.keeps_locks, &of.has_two_scopes,
                            &of.has_memory, &of.throws,      &of.is_narrow};
  for (bool* each : features) *each = random() % 2 == 0;
  // What is freed after an atomic operation may have been counted.
  of.has_atomics = !of.has_memory && random() % 2 == 0;
  of.collects = random() % 64 == 0;
  of.left = 150;
  held_locks held{};
  const int first = all.add({});
  nopal::scope alone;  // a strand for each program: what one has counted is nothing to the next
  alone.fork([&] {
    nopal_check_heed();
    run(of, first, 0, held);
    nopal_check_ignore();
  });
  alone.join();
  const int wrong = say_what_is_wrong(all, seed);
  for (const region* each : of.blocks) {
    if (each != nullptr) std::free(each->begin);
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  return run_watched(
      argc, argv, [](const void* at, std::size_t size) { now->note_report(at, size); }, run_one);
}
