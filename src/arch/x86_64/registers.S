// The registers that a walk begins with. Offsets are those of arch::registers;
// src/arch/x86_64/unwinding.hpp checks them.

#include "arch/x86_64/offsets.h"

        .text

// void nopal_registers_here(registers rdi): those of the caller, as it goes on.
        .p2align 4
        .globl  nopal_registers_here
        .hidden nopal_registers_here
        .type   nopal_registers_here, @function
nopal_registers_here:
        .cfi_startproc
        movq    (%rsp), %rax
        movq    %rax, REGISTERS_IP(%rdi)
        leaq    8(%rsp), %rax
        movq    %rax, REGISTERS_SP(%rdi)
        movq    %rbx, REGISTERS_RBX(%rdi)
        movq    %rbp, REGISTERS_RBP(%rdi)
        movq    %r12, REGISTERS_R12(%rdi)
        movq    %r13, REGISTERS_R13(%rdi)
        movq    %r14, REGISTERS_R14(%rdi)
        movq    %r15, REGISTERS_R15(%rdi)
        ret
        .cfi_endproc
        .size   nopal_registers_here, .-nopal_registers_here

        .section .note.GNU-stack, "", @progbits

#include "arch/x86_64/control_flow_note.inc"
