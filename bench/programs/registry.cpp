#include "programs/registry.hpp"

#include <array>

#include "programs/list.hpp"

// What each variant's compilation defines.
#define NOPAL_DECLARE_PROGRAM(name)                                                                          \
  namespace bench {                                                                                          \
  namespace parallel {                                                                                       \
  extern const program name##_program;                                                                       \
  }                                                                                                          \
  namespace elided {                                                                                         \
  extern const program name##_program;                                                                       \
  }                                                                                                          \
  namespace depth {                                                                                          \
  extern const program name##_program;                                                                       \
  }                                                                                                          \
  namespace record {                                                                                         \
  extern const program name##_program;                                                                       \
  }                                                                                                          \
  }
NOPAL_BENCH_PROGRAMS(NOPAL_DECLARE_PROGRAM)
namespace bench::plain {
extern const program fib_program;
extern const program fibx_program;
}  // namespace bench::plain

namespace bench {
namespace {

const program* plain_program(std::string_view name) {
  if (name == "fib") return &plain::fib_program;
  if (name == "fibx") return &plain::fibx_program;
  return nullptr;
}

#define NOPAL_FAMILY(name)                                                                                   \
  program_family{&parallel::name##_program, &elided::name##_program, &depth::name##_program,                 \
                 &record::name##_program, plain_program(#name)},
const std::array families = {NOPAL_BENCH_PROGRAMS(NOPAL_FAMILY)};

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
