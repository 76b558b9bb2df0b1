/* The machine that code is compiled for. This is the one place that chooses; what differs lies in a
 * folder for each:
 *
 *   machine.h          macros, for C, C++ and assembly: what a frame keeps, how compilers lay frames
 *                      out, and what there is
 *   steps.h            what the unstolen fork and join do in assembly; included by fast_path.h
 *   latent_assembly.h  the call of a latent fork, where there are latent forks
 */
#ifndef NOPAL_DETAIL_MACHINE_H
#define NOPAL_DETAIL_MACHINE_H

#if defined(__linux__) && defined(__x86_64__) && !defined(__ILP32__)
#include <nopal/detail/x86_64/machine.h>
#elif defined(__linux__) && defined(__aarch64__) && defined(__AARCH64EL__) && !defined(__ILP32__)
#include <nopal/detail/aarch64/machine.h>
#elif defined(__linux__) && defined(__riscv) && __riscv_xlen == 64 && defined(__riscv_float_abi_double)
#include <nopal/detail/riscv64/machine.h>
#else
#error "nopal: this version runs on x86-64 Linux only, in its 64-bit mode (not -m32 or -mx32)"
#endif

#endif
