// The machine the library is built for.
#ifndef NOPAL_ARCH_ARCH_HPP
#define NOPAL_ARCH_ARCH_HPP

#if defined(__x86_64__)
#include "arch/x86_64/code_parts.hpp"
#include "arch/x86_64/continuation.hpp"
#include "arch/x86_64/copies.hpp"
#include "arch/x86_64/jump_buffer.hpp"
#include "arch/x86_64/ticks.hpp"
#include "arch/x86_64/unwinding.hpp"
#include "arch/x86_64/word128.hpp"
#else
#error "nopal: no src/arch for this machine"
#endif

#endif
