// Random fork trees whose strands run side by side in a random order of their steps: the order of each two accesses is what
// the graph of strands says, and a byte is in a race by what is kept of it exactly where some pair of its accesses is.
//
// Usage: parallel_order [SEED [COUNT]]; without a seed, or with 0, a fresh one. Prints what differs.
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <vector>

#include "generated_runs.hpp"
#include "generated_trees.hpp"
#include "parallel/order.hpp"

using namespace nopal_check_parallel;

namespace {

constexpr int bytes = 4;

/// The strands before each stretch of one, itself included.
using set_of_strands = std::vector<bool>;

struct open_family {
  family* members = nullptr;
  int running = 0;
  std::vector<int> last;  ///< stretches that its children ended in
};

/// A procedure that runs.
struct activity {
  const code* does;
  std::size_t next = 0;
  position at;
  int stretch;
  open_family families[scopes];
  activity* parent;
  int scope;
};

struct known_access {
  position at;
  int stretch;
  int byte;
  bool is_write;
  int place;
};

class execution {
public:
  execution(std::uint64_t seed, bool is_nested) : random_(seed), is_nested_(is_nested) {}

  int run(const code& program) {
    procedures_.emplace_back();
    begin(program, begin_root(procedures_.back()), stretch_after({}), nullptr, 0);
    while (!running_.empty()) {
      activity* const one = running_[random_() % running_.size()];
      if (one->next == one->does->steps.size()) {
        end(one);
      } else {
        take(one);
      }
    }
    for (int byte = 0; is_nested_ && byte < bytes; ++byte) {
      if (has_race_[byte] != is_reported_[byte]) {
        ++wrong_;
        std::printf("byte %d: %s\n", byte, has_race_[byte] ? "its race is missed" : "it has no race");
      }
    }
    return wrong_;
  }

private:
  int stretch_after(const std::vector<int>& others) {
    set_of_strands before;
    before.resize(before_.size() + 1);
    for (const int other : others) {
      for (std::size_t i = 0; i < before_[other].size(); ++i) {
        if (before_[other][i]) before[i] = true;
      }
    }
    before.back() = true;
    before_.push_back(before);
    return static_cast<int>(before_.size() - 1);
  }

  void begin(const code& does, position at, int stretch, activity* parent, int scope) {
    all_.push_back({&does, 0, at, stretch, {}, parent, scope});
    running_.push_back(&all_.back());
  }

  void end(activity* one) {
    std::erase(running_, one);
    if (one->parent == nullptr) return;
    open_family& among = one->parent->families[one->scope];
    --among.running;
    among.last.push_back(one->stretch);
  }

  void take(activity* one) {
    const step& now = one->does->steps[one->next];
    if (now.what == kind::access) {
      ++one->next;
      return access(*one, now);
    }
    open_family& in = one->families[now.scope];
    if (now.what == kind::fork) {
      ++one->next;
      if (in.members == nullptr) in.members = &families_.emplace_back();
      const int before = one->stretch;
      procedure& made = procedures_.emplace_back();
      const position child = fork(one->at, *in.members, made);
      ++in.running;
      begin(*now.child, child, stretch_after({before}), one, now.scope);
      one->stretch = stretch_after({before});
      return;
    }
    if (in.running != 0) return;  // it waits
    ++one->next;
    if (in.members == nullptr) return;
    in.last.push_back(one->stretch);
    one->stretch = stretch_after(in.last);
    join(one->at, *in.members);
    in = {};
  }

  void access(const activity& by, const step& what) {
    for (const known_access& each : accesses_) {
      const std::vector<bool>& before = before_[by.stretch];
      const auto index = static_cast<std::size_t>(each.stretch);
      const bool is_before = index < before.size() && before[index];
      const relation expected = is_before                 ? relation::before
                                : each.place < what.place ? relation::parallel_on_the_left
                                                          : relation::parallel_on_the_right;
      const relation said = relate(each.at, by.at);
      const bool is_right = is_nested_ ? said == expected : is_parallel(said) == is_parallel(expected);
      if (!is_right && ++wrong_ < 5) {
        std::printf("places %d and %d: %d, not %d\n", each.place, what.place, static_cast<int>(said),
                    static_cast<int>(expected));
      }
      if (each.byte == what.byte && (each.is_write || what.is_write) && !is_before) {
        has_race_[what.byte] = true;
      }
    }
    accesses_.push_back({by.at, by.stretch, what.byte, what.is_write, what.place});
    const auto record = static_cast<std::uint32_t>(accesses_.size());
    const auto relation_of = [this, &by](std::uint32_t number) {
      return relate(accesses_[number - 1].at, by.at);
    };
    const auto found = [&](std::uint32_t, bool) { is_reported_[what.byte] = true; };
    if (what.is_write) {
      note_write(known_[what.byte], record, relation_of, found);
    } else {
      note_read(known_[what.byte], record, relation_of, found);
    }
  }

  std::mt19937_64 random_;
  bool is_nested_;
  std::deque<procedure> procedures_;
  std::deque<family> families_;
  std::deque<activity> all_;
  std::vector<activity*> running_;
  std::vector<set_of_strands> before_;
  std::vector<known_access> accesses_;
  nopal_check_parallel::accesses known_[bytes] = {};
  bool has_race_[bytes] = {};
  bool is_reported_[bytes] = {};
  int wrong_ = 0;
};

int run_one(std::uint64_t seed) {
  shape of{};
  of.random.seed(seed * 0x9e3779b97f4a7c15U);
  of.crosses = of.one_in(4);
  of.is_deep = of.one_in(3);
  of.left = static_cast<int>(10 + of.up_to(90));
  of.writes = static_cast<unsigned>(1 + of.up_to(12));
  of.bytes = bytes;
  const std::unique_ptr<code> program = make_code(of, 0);
  int wrong = 0;
  constexpr int orders = 4;
  for (std::uint64_t order = 0; order < orders; ++order) {
    wrong += execution(seed * orders + order, !of.crosses).run(*program);
  }
  if (wrong != 0) std::printf("seed %llu: %d wrong\n", static_cast<unsigned long long>(seed), wrong);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) { return run_seeds(argc, argv, run_one); }
