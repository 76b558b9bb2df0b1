// Random programs on real workers: bytes are reported by the parallel checker exactly where the graph of strands has two
// accesses of which neither comes before the other, one is a write, and no lock keeps them apart.
//
// Usage: generated_parallel [SEED [COUNT]]; without a seed, or with 0, fresh ones. Prints what differs.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "generated_runs.hpp"
#include "generated_trees.hpp"
#include "generated_uses.hpp"

#include <nopal/detail/check.h>
#include <nopal/scope.hpp>

namespace {

constexpr int common_bytes = 64;
constexpr int own_bytes = 16;
constexpr int lock_count = 2;
constexpr unsigned by_atomic = 1U << lock_count;

/// What one access is, as its random bits say.
struct use {
  int level;  ///< 0: common memory; else of the strand's own frame, or of one that many calls before
  int byte, bytes;
  bool is_write;
  unsigned locks;
  bool is_by_library;  ///< a call of memset
  int below;  ///< of a frame that is called then, so many calls below, and of nothing else; 0: not so
};

use use_of(const step& one, int depth) {
  std::uint32_t bits = one.more;
  const auto take = [&bits](std::uint32_t many) {
    const std::uint32_t taken = bits % many;
    bits /= many;
    return static_cast<int>(taken);
  };
  use made{};
  const int levels = std::min(depth, 3);
  made.level = take(3) == 0 ? 1 + take(static_cast<std::uint32_t>(levels)) : 0;
  const int room = made.level == 0 ? common_bytes : own_bytes;
  made.bytes = take(3) == 0 ? 1 << take(5) : 4;
  if (made.bytes > room) made.bytes = room;
  made.byte = one.byte % (room - made.bytes + 1);
  if (take(4) != 0) made.byte -= made.byte % std::min(made.bytes, 8);
  made.is_write = one.is_write;
  if (take(3) == 0) made.locks = 1U + static_cast<unsigned>(take(3));
  if (take(8) == 0) {
    made.locks |= by_atomic;
    made.bytes = 4;
    made.byte = made.byte % (room - 3) / 4 * 4;
  } else if (take(8) == 0) {
    made.is_by_library = made.is_write = true;
    made.bytes = 1 + take(static_cast<std::uint32_t>(room - made.byte));
  } else if (take(4) == 0) {
    made.below = 1 + take(4);
  }
  return made;
}

// --- what the graph says ---

/// A byte: of common memory, or of the frame of one call.
using place = std::pair<const code*, int>;

class graph {
public:
  explicit graph(const code& all) { walk(all, add({}), 1, {&all}); }

  [[nodiscard]] std::set<place> races() const {
    std::set<place> found;
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const known& a = uses_[j];
        const known& b = uses_[i];
        if (a.of != b.of || !(a.what.is_write || b.what.is_write) || (a.what.locks & b.what.locks) != 0)
          continue;
        const int begin = std::max(a.what.byte, b.what.byte);
        const int end = std::min(a.what.byte + a.what.bytes, b.what.byte + b.what.bytes);
        if (begin >= end || is_before(a.stretch, b.stretch) || is_before(b.stretch, a.stretch)) continue;
        for (int byte = begin; byte < end; ++byte) found.insert({a.of, byte});
      }
    }
    return found;
  }

private:
  struct known {
    int stretch;
    const code* of;
    use what;
  };

  int add(const std::vector<int>& after) {
    std::vector<bool> all(before_.size() + 1);
    for (const int each : after) {
      const std::vector<bool>& its = before_[static_cast<std::size_t>(each)];
      for (std::size_t i = 0; i < its.size(); ++i) {
        if (its[i]) all[i] = true;
      }
    }
    all.back() = true;
    before_.push_back(std::move(all));
    return static_cast<int>(before_.size()) - 1;
  }
  [[nodiscard]] bool is_before(int one, int other) const {
    const std::vector<bool>& its = before_[static_cast<std::size_t>(other)];
    return static_cast<std::size_t>(one) < its.size() && its[static_cast<std::size_t>(one)];
  }

  int walk(const code& does, int stretch, int depth, const std::vector<const code*>& line) {
    std::vector<int> ended[scopes];
    for (const step& one : does.steps) {
      std::vector<int>& of_scope = ended[one.scope];
      if (one.what == kind::access) {
        const use what = use_of(one, depth);
        if (what.below != 0) continue;
        uses_.push_back({stretch,
                         what.level == 0 ? nullptr : line[line.size() - static_cast<std::size_t>(what.level)],
                         what});
      } else if (one.what == kind::fork) {
        std::vector<const code*> longer = line;
        longer.push_back(one.child.get());
        of_scope.push_back(walk(*one.child, add({stretch}), depth + 1, longer));
        stretch = add({stretch});
      } else if (!of_scope.empty()) {
        of_scope.push_back(stretch);
        stretch = add(of_scope);
        of_scope.clear();
      }
    }
    return stretch;
  }

  std::vector<std::vector<bool>> before_;
  std::vector<known> uses_;
};

