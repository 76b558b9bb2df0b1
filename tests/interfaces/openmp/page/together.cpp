// Strands and OpenMP's regions in one program.
#include <nopal/nopal.hpp>
#include <nopal/openmp.hpp>
#include <nopal/parallel.hpp>

#include <omp.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <vector>

namespace {

void expect(bool right, const char* what) {
  if (!right) {
    std::printf("wrong: %s\n", what);
    std::exit(1);
  }
}

long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

/// A library's function that uses OpenMP inside.
double solve(int n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += i;
  return sum;
}

// snippet: region in strands
std::vector<double> solve_all(const std::vector<int>& systems) {
  std::vector<double> results(systems.size());
  nopal::parallel_for(std::size_t{0}, systems.size(), [&](std::size_t i) {
    // Each worker has a system to solve, so none needs a team of threads for it.
    results[i] = nopal::openmp::region(1, [&] { return solve(systems[i]); });
  });
  return results;
}
// end snippet

// snippet: forks in a region
std::vector<long> fibs(int n) {
  std::vector<long> results(static_cast<std::size_t>(n));
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    results[static_cast<std::size_t>(i)] = fib(i);  // forks and joins, and is back on this thread
  }
  return results;
}
// end snippet

// snippet: forks in a region in a strand
std::vector<long> fibs_in_a_strand(int n) {
  std::vector<long> results;
  nopal::scope s;
  s.fork([&] { nopal::openmp::root_region([&] { results = fibs(n); }); });
  s.join();
  return results;
}
// end snippet

// snippet: guard
double solve_with_two_threads(int n) {
  const nopal::openmp::thread_limit two(2);  // no fork and no join while it lives
  return solve(n) + solve(2 * n);
}
// end snippet

// snippet: exceptions
void check_all(const std::vector<int>& values) {
  std::exception_ptr failure;
#pragma omp parallel for
  for (std::size_t i = 0; i < values.size(); ++i) {
    try {
      if (values[i] < 0) throw std::domain_error("negative");
    } catch (...) {
#pragma omp critical
      failure = std::current_exception();
    }
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

bool all_are_right(const std::vector<int>& values) {
  try {
    nopal::scope s;
    s.fork([&] { nopal::openmp::region([&] { check_all(values); }); });
    s.join();
  } catch (const std::domain_error&) {
    return false;
  }
  return true;
}
// end snippet

}  // namespace

int main() {
  expect(solve_all({10, 20, 30}) == std::vector<double>{45, 190, 435}, "solve_all");
  expect(fibs(12).back() == 89, "fibs");
  expect(fibs_in_a_strand(12) == fibs(12), "fibs_in_a_strand");
  expect(solve_with_two_threads(10) == 45 + 190, "solve_with_two_threads");
  expect(all_are_right({1, 2, 3}) && !all_are_right({1, -2, 3}), "all_are_right");
}
