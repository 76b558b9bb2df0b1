// What a strand takes along besides its stack when it changes its worker.
#ifndef NOPAL_STRAND_STATE_HPP
#define NOPAL_STRAND_STATE_HPP

#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

struct worker;

/// The C++ runtime's state of one thread: exceptions being handled, and how many are in flight.
struct exception_state {
  void* caught;
  unsigned int uncaught;
};

namespace strand {

struct state {
  const worker* root;           ///< whose root it is part of; null: of none
  const void* local;            ///< nopal_local()
  exception_state exceptions;   ///< none if the program has no C++ runtime
  std::uint64_t float_control;  ///< SSE and x87 control words, as the arch layer has them
};

}  // namespace strand
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
