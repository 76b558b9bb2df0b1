// Forks, joins, nested scopes and arguments.
// clang-format off
#include <functional>
#include <memory>
#include <stdexcept>

#include <nopal/scope.hpp>

#include "corpus.hpp"

namespace forks_data { int x, y; }
using namespace forks_data;
static long fib_unjoined(int n) {
  if (n < 2) return n;
  long a;
  nopal::scope s;
  s.fork_into(a, fib_unjoined, n - 1);  // race: A
  long b = fib_unjoined(n - 2);
  return a + b;  // with: A
}
CASE(fib_without_join) { use(fib_unjoined(6)); }

static long fib_joined(int n) {
  if (n < 2) return n;
  long a;
  nopal::scope s;
  s.fork_into(a, fib_joined, n - 1);
  long b = fib_joined(n - 2);
  s.join();
  return a + b;
}
CASE(fib_with_join) { use(fib_joined(8)); }

CASE(both_write) {
  nopal::scope s;
  s.fork([] { x = 1; });  // race: A
  x = 2;  // with: A
  s.join();
}
CASE(both_write_joined) {
  nopal::scope s;
  s.fork([] { x = 1; });
  s.join();
  x = 2;
}
CASE(child_writes_parent_reads) {
  nopal::scope s;
  s.fork([] { x = 1; });  // race: A
  use(x);  // with: A
  s.join();
}
CASE(child_reads_parent_writes) {
  nopal::scope s;
  s.fork([] { use(x); });  // race: A
  x = 3;  // with: A
  s.join();
}
CASE(both_read) {
  x = 1;
  nopal::scope s;
  s.fork([] { use(x); });
  use(x);
  s.join();
  x = 2;
}
CASE(write_before_fork) {
  x = 1;
  nopal::scope s;
  s.fork([] { use(x); x = 2; });
  s.join();
  use(x);
}
CASE(siblings_write) {
  nopal::scope s;
  s.fork([] { x = 1; });  // race: A
  s.fork([] { x = 2; });  // with: A
  s.join();
}
CASE(siblings_write_own) {
  nopal::scope s;
  s.fork([] { x = 1; });
  s.fork([] { y = 2; });
  s.join();
}
CASE(siblings_in_two_phases) {
  nopal::scope s;
  s.fork([] { x = 1; });
  s.join();
  s.fork([] { x = 2; });
  s.join();
}
CASE(local_by_reference) {
  int local = 0;
  nopal::scope s;
  s.fork([&] { local = 1; });  // race: A
  use(local);  // with: A
  s.join();
}
CASE(local_by_reference_joined) {
  int local = 0;
  nopal::scope s;
  s.fork([&] { local = 1; });
  s.join();
  use(local);
}
CASE(local_by_value) {
  int local = 0;
  use_address(&local);
  nopal::scope s;
  s.fork([local]() mutable { local = 1; use_address(&local); });
  local = 2;
  s.join();
}
CASE(argument_by_std_ref) {
  int local = 0;
  nopal::scope s;
  s.fork([](int& r) { r = 1; }, std::ref(local));  // race: A
  local = 2;  // with: A
  s.join();
}
CASE(argument_by_value) {
  int local = 0;
  use_address(&local);
  nopal::scope s;
  s.fork([](int r) { use(r); }, local);
  local = 2;
  s.join();
}
CASE(argument_by_pointer) {
  int local = 0;
  nopal::scope s;
  s.fork([](int* p) { *p = 1; }, &local);  // race: A
  local = 2;  // with: A
  s.join();
}
static int give() { return 7; }
CASE(fork_into_read_early) {
  int out;
  nopal::scope s;
  s.fork_into(out, give);  // race: A
  use(out);  // with: A
  s.join();
}
CASE(fork_into_read_late) {
  int out;
  nopal::scope s;
  s.fork_into(out, give);
  s.join();
  use(out);
}
CASE(fork_into_twice) {
  int out;
  nopal::scope s;
  s.fork_into(out, give);  // race: A
  s.fork_into(out, give);  // with: A
  s.join();
  use(out);
}
CASE(fork_into_own_elements) {
  int out[2];
  nopal::scope s;
  s.fork_into(out[0], give);
  s.fork_into(out[1], give);
  s.join();
  use(out[0] + out[1]);
}
CASE(destructor_joins) {
  {
    nopal::scope s;
    s.fork([] { x = 1; });
  }
  x = 2;
}
CASE(inner_scope_joined) {
  nopal::scope outer;
  outer.fork([] { y = 1; });
  {
    nopal::scope inner;
    inner.fork([] { x = 1; });
    inner.join();
    x = 2;
  }
  outer.join();
  use(y);
}
CASE(inner_join_does_not_join_outer) {
  nopal::scope outer;
  outer.fork([] { y = 1; });  // race: A
  nopal::scope inner;
  inner.fork([] { x = 1; });
  inner.join();
  use(y);  // with: A
  outer.join();
}
CASE(grandchild_joined_by_child) {
  nopal::scope s;
  s.fork([] {
    nopal::scope t;
    t.fork([] { x = 1; });
    t.join();
    x = 2;
  });
  s.join();
  x = 3;
}
CASE(grandchild_and_grandparent) {
  nopal::scope s;
  s.fork([] {
    nopal::scope t;
    t.fork([] { x = 1; });  // race: A
    t.join();
  });
  x = 3;  // with: A
  s.join();
}
CASE(cousins) {
  nopal::scope s;
  s.fork([] { nopal::scope t; t.fork([] { x = 1; }); t.join(); });  // race: A
  s.fork([] { nopal::scope t; t.fork([] { x = 2; }); t.join(); });  // with: A
  s.join();
}
CASE(cousins_apart) {
  nopal::scope s;
  s.fork([] { nopal::scope t; t.fork([] { x = 1; }); t.join(); });
  s.join();
  s.fork([] { nopal::scope t; t.fork([] { x = 2; }); t.join(); });
  s.join();
}
static void take(int, int) {}
CASE(argument_read_beside_a_write) {
  static int source; use_address(&source);
  nopal::scope s;
  s.fork([] { source = 1; });  // race: A
  s.fork(take, 1, source);  // with: A
  s.join();
}
static void change(int&& r, int* to) {
  nopal::scope s;
  s.fork([&] { r = 1; });  // race: A
  *to = r;  // with: A
  s.join();
}
CASE(argument_shared_by_grandchildren) {
  int out;
  nopal::scope s;
  s.fork(change, 3, &out);
  s.join();
}
static double mean(double a, float b, int c, int* seen) {
  use_address(&a); use_address(&b); use_address(&c); use_address(seen);
  *seen = c;
  c = 7;
  return (a + b) / 2;
}
CASE(arguments_of_their_own) {
  double means[8];
  int seen[8];
  nopal::scope s;
  for (int i = 0; i < 8; ++i) s.fork_into(means[i], mean, i * 1.0, i * 2.0F, i, &seen[i]);
  s.join();
  use(static_cast<std::int64_t>(means[7]) + seen[7]);
}
