// Random programs whose strands do much between two forks: loops over memory that take the same step again and again, also
// with other steps between them that begin a segment of the strand or take memory away. The checker repeats there what it
// has found; it finds a race of a byte exactly where an oracle that compares all pairs of accesses does.
//
// Usage: generated_segments [SEED [COUNT [threads]]], as `generated`.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "generated_history.hpp"
#include "generated_uses.hpp"

#include <nopal/detail/check.h>
#include <nopal/scope.hpp>

extern "C" {
#define HOOKS(bytes)                                                                                         \
  void __tsan_read##bytes##_pc(void* p, void* pc);                                                           \
  void __tsan_write##bytes##_pc(void* p, void* pc);
HOOKS(1) HOOKS(2) HOOKS(4) HOOKS(8) HOOKS(16) void __tsan_read_range_pc(void* p, std::size_t bytes, void* pc);
void __tsan_write_range_pc(void* p, std::size_t bytes, void* pc);
}

namespace {

/// Pieces of memory whose words meet in the same slots of the checker's tables of accesses.
constexpr std::size_t pieces = 3;
constexpr std::size_t piece_bytes = 1024;
constexpr std::size_t between_pieces = std::size_t{1} << 18;
alignas(4096) unsigned char memory[pieces * between_pieces];
std::uint64_t locks[lock_count];
char places[1 << 14];  // their addresses are program counters

/// Those for which the checker remembers one at a time.
const std::vector<void*>& places_that_meet() {
  static const std::vector<void*> all = [] {
    constexpr unsigned slot_shift = 54;
    const auto slot_of = [](const char* place) {
      return reinterpret_cast<std::uintptr_t>(place) * 0xff51afd7ed558ccdU >> slot_shift;
    };
    std::vector<void*> found;
    for (char& each : places) {
      if (slot_of(&each) == slot_of(places)) found.push_back(&each);
    }
    return found;
  }();
  return all;
}

history* now;

struct [[nodiscard]] apart {
  apart() { nopal_check_ignore(); }
  ~apart() { nopal_check_heed(); }
  apart(const apart&) = delete;
  apart& operator=(const apart&) = delete;
};

enum class kind : std::uint8_t { plain, atomic, range, forget, lock, lock_shared, unlock };

struct step {
  kind what;
  bool is_write;
  std::size_t size;  ///< or which lock
  unsigned char* at;
  void* place;
};

struct shape {
  std::mt19937_64 random;
  bool has_locks;
  bool has_atomics;
  bool forgets;
  bool has_sizes;  ///< others than that of the loop
  bool is_narrow;
  bool forgets_places;
  bool collects;
  unsigned writes;  ///< one access in so many
  int left;
  std::size_t up_to(std::size_t most) { return random() % (most + 1); }
  bool one_in(std::uint64_t many) { return random() % many == 0; }
};

[[gnu::no_sanitize("thread"), gnu::noinline]] void access_plainly(const step& one) {
  switch (one.size) {
  case 1: return one.is_write ? __tsan_write1_pc(one.at, one.place) : __tsan_read1_pc(one.at, one.place);
  case 2: return one.is_write ? __tsan_write2_pc(one.at, one.place) : __tsan_read2_pc(one.at, one.place);
  case 4: return one.is_write ? __tsan_write4_pc(one.at, one.place) : __tsan_read4_pc(one.at, one.place);
  case 8: return one.is_write ? __tsan_write8_pc(one.at, one.place) : __tsan_read8_pc(one.at, one.place);
  default: return one.is_write ? __tsan_write16_pc(one.at, one.place) : __tsan_read16_pc(one.at, one.place);
  }
}

[[gnu::no_sanitize("thread"), gnu::noinline]] void take_steps(const step* begin, const step* end) {
  for (const step* one = begin; one != end; ++one) {
    switch (one->what) {
    case kind::plain: access_plainly(*one); break;
    case kind::atomic: use_sized_atomically(one->at, one->size, one->is_write); break;
    case kind::range:
      one->is_write ? __tsan_write_range_pc(one->at, one->size, one->place)
                    : __tsan_read_range_pc(one->at, one->size, one->place);
      break;
    case kind::forget: nopal_check_forget(one->at, one->size); break;
    case kind::lock: nopal_check_lock(&locks[one->size]); break;
    case kind::lock_shared: nopal_check_lock_shared(&locks[one->size]); break;
    case kind::unlock: nopal_check_unlock(&locks[one->size]); break;
    }
  }
}

/// What a strand does in one stretch.
class stretch {
public:
  stretch(shape& of, region* own) : of_(of), own_(own) {}