// --- what the checker says ---

alignas(64) unsigned char common[common_bytes];
int lock_places[lock_count];

/// A call's memory, while it runs.
struct frame {
  const code* does;
  const frame* caller;
  alignas(8) unsigned char own[own_bytes];
};

std::set<place> reported;           // the checker calls from one thread at a time
thread_local const frame* running;  // no strand leaves its thread within an access

[[gnu::noinline, gnu::no_sanitize_thread]] const frame*& the_running() { return running; }

void note_report(const void* memory, std::size_t bytes) {
  const auto* const at = static_cast<const unsigned char*>(memory);
  const auto add = [&](const code* of, const unsigned char* begin, int room) {
    if (at < begin || at >= begin + room) return false;
    for (std::size_t i = 0; i < bytes; ++i)
      reported.insert({of, static_cast<int>(at - begin) + static_cast<int>(i)});
    return true;
  };
  if (add(nullptr, common, common_bytes)) return;
  for (const frame* each = the_running(); each != nullptr; each = each->caller) {
    if (add(each->does, each->own, own_bytes)) return;
  }
  reported.insert({nullptr, -1});  // where nothing was accessed
}

/// The library's, whatever compilers know of it.
void* (*volatile set_memory)(void*, int, std::size_t) = std::memset;

void pause(int place) {
  for (volatile int i = 0; i < place % 7 * 20;) i = i + 1;
}

/// What comes and goes there is in no race.
[[gnu::noinline, gnu::no_sanitize_thread]] void use_below(int calls, bool is_by_library) {
  unsigned char frame[128];
  if (is_by_library) {
    set_memory(frame, 1, sizeof frame);
  } else {
    for (std::size_t at = 0; at < sizeof frame; at += 8) use_sized(frame + at, 8, at % 16 == 0);
  }
  if (calls > 1) use_below(calls - 1, !is_by_library);
  asm volatile("" : : "r"(frame) : "memory");
}

[[gnu::noinline, gnu::no_sanitize_thread]] void make_access(const step& one, const frame& here, int depth) {
  const use what = use_of(one, depth);
  the_running() = &here;
  if (what.below != 0) return use_below(what.below, what.is_write);
  const frame* of = &here;
  for (int level = 1; level < what.level; ++level) of = of->caller;
  auto* const memory = const_cast<unsigned char*>(what.level == 0 ? common : of->own) + what.byte;
  for (int lock = 0; lock < lock_count; ++lock) {
    if ((what.locks >> lock & 1) != 0) nopal_check_lock(&lock_places[lock]);
  }
  pause(one.place);
  const auto bytes = static_cast<std::size_t>(what.bytes);
  if (what.is_by_library) {
    set_memory(memory, 1, bytes);
  } else if ((what.locks & by_atomic) != 0) {
    use_sized_atomically(memory, bytes, what.is_write);
  } else {
    use_sized(memory, bytes, what.is_write);
  }
  for (int lock = 0; lock < lock_count; ++lock) {
    if ((what.locks >> lock & 1) != 0) nopal_check_unlock(&lock_places[lock]);
  }
}

[[gnu::noinline, gnu::no_sanitize_thread]] void run(const code& does, const frame* caller, int depth) {
  frame here;
  here.does = &does;
  here.caller = caller;
  nopal::scope all[scopes];
  for (const step& one : does.steps) {
    if (one.what == kind::access) {
      make_access(one, here, depth);
    } else if (one.what == kind::fork) {
      all[one.scope].fork([&does = *one.child, caller = &here, depth] { run(does, caller, depth + 1); });
    } else {
      all[one.scope].join();
    }
  }
}

int run_one(std::uint64_t seed) {
  shape of{};
  of.random.seed(seed * 0x9e3779b97f4a7c15U);
  of.is_deep = of.one_in(3);
  of.left = static_cast<int>(10 + of.up_to(200));
  of.writes = static_cast<unsigned>(1 + of.up_to(30));
  of.bytes = common_bytes;
  const std::unique_ptr<code> program = make_code(of, 0);
  const std::set<place> expected = graph(*program).races();
  reported.clear();
  nopal_check_forget(common, sizeof common);
  run(*program, nullptr, 1);
  int wrong = 0;
  const auto say = [&](const std::set<place>& these, const std::set<place>& those, const char* what) {
    for (const place& each : these) {
      if (those.contains(each)) continue;
      if (++wrong == 1)
        std::printf("seed %llu: %s race of byte %d of %s\n", static_cast<unsigned long long>(seed), what,
                    each.second, each.first == nullptr ? "common memory" : "a frame");
    }
  };
  say(expected, reported, "missed");
  say(reported, expected, "no");
  return wrong != 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  nopal_check_watch(note_report);
  return run_seeds(argc, argv, run_one);
}
