// Says that forks of this file are latent. Where nothing in the process says so, all are eager, those too that could be latent.
#ifndef NOPAL_DETAIL_LATENT_USE_HPP
#define NOPAL_DETAIL_LATENT_USE_HPP

#include <nopal/detail/latent_mode.h>
#include <nopal/version.hpp>

#if NOPAL_HAS_LATENT_FORKS
#include <nopal/detail/latent.h>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

/// Hidden, as `linked_abi` is.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"
#endif
[[gnu::used, gnu::visibility("hidden")]] inline const bool says_that_forks_are_latent =
    (nopal_use_latent_forks(), true);
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
#endif

#endif
