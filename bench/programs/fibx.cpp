// A recursion as deep as its argument: each call forks one a step back and makes one forty steps back, so
// that a chain of hundreds of forks has subtrees along all of it. Made to stretch stacks, not to compute.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fork_join.hpp"
#include "measure/one_real_call.hpp"
#include "program.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

constexpr int far_step = 40;

// All of them count the leaves of the tree of calls.

#ifdef NOPAL_PROGRAM_PLAIN

// With barriers as in fib.cpp: compilers make loops of the elision.
NOPAL_ONE_REAL_CALL std::int64_t count_leaves(int n) {
  if (n < 2) return 1;
  std::int64_t near = count_leaves(n - 1);
  asm volatile("" : "+r"(near));
  std::int64_t far = count_leaves(n - far_step);
  asm volatile("" : "+r"(far));
  return near + far;
}

#elif defined(NOPAL_PROGRAM_HAS_INVOKE)

std::int64_t count_leaves(int n) {
  if (n < 2) return 1;
  std::int64_t near;
  std::int64_t far;
  invoke([&] { near = count_leaves(n - 1); }, [&] { far = count_leaves(n - far_step); });
  return near + far;
}

#else

std::int64_t count_leaves(int n) {
  if (n < 2) return 1;
  std::int64_t near;
  scope s;
  s.fork_into(near, count_leaves, n - 1);
  const std::int64_t far = count_leaves(n - far_step);
  s.join();
  return near + far;
}

#endif

std::int64_t count_leaves_by_table(int n) {
  std::vector<std::int64_t> leaves(static_cast<std::size_t>(n < 2 ? 2 : n + 1), 1);
  for (std::size_t i = 2; i < leaves.size(); ++i) {
    leaves[i] = leaves[i - 1] + (i < far_step ? 1 : leaves[i - far_step]);
  }
  return leaves.back();
}

class fibx_instance final : public instance {
public:
  explicit fibx_instance(const input& with) : n_(static_cast<int>(with.size)) {}
  void run() override { result_ = count_leaves(n_); }
  [[nodiscard]] bool verify() const override { return result_ == count_leaves_by_table(n_); }

private:
  int n_;
  std::int64_t result_ = -1;
};

}  // namespace

const program fibx_program = {
    .name = "fibx",
    .summary = "deep recursion to n - 1 and n - 40, a fork at every level",
    .size = {.meaning = "n", .usual = 265, .quick = 190, .paper = 280, .largest = 400},
    .grain = {},
    .prepare = prepare<fibx_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
