// The code of docs/speculation.md.
#include <nopal/parallel.hpp>
#include <nopal/reducer.hpp>
#include <nopal/speculate.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

// snippet: stop
/// Whether some subset of the numbers from `at` on adds up to `wanted`.
void look_for_sum(const std::vector<int>& numbers, std::size_t at, int wanted, nopal::cancel_scope& all) {
  if (wanted == 0) all.request_stop();
  if (wanted <= 0 || at == numbers.size() || nopal::stop_requested()) return;
  nopal::scope s;
  s.fork([&] { look_for_sum(numbers, at + 1, wanted - numbers[at], all); });
  look_for_sum(numbers, at + 1, wanted, all);
  s.join();
}

bool has_sum(const std::vector<int>& numbers, int wanted) {
  nopal::cancel_scope all;
  look_for_sum(numbers, 0, wanted, all);
  all.join();
  return all.stop_requested();
}
// end snippet

// snippet: unwind
/// As look_for_sum, without a question at each return.
void try_sums(const std::vector<int>& numbers, std::size_t at, int wanted, nopal::cancel_scope& all) {
  if (wanted == 0) all.request_stop();
  nopal::poll();  // throws nopal::stopped once there is one
  if (wanted <= 0 || at == numbers.size()) return;
  nopal::scope s;
  s.fork([&] { try_sums(numbers, at + 1, wanted - numbers[at], all); });
  try_sums(numbers, at + 1, wanted, all);
  s.join();
}

bool has_some_sum(const std::vector<int>& numbers, int wanted) {
  nopal::cancel_scope all{nopal::on_stop::unwind};
  all.fork([&] { try_sums(numbers, 0, wanted, all); });  // forked: a call would have no child to unwind
  all.join();
  return all.stop_requested();
}
// end snippet

int steps_of(int way) { return way * way; }

// snippet: inlet
/// The least steps of all ways; ends early with one that takes no more than `limit`.
int best_of(const std::vector<int>& ways, int limit) {
  int best = -1;
  nopal::cancel_scope s;
  for (const int way : ways) {
    s.fork_inlet(
        [&](int steps) {  // never two at a time: no lock
          if (best < 0 || steps < best) best = steps;
          if (best <= limit) s.request_stop();
        },
        steps_of, way);
  }
  s.join();
  return best;
}
// end snippet

// snippet: tree
std::optional<int> power_above(int limit) {
  const auto children = [limit](int node) {
    return node < limit ? std::vector<int>{2 * node, 3 * node} : std::vector<int>{};
  };
  return nopal::parallel_find_first(1, children, [limit](int node) { return node > limit; });
}
// end snippet

// snippet: best
/// The least sum of one number from each row, no two of one column.
struct choice {
  std::size_t rows = 0;  ///< that are chosen from
  unsigned columns = 0;  ///< that are taken, as bits
  int sum = 0;
};

std::optional<choice> least_choice(const std::vector<std::vector<int>>& table) {
  const auto expand = [&table](const choice& from) {
    std::vector<choice> children;
    for (std::size_t c = 0; from.rows < table.size() && c < table.size(); ++c) {
      const unsigned column = 1U << c;
      if ((from.columns & column) == 0) {
        children.push_back({from.rows + 1, from.columns | column, from.sum + table[from.rows][c]});
      }
    }
    return children;
  };
  const auto value = [&table](const choice& at) {
    return at.rows == table.size() ? std::optional(at.sum) : std::nullopt;
  };
  const auto bound = [&table](const choice& at) {  // the least of each row that is left
    int sum = at.sum;
    for (std::size_t row = at.rows; row < table.size(); ++row) {
      sum += *std::min_element(table[row].begin(), table[row].end());
    }
    return sum;
  };
  return nopal::parallel_find_best(choice{}, expand, value, bound);
}
// end snippet

// snippet: deadline
/// The steps made in the time, by strands that go on until it is over.
long steps_within(std::chrono::milliseconds time) {
  std::stop_source deadline;
  const std::jthread clock([&deadline, time] {
    std::this_thread::sleep_for(time);
    deadline.request_stop();
  });
  nopal::reducer<nopal::op_add<long>> steps;
  nopal::cancel_scope s{deadline.get_token()};
  for (int strand = 0; strand < 4; ++strand) {
    s.fork([&steps] {
      while (!nopal::stop_requested()) ++*steps;
    });
  }
  s.join();
  return steps.value();
}
// end snippet

// snippet: views
/// Counts what was looked at by those who were not stopped.
long looked_at(const std::vector<int>& numbers, int wanted) {
  long all = 0;
  nopal::cancel_scope s;
  for (const int number : numbers) {
    s.fork_inlet(
        [&, number](long own) {
          if (!s.stop_requested()) all += own;  // otherwise dropped
          if (number == wanted) s.request_stop();
        },
        [number] {
          nopal::reducer<nopal::op_add<long>> own;  // of this child, and all that it forks
          nopal::parallel_for(0, number, [&own](int) { *own += 1; });
          return own.value();
        });
  }
  s.join();
  return all;
}
// end snippet

}  // namespace

int main() {
  const std::vector<int> numbers = {3, 34, 4, 12, 5, 2, 8, 9, 21};
  const bool right = has_sum(numbers, 30) && !has_sum({2, 4, 6}, 5) && has_some_sum(numbers, 30) &&
                     !has_some_sum({2, 4}, 5) && best_of({9, 7, 3, 8}, 10) == 9 && power_above(100) == 128 &&
                     least_choice({{4, 2, 8}, {4, 3, 7}, {3, 1, 6}})->sum == 12 &&
                     looked_at({5, 6, 7}, 8) == 18 && steps_within(std::chrono::milliseconds(5)) > 0;
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
