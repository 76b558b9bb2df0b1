// The registers that a walk begins with. Offsets are those of arch::registers;
// src/arch/aarch64/unwinding.hpp checks them.

#include "arch/aarch64/keep_registers.inc"
#include "arch/aarch64/offsets.h"

        .text

// void nopal_registers_here(registers x0): those of the caller, as it goes on.
        .p2align 4
        .globl  nopal_registers_here
        .hidden nopal_registers_here
        .type   nopal_registers_here, %function
nopal_registers_here:
        .cfi_startproc
        ENTRY
        mov     x9, sp
        stp     x30, x9, [x0, #REGISTERS_IP]
        str     x29, [x0, #REGISTERS_FP]
        STORE_PRESERVED x0, REGISTERS_X19, REGISTERS_D8
        ret
        .cfi_endproc
        .size   nopal_registers_here, .-nopal_registers_here

        .section .note.GNU-stack, "", %progbits

#include "arch/aarch64/control_flow_note.inc"
