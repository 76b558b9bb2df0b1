// Satisfiability of random formulas of three literals a clause, near the ratio of clauses to variables where half of them can be
// satisfied: splitting with unit propagation, without learning. The first assignment that satisfies the formula stops the others.
#include <array>
#include <cstddef>
#include <optional>

#include "../programs/random.hpp"
#include "variant.hpp"

namespace searches::NOPAL_SEARCHES_VARIANT {
namespace {

constexpr std::size_t most_variables = 256;
constexpr int forked_splits = 9;

/// A variable times two, plus one where it is negated.
using literal = std::uint16_t;
constexpr literal negated(literal of) { return of ^ 1U; }

struct formula {
  std::size_t variables;
  std::vector<std::array<literal, 3>> clauses;
  std::vector<std::vector<std::uint16_t>> clauses_with;  ///< by literal
};

/// 1: true, -1: false, 0: open.
struct assignment {
  std::array<std::int8_t, most_variables> values{};

  [[nodiscard]] int value_of(literal of) const {
    const int value = values[of / 2U];  // NOLINT(bugprone-signed-char-misuse): a number
    return (of & 1U) != 0 ? -value : value;
  }
  void make_true(literal of) { values[of / 2U] = (of & 1U) != 0 ? -1 : 1; }
};

struct clause_look {
  int open = 0;  ///< literals
  literal last_open = 0;
  bool is_satisfied = false;

  clause_look(const std::array<literal, 3>& clause, const assignment& with) {
    for (const literal one : clause) {
      const int value = with.value_of(one);
      is_satisfied = is_satisfied || value > 0;
      if (value != 0) continue;
      ++open;
      last_open = one;
    }
  }
};

/// Makes the literal true, and what follows from single literals left in clauses; false if a clause is broken.
bool propagate(const formula& in, assignment& with, literal first) {
  std::array<literal, most_variables> todo;
  std::size_t count = 0;
  todo[count++] = first;
  with.make_true(first);
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::uint16_t clause : in.clauses_with[negated(todo[i])]) {
      const clause_look look(in.clauses[clause], with);
      if (look.is_satisfied || look.open > 1) continue;
      if (look.open == 0) return false;
      with.make_true(look.last_open);
      todo[count++] = look.last_open;
    }
  }
  return true;
}

/// The literal to split on, of the variable that is most often in clauses, those with two open literals above all; none if all clauses
/// are satisfied.
std::optional<literal> choose(const formula& in, const assignment& with) {
  std::array<int, 2 * most_variables> weights{};
  bool any = false;
  for (const auto& clause : in.clauses) {
    const clause_look look(clause, with);
    if (look.is_satisfied) continue;
    any = true;
    for (const literal one : clause) weights[one] += look.open == 2 ? 5 : 1;
  }
  if (!any) return std::nullopt;
  int most = -1;
  std::size_t best = 0;
  for (std::size_t variable = 0; variable < in.variables; ++variable) {
    if (with.values[variable] != 0) continue;
    const int plain = weights[2 * variable];
    const int negative = weights[2 * variable + 1];
    const int weight = plain * negative * 64 + plain + negative;
    if (weight <= most) continue;
    most = weight;
    best = 2 * variable + (negative > plain ? 1 : 0);
  }
  return static_cast<literal>(best);
}

struct hunt {
  const formula& of;
  tally& counts;
  stoppable* scope = nullptr;
  std::atomic<bool> is_found = false;
  assignment found{};  ///< by the strand that has set `is_found`
  stop_clock since{};
};

void offer(hunt& in, const assignment& found) {
  if (in.is_found.exchange(true)) return;
  in.found = found;
  in.since.stopped();
  in.scope->request_stop();
}

template <class Visits>
bool split_serially(hunt& in, const assignment& with, Visits& seen) {
  if (!seen.goes_on()) return false;
  const std::optional<literal> on = choose(in.of, with);
  if (!on) {
    offer(in, with);
    return true;
  }
  for (const literal one : {*on, negated(*on)}) {
    assignment next = with;
    if (propagate(in.of, next, one) && split_serially(in, next, seen)) return true;
  }
  return false;
}

void split(hunt& in, const assignment& with, int splits, stop_view view) {
  if (view.stopped()) return;
  if (splits == forked_splits) {
    visits seen(in.counts, [view] { return view.stopped(); }, 16);
    split_serially(in, with, seen);
    return;
  }
  in.counts.add_nodes(1);
  const std::optional<literal> on = choose(in.of, with);
  if (!on) return offer(in, with);
  group both(view);
  for (const literal one : {*on, negated(*on)}) {
    both.fork([&in, &with, one, splits, view] {
      assignment next = with;
      if (propagate(in.of, next, one)) split(in, next, splits + 1, view);
    });
  }
  both.join();
}

bool satisfies(const formula& in, const assignment& with) {
  for (const auto& clause : in.clauses)
    if (!clause_look(clause, with).is_satisfied) return false;
  return true;
}

formula make_formula(std::size_t variables, double ratio, std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(static_cast<double>(variables) * ratio);
  formula made{variables, std::vector<std::array<literal, 3>>(count),
               std::vector<std::vector<std::uint16_t>>(2 * variables)};
  bench::random_sequence random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<literal, 3>& clause = made.clauses[i];
    for (std::size_t k = 0; k < 3;) {
      clause[k] = static_cast<literal>(random.next() % (2 * variables));
      bool is_new = true;
      for (std::size_t before = 0; before < k; ++before)
        is_new = is_new && clause[before] / 2 != clause[k] / 2;
      if (is_new) ++k;
    }
    for (const literal one : clause) made.clauses_with[one].push_back(static_cast<std::uint16_t>(i));
  }
  return made;
}

/// A bit for each formula, in their order, set where it can be satisfied.
outcome run(const std::vector<formula>& all) {
  std::vector<assignment> found(all.size());
  outcome counted = timed([&](tally& counts) {
    std::int64_t answers = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      hunt in{.of = all[i], .counts = counts};
      stoppable whole{stop_view()};
      in.scope = &whole;
      whole.fork([&] { split(in, assignment{}, 0, whole.view()); });
      whole.join();
      in.since.joined(counts);
      if (!in.is_found) continue;
      found[i] = in.found;
      answers |= std::int64_t{1} << i;
    }
    return answers;
  });
  counted.is_right = true;
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((counted.answer >> i & 1) != 0 && !satisfies(all[i], found[i])) counted.is_right = false;
  return counted;
}

}  // namespace

std::vector<search> sat_searches(bool quick) {
  std::vector<formula> all;
  const std::size_t variables = quick ? 60 : 150;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) all.push_back(make_formula(variables, 4.26, seed));
  return {{"sat, 8 of " + std::to_string(variables) + " variables", [all] { return run(all); }}};
}

}  // namespace searches::NOPAL_SEARCHES_VARIANT
