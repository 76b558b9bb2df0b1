// Cilk's constructs, in Nopal's words.
#include <nopal/nopal.hpp>

#include <cstdio>
#include <vector>

namespace {

// snippet: fib
long fib(int n) {
  if (n < 2) return n;
  long x;  // before the scope
  nopal::scope s;
  s.fork_into(x, fib, n - 1);  // x = cilk_spawn fib(n - 1);
  long y = fib(n - 2);
  s.join();  // cilk_sync;
  return x + y;
}
// end snippet

// snippet: reducers
nopal::reducer<nopal::op_add<long>> sum;  // at file scope, as a local or as a member

void add_all(const int* first, const int* last) {
  if (last - first <= 1000) {
    long& mine = *sum;  // a view: good up to the next fork or join
    for (; first != last; ++first) mine += *first;
    return;
  }
  const int* const middle = first + (last - first) / 2;
  nopal::scope s;
  s.fork(add_all, first, middle);
  add_all(middle, last);
  s.join();
}
// end snippet

// snippet: monoid
struct longest {  // a monoid of your own: what a Cilk reducer's identity and reduce functions were
  using value_type = std::vector<int>;
  static value_type identity() { return {}; }
  static void reduce(value_type& left, value_type&& right) {
    if (right.size() > left.size()) left = std::move(right);
  }
};
nopal::reducer<longest> best;
// end snippet

// snippet: holder
nopal::holder scratch([] { return std::vector<char>(4096); });

void use_scratch() { scratch->front() = 'x'; }  // this strand's own
// end snippet

}  // namespace

int main() {
  const std::vector<int> ones(1'000'000, 1);
  add_all(ones.data(), ones.data() + ones.size());
  nopal::scope s;
  s.fork([] { longest::reduce(*best, {1, 2}); });
  s.fork([] { longest::reduce(*best, {3, 4}); });  // not longer: the first in serial order stays
  s.fork(use_scratch);
  s.join();
  return fib(20) == 6765 && sum.value() == 1'000'000 && best.value() == std::vector<int>{1, 2} ? 0 : 1;
}
