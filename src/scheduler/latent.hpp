// Whether forks may be latent in this process.
#ifndef NOPAL_SCHEDULER_LATENT_HPP
#define NOPAL_SCHEDULER_LATENT_HPP

#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// If code with latent forks has said that it is there, the settings allow them, and the system can
/// tell of code on the stack. Under `lock`, with the settings known.
void allow_latent_forks(runtime& all) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
