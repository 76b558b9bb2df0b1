/* What code that forks cannot be compiled for or with. */
#ifndef NOPAL_DETAIL_SUPPORTED_H
#define NOPAL_DETAIL_SUPPORTED_H

#include <nopal/detail/language.h>
#include <nopal/detail/machine.h>

#ifdef __has_feature
#if __has_feature(safe_stack)
#error                                                                                                       \
    "nopal: -fsanitize=safe-stack keeps a second stack of each thread, which a stolen strand would leave: compile without it"
#endif
#if __has_feature(shadow_call_stack)
#error                                                                                                       \
    "nopal: -fsanitize=shadow-call-stack keeps return addresses on a stack of each thread, which a stolen strand would leave: compile without it"
#endif
#if __has_feature(memory_sanitizer)
#error "nopal: -fsanitize=memory does not know what the library writes: compile without it"
#endif
#if __has_feature(dataflow_sanitizer)
#error "nopal: -fsanitize=dataflow has other names for what the library defines: compile without it"
#endif
#if __has_feature(speculative_load_hardening)
#error                                                                                                       \
    "nopal: -mspeculative-load-hardening keeps its state in the stack pointer, which a steal replaces: compile without it"
#endif
#endif

#endif
