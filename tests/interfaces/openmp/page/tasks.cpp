// Tasks and sections of OpenMP, and forks of Nopal, side by side.
#include <nopal/nopal.hpp>
#include <nopal/parallel.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

void expect(bool right, const char* what) {
  if (!right) {
    std::printf("wrong: %s\n", what);
    std::exit(1);
  }
}

struct node {
  node* left = nullptr;
  node* right = nullptr;
  long value = 0;
};

namespace with_openmp {
// snippet: task
long fib(int n) {
  if (n < 2) return n;
  long x = 0, y = 0;
#pragma omp task shared(x)
  x = fib(n - 1);
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

long run(int n) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(n);
  return result;
}
// end snippet

// snippet: taskgroup
void visit(node* n) {
  if (n == nullptr) return;
#pragma omp task
  visit(n->left);
#pragma omp task
  visit(n->right);
  n->value *= 2;
}

void visit_all(node* root) {
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  visit(root);
}
// end snippet

// snippet: sections
void both(long& a, long& b) {
#pragma omp parallel sections
  {
#pragma omp section
    a = fib(10);
#pragma omp section
    b = fib(11);
  }
}
// end snippet
}  // namespace with_openmp

namespace with_nopal {
// snippet: task nopal
long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

long run(int n) { return fib(n); }
// end snippet

// snippet: taskgroup nopal
void visit(node* n) {
  if (n == nullptr) return;
  nopal::scope s;
  s.fork(visit, n->left);
  s.fork(visit, n->right);
  n->value *= 2;
}  // the scope joins

void visit_all(node* root) { visit(root); }
// end snippet

// snippet: sections nopal
void both(long& a, long& b) {
  nopal::parallel_invoke([&] { a = fib(10); }, [&] { b = fib(11); });
}
// end snippet
}  // namespace with_nopal

}  // namespace

int main() {
  expect(with_openmp::run(15) == 610 && with_nopal::run(15) == 610, "fib");
  node leaves[2] = {{.value = 1}, {.value = 2}};
  node root{&leaves[0], &leaves[1], 3};
  with_openmp::visit_all(&root);
  with_nopal::visit_all(&root);
  expect(leaves[0].value == 4 && leaves[1].value == 8 && root.value == 12, "visit");
  long a = 0, b = 0, c = 0, d = 0;
  with_openmp::both(a, b);
  with_nopal::both(c, d);
  expect(a == 55 && b == 89 && c == a && d == b, "both");
}
