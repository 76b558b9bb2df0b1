#include "programs/registry.hpp"

#include <array>

// What each variant's compilation defines.
#define NOPAL_DECLARE_PROGRAMS(variant)                                                                      \
  namespace bench::variant {                                                                                 \
  extern const program fib_program, integrate_program, loop_program, matmul_program, nqueens_program,        \
      quicksort_program;                                                                                     \
  }
NOPAL_DECLARE_PROGRAMS(parallel)
NOPAL_DECLARE_PROGRAMS(elided)
NOPAL_DECLARE_PROGRAMS(depth)
namespace bench::plain {
extern const program fib_program;
}

namespace bench {
namespace {

const std::array families = {
    program_family{&parallel::fib_program, &elided::fib_program, &depth::fib_program, &plain::fib_program},
    program_family{&parallel::nqueens_program, &elided::nqueens_program, &depth::nqueens_program, nullptr},
    program_family{&parallel::integrate_program, &elided::integrate_program, &depth::integrate_program,
                   nullptr},
    program_family{&parallel::quicksort_program, &elided::quicksort_program, &depth::quicksort_program,
                   nullptr},
    program_family{&parallel::matmul_program, &elided::matmul_program, &depth::matmul_program, nullptr},
    program_family{&parallel::loop_program, &elided::loop_program, &depth::loop_program, nullptr},
};

}  // namespace

std::span<const program_family> all_programs() { return families; }

const program_family* find_program(std::string_view name) {
  for (const program_family& family : families) {
    if (family.name() == name) return &family;
  }
  return nullptr;
}

std::string program_names() {
  std::string names;
  for (const program_family& family : families) {
    if (!names.empty()) names += ", ";
    names += family.name();
  }
  return names;
}

}  // namespace bench
