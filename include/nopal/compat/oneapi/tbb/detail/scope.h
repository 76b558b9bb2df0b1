// Nopal's forks, as this interface makes them. It says not that they are latent. A program that forks by this interface alone has
// eager ones then: its loops have few halves, so a fork's price is no matter, and thieves need no signal to get them. Where the
// program says it for forks of its own, these are latent as well: a mixture would be walked through at each eager one.
#ifndef NOPAL_COMPAT_TBB_DETAIL_SCOPE_H
#define NOPAL_COMPAT_TBB_DETAIL_SCOPE_H

#define NOPAL_DETAIL_SAYS_NOT_LATENT
#include <nopal/scope.hpp>
#undef NOPAL_DETAIL_SAYS_NOT_LATENT

#endif
