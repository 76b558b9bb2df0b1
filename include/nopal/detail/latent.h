/* What latent forks ask of the library. */
#ifndef NOPAL_DETAIL_LATENT_H
#define NOPAL_DETAIL_LATENT_H

#include <nopal/detail/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a promoted fork's child returns to, after its result was stored: takes the continuation
 * back, or ends the child. Its return address is where the continuation goes on. */
NOPAL_EXPORT void nopal_end_promoted(struct nopal_frame* frame);

#ifdef __cplusplus
/* Where the exception of a promoted fork's child arrives. Takes the continuation back and returns
 * the exception, or keeps it for the join and ends the child. */
NOPAL_EXPORT void* nopal_promoted_threw(void* exception, struct nopal_frame* frame);

/* Where the exception of any other latent fork's child arrives, in the function that forked: throws
 * it on, or keeps it for the join where an earlier child may still throw. */
NOPAL_EXPORT void nopal_fork_threw(void* exception, struct nopal_frame* frame);
#endif

/* Says that code with latent forks is there. Called when that is loaded, and before it forks. */
NOPAL_EXPORT void nopal_use_latent_forks(void);

#ifdef __cplusplus
}
#endif

#endif