  const std::vector<step>& make() {
    for (std::size_t i = of_.up_to(3) + 1; i != 0; --i) {
      if (!steps_.empty() && of_.one_in(3)) {
        again();
      } else {
        add_loop();
      }
      if (of_.has_locks && of_.one_in(2)) turn_lock();
      if (of_.forgets && of_.one_in(4)) forget();
    }
    for (unsigned i = 0; i < lock_count; ++i) {
      if (is_held_[i]) let_go(i);
    }
    return steps_;
  }

private:
  region* any_region() {
    if (own_ != nullptr && of_.one_in(5)) return own_;
    return now->regions[of_.one_in(2) ? 0 : of_.up_to(pieces - 1)].get();
  }

  void* any_place() {
    const std::size_t which = of_.up_to(of_.one_in(2) ? 3 : 63);
    const std::vector<void*>& meeting = places_that_meet();
    return of_.forgets_places ? meeting[which % meeting.size()] : places + which;
  }

  void add_loop() {
    region* const in = any_region();
    const std::size_t room = in->uses.size();
    const std::size_t size = std::size_t{1} << of_.up_to(4);
    const std::size_t usual = of_.one_in(3) ? size : 8;
    const std::size_t base = of_.is_narrow ? 0 : of_.up_to(room / 8 - 1) * 8;
    const std::size_t begin = base + (of_.one_in(6) ? of_.up_to(7) : 0);
    const std::size_t step_bytes = of_.one_in(4) ? usual * (1 + of_.up_to(3)) : usual;
    const std::size_t count = 1 + of_.up_to(of_.one_in(4) ? 40 : 6);
    const bool is_write = of_.one_in(of_.writes);
    void* const place = any_place();
    for (std::size_t i = 0; i < count; ++i) {
      step one{kind::plain, is_write, usual, nullptr, place};
      std::size_t at = begin + i * step_bytes;
      if (of_.has_sizes && of_.one_in(5)) one.size = std::size_t{1} << of_.up_to(4);
      if (of_.one_in(12)) one.is_write = !is_write;
      if (of_.has_atomics && of_.one_in(6)) one.what = kind::atomic;
      if (of_.one_in(20)) {
        one.what = kind::range;
        one.size = 1 + of_.up_to(of_.one_in(3) ? room - 1 : 40);
        if (of_.one_in(2)) one.size = (one.size + 7) / 8 * 8, at = at / 8 * 8;
        if (of_.one_in(4)) one.size = 256, at = at / 256 * 256;
      }
      if (one.what == kind::atomic) {
        if (one.size == 16) one.size = 8;
        at = at / one.size * one.size;
      }
      if (at + one.size > room) continue;
      one.at = in->begin + at;
      steps_.push_back(one);
    }
  }

  /// The same steps once more, or some of them elsewhere or of the other kind.
  void again() {
    const std::size_t count = steps_.size();
    const std::size_t from = of_.up_to(count - 1);
    const bool changes = of_.one_in(3);
    for (std::size_t i = from; i < count; ++i) {
      step one = steps_[i];
      if (one.what != kind::plain && one.what != kind::range) continue;
      if (changes) one.is_write = !one.is_write;
      steps_.push_back(one);
    }
  }

  void turn_lock() {
    const auto which = static_cast<unsigned>(of_.up_to(lock_count - 1));
    if (is_held_[which]) return let_go(which);
    is_held_[which] = true;
    steps_.push_back({of_.one_in(4) ? kind::lock_shared : kind::lock, false, which, nullptr, nullptr});
  }
  void let_go(unsigned which) {
    is_held_[which] = false;
    steps_.push_back({kind::unlock, false, which, nullptr, nullptr});
  }

  void forget() {
    region* const in = now->regions[of_.up_to(pieces - 1)].get();
    const std::size_t bytes = of_.one_in(3) ? 256 * (1 + of_.up_to(1)) : 8 * (1 + of_.up_to(4));
    std::size_t at = of_.is_narrow ? 0 : of_.up_to((piece_bytes - bytes) / 8) * 8;
    if (of_.one_in(4)) ++at;
    if (at + bytes <= piece_bytes) steps_.push_back({kind::forget, false, bytes, in->begin + at, nullptr});
  }

