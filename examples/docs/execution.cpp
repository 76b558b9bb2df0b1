// The code of docs/execution.md.
// snippet: names
#include <nopal/execution.hpp>
#include <nopal/nopal.hpp>

namespace ex = STDEXEC;  // of stdexec; that of a standard library is std::execution
// end snippet

#include <cstddef>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

// snippet: backend
auto ex::parallel_scheduler_replacement::query_parallel_scheduler_backend()
    -> std::shared_ptr<ex::parallel_scheduler_replacement::parallel_scheduler_backend> {
  return nopal::execution::parallel_scheduler_backend();
}
// end snippet

namespace {

// snippet: bulk
double sum_of_squares(std::vector<double> numbers) {
  const std::size_t count = numbers.size();
  auto work =
      ex::just(std::move(numbers)) | ex::continues_on(nopal::execution::get_scheduler()) |
      ex::bulk(ex::par, count, [](std::size_t i, std::vector<double>& all) { all[i] *= all[i]; }) |
      ex::then([](const std::vector<double>& all) {
        return nopal::parallel_reduce(all.begin(), all.end(), 0.0, [](double a, double b) { return a + b; });
      });
  auto [sum] = ex::sync_wait(std::move(work)).value();
  return sum;
}
// end snippet

// snippet: strands
long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

long both() {
  auto first = nopal::execution::as_sender([] { return fib(20); });  // a strand as a sender
  auto second = nopal::execution::as_sender([] { return fib(21); });
  auto [x, y] = nopal::execution::wait(ex::when_all(std::move(first), std::move(second))).value();
  return x + y;  // the strand was suspended meanwhile
}
// end snippet

// snippet: fork
int children() {
  int a = 0;
  int b = 0;
  nopal::scope s;
  nopal::execution::fork(s, ex::schedule(nopal::execution::get_scheduler()) | ex::then([&a] { a = 1; }));
  s.fork([&b] { b = 2; });
  s.join();  // waits for both
  return a + b;
}
// end snippet

// snippet: stop
bool is_found(const std::vector<int>& numbers, int sought) {
  ex::inplace_stop_source found;
  const auto all =
      nopal::execution::wait(ex::schedule(nopal::execution::get_scheduler()) |
                                 ex::bulk(ex::par, numbers.size(),
                                          [&](std::size_t i) noexcept {
                                            if (numbers[i] == sought)
                                              found.request_stop();  // the other bodies are not needed
                                          }),
                             found.get_token());
  return !all.has_value() || found.stop_requested();
}
// end snippet

// snippet: arena
void in_the_background() {
  nopal::arena two(2, nopal::priority::low);
  ex::sync_wait(ex::schedule(nopal::execution::get_scheduler(two)) | ex::then([] { fib(15); }));
}
// end snippet

}  // namespace

int main() {
  in_the_background();
  ex::sync_wait(ex::schedule(ex::get_parallel_scheduler()));
  const bool right = sum_of_squares(std::vector<double>(1000, 2.0)) == 4000.0 && both() == 6765 + 10946 &&
                     children() == 3 && is_found({1, 2, 3}, 2) && !is_found({1, 2, 3}, 4);
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
