// The `scope` that a program's text forks and joins with: Nopal's, its elision, or a peer's.
//
// A peer's header (see bench/peers) defines a class `scope` with the same members in the variant's
// namespace, and, where a call of several functions at once is what its users write and is cheaper,
// NOPAL_PROGRAM_HAS_INVOKE and `invoke(f, g, ...)`, which returns when all have.
#ifndef NOPAL_BENCH_PROGRAMS_FORK_JOIN_HPP
#define NOPAL_BENCH_PROGRAMS_FORK_JOIN_HPP

#ifdef NOPAL_PROGRAM_FORK_JOIN
#include NOPAL_PROGRAM_FORK_JOIN
#else
#include <nopal/scope.hpp>
namespace bench::NOPAL_PROGRAM_VARIANT {
using nopal::scope;
}
#endif

#endif
