// The machine the library is built for. This is the one place in src that chooses.
#ifndef NOPAL_ARCH_ARCH_HPP
#define NOPAL_ARCH_ARCH_HPP

#if defined(__x86_64__)
#include "arch/x86_64/code_parts.hpp"
#include "arch/x86_64/continuation.hpp"
#include "arch/x86_64/copies.hpp"
#include "arch/x86_64/interrupted.hpp"
#include "arch/x86_64/jump_buffer.hpp"
#include "arch/x86_64/ticks.hpp"
#include "arch/x86_64/unwinding.hpp"
#include "arch/x86_64/word128.hpp"
#elif defined(__aarch64__)
#include "arch/aarch64/code_parts.hpp"
#include "arch/aarch64/continuation.hpp"
#include "arch/aarch64/copies.hpp"
#include "arch/aarch64/interrupted.hpp"
#include "arch/aarch64/jump_buffer.hpp"
#include "arch/aarch64/ticks.hpp"
#include "arch/aarch64/unwinding.hpp"
#include "arch/aarch64/word128.hpp"
#elif defined(__riscv)
#include "arch/riscv64/code_parts.hpp"
#include "arch/riscv64/continuation.hpp"
#include "arch/riscv64/copies.hpp"
#include "arch/riscv64/interrupted.hpp"
#include "arch/riscv64/jump_buffer.hpp"
#include "arch/riscv64/ticks.hpp"
#include "arch/riscv64/unwinding.hpp"
#include "arch/riscv64/word128.hpp"
#else
#error "nopal: no src/arch for this machine"
#endif

#endif