  shape& of_;
  region* own_;
  std::vector<step> steps_;
  std::array<bool, lock_count> is_held_{};
};

void note_use(const step& one, int node, const held_locks& held) {
  region* const in = now->region_with(one.at);
  const auto begin = static_cast<std::size_t>(one.at - in->begin);
  for (std::size_t i = begin; i < begin + one.size; ++i) {
    auto& uses = in->uses[i];
    const auto is_same = [&](const use_of_byte& use) {
      if (use.node != node || (one.is_write && !use.is_write)) return false;
      for (std::size_t j = 0; j < held.size(); ++j) {
        if (use.held[j].is_held != held[j].is_held || use.held[j].is_shared != held[j].is_shared)
          return false;
      }
      return true;
    };
    if (uses.empty() || !is_same(uses.back())) uses.push_back({node, one.is_write, held});
  }
}

/// What went before is looked at as memory of its own.
void note_forgotten(const step& one) {
  region* const in = now->region_with(one.at);
  now->regions.push_back(std::make_unique<region>(in->begin, in->uses.size(),
                                                  "memory before " + std::to_string(now->regions.size())));
  const auto begin = static_cast<std::size_t>(one.at - in->begin);
  for (std::size_t i = begin; i < begin + one.size; ++i) {
    now->regions.back()->uses[i].swap(in->uses[i]);
    now->regions.back()->reported[i] = in->reported[i];
    in->reported[i] = false;
  }
}

/// Notes what the steps are, each before it is taken.
void take_and_note(const std::vector<step>& steps, int node) {
  held_locks held{};
  const step* const end = steps.data() + steps.size();
  for (const step* from = steps.data(); from != end;) {
    // Reports are of the memory as it is then: the stretch is parted where some is forgotten.
    const step* to = from;
    while (to != end && to->what != kind::forget) {
      const step& one = *to++;
      held_locks with = held;
      switch (one.what) {
      case kind::lock: held[one.size] = {true, false, 0}; break;
      case kind::lock_shared: held[one.size] = {true, true, 0}; break;
      case kind::unlock: held[one.size] = {}; break;
      case kind::atomic:
        // What an addition brings to zero may count references: races are held back then, and told of later.
        std::memset(one.at, 1, one.size);
        with[of_atomics].is_held = true;
        [[fallthrough]];
      default: note_use(one, node, with);
      }
    }
    if (to != end) ++to;
    nopal_check_heed();
    take_steps(from, to);
    nopal_check_ignore();
    if (to[-1].what == kind::forget) note_forgotten(to[-1]);
    from = to;
  }
}

/// Enough for the checker to give out numbers anew.
[[gnu::noinline]] void make_many_strands() {
  nopal::scope s;
  for (int i = 0; i < 40000; ++i) s.fork([] {});
}

/// Runs a procedure that begins in `node`; returns the node that it ends in. Nothing is heeded around it.
int run(shape& of, int node, int depth) {
  alignas(8) unsigned char local[256];
  nopal::scope scope;
  std::vector<int> ended;
  region* const mine = of.one_in(3) ? now->begin_region(local, sizeof local, "a variable ") : nullptr;
  const auto join = [&] {
    nopal_check_heed();
    scope.join();
    nopal_check_ignore();
    if (ended.empty()) return;
    ended.push_back(node);
    node = now->add(ended);
    ended.clear();
  };
  for (std::size_t steps = of.up_to(6) + 2; steps != 0 && of.left-- > 0; --steps) {
    const std::size_t what = of.up_to(9);
    if (what < 5) {
      stretch made(of, mine);
      take_and_note(made.make(), node);
    } else if (what < 8 && depth < 5) {
      const int first = now->add({node});
      int last = 0;
      nopal_check_heed();
      scope.fork([&of, first, depth, &last] {
        const apart here;
        last = run(of, first, depth + 1);
      });
      nopal_check_ignore();
      ended.push_back(last);
      node = now->add({node});
    } else if (what == 8) {
      join();
    } else if (of.collects && of.one_in(4)) {
      nopal_check_heed();
      make_many_strands();
      nopal_check_ignore();
    }
  }
  join();
  if (mine != nullptr) now->end_region(mine);
  return node;
}

int run_one(std::uint64_t seed) {
  const apart here;
  history all;
  now = &all;
  for (std::size_t i = 0; i < pieces; ++i) {
    nopal_check_forget(memory + i * between_pieces, piece_bytes);
    all.begin_region(memory + i * between_pieces, piece_bytes, "memory ");
  }
  shape of{};
  of.random.seed(seed * 0x9e3779b97f4a7c15U);
  bool* const features[] = {&of.has_locks, &of.has_atomics, &of.forgets, &of.has_sizes, &of.is_narrow};
  for (bool* each : features) *each = of.one_in(2);
  of.forgets_places = of.one_in(3);
  of.collects = of.one_in(16);
  of.writes = static_cast<unsigned>(2 + of.up_to(8));
  of.left = static_cast<int>(20 + of.up_to(60));
  const int first = all.add({});
  nopal::scope alone;
  nopal_check_heed();
  alone.fork([&] {
    const apart here;
    run(of, first, 0);
  });
  alone.join();
  nopal_check_ignore();
  return say_what_is_wrong(all, seed);
}

}  // namespace

int main(int argc, char** argv) {
  return run_watched(
      argc, argv, [](const void* at, std::size_t size) { now->note_report(at, size); }, run_one);
}
