// The registers that a walk begins with. Offsets are those of arch::registers;
// src/arch/riscv64/unwinding.hpp checks them.

#include "arch/riscv64/keep_registers.inc"
#include "arch/riscv64/offsets.h"

        .text

// void nopal_registers_here(registers a0): those of the caller, as it goes on.
        .p2align 4
        .globl  nopal_registers_here
        .hidden nopal_registers_here
        .type   nopal_registers_here, %function
nopal_registers_here:
        .cfi_startproc
        sd      ra, REGISTERS_IP(a0)
        sd      sp, REGISTERS_SP(a0)
        sd      s0, REGISTERS_FP(a0)
        STORE_PRESERVED a0, REGISTERS_S1, REGISTERS_FS0
        ret
        .cfi_endproc
        .size   nopal_registers_here, .-nopal_registers_here

        .section .note.GNU-stack, "", %progbits
