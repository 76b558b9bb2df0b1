// Fork and join.
#ifndef NOPAL_SCOPE_HPP
#define NOPAL_SCOPE_HPP

#include <nopal/version.hpp>

#ifdef NOPAL_CHECKED_PARALLEL
#include <nopal/detail/scope_checked_parallel.hpp>
#elif defined(NOPAL_CHECKED)
#include <nopal/detail/scope_checked.hpp>
#elif defined(NOPAL_ELIDE)
#include <nopal/detail/scope_elided.hpp>
#else
#include <nopal/detail/language.h>

#include <nopal/detail/scope_parallel.hpp>
#endif
#include <nopal/detail/free_forks.hpp>

#endif

// Outside of the guard: a header that leaves it to others may come first.
#if !defined(NOPAL_DETAIL_SAYS_NOT_LATENT) && !defined(NOPAL_ELIDE) && !defined(NOPAL_CHECKED)
#include <nopal/detail/latent_use.hpp>
#endif
