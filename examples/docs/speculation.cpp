// The code of docs/speculation.md.
#include <nopal/parallel.hpp>
#include <nopal/speculate.hpp>

#include <cstdio>
#include <optional>
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

}  // namespace

int main() {
  const std::vector<int> numbers = {3, 34, 4, 12, 5, 2, 8, 9, 21};
  const bool right = has_sum(numbers, 30) && !has_sum({2, 4, 6}, 5) && best_of({9, 7, 3, 8}, 10) == 9 &&
                     power_above(100) == 128;
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
