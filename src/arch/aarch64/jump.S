// The C library's jump buffers: what disguises two of their words, and a jump that asks no C library: see
// jump_buffer.hpp.

#include "arch/aarch64/keep_registers.inc"
#include "arch/aarch64/offsets.h"

        .text

// uintptr_t nopal_jump_guard(void): by what setjmp saves here of the stack pointer and of the place that it
// returns to. 0 where these disagree: then it does not save them there, or as they are.
        .p2align 4
        .globl  nopal_jump_guard
        .hidden nopal_jump_guard
        .type   nopal_jump_guard, %function
nopal_jump_guard:
        .cfi_startproc
        ENTRY
        ENTER_FRAME
        sub     sp, sp, #512            // no less than a jump buffer
        mov     x0, sp
        bl      _setjmp
.Lreturned:
        ldr     x0, [sp, #JUMP_SP]
        mov     x9, sp
        eor     x0, x0, x9
        ldr     x10, [sp, #JUMP_LR]
        eor     x10, x10, x0
        adr     x11, .Lreturned
        cmp     x10, x11
        csel    x0, x0, xzr, eq
        mov     sp, x29
        LEAVE_FRAME
        .cfi_endproc
        .size   nopal_jump_guard, .-nopal_jump_guard

// void nopal_jump_by(jump buffer x0, value w1, guard x2): goes on where the buffer says.
        .p2align 4
        .globl  nopal_jump_by
        .hidden nopal_jump_by
        .type   nopal_jump_by, %function
nopal_jump_by:
        .cfi_startproc
        ENTRY
        LOAD_PRESERVED x0, JUMP_X19, JUMP_D8
        ldr     x29, [x0, #JUMP_FP]
        ldr     x30, [x0, #JUMP_LR]
        eor     x30, x30, x2
        ldr     x9, [x0, #JUMP_SP]
        eor     x9, x9, x2
        .cfi_undefined x30
        mov     sp, x9
        mov     w0, w1
        ret
        .cfi_endproc
        .size   nopal_jump_by, .-nopal_jump_by

        .section .note.GNU-stack, "", %progbits

#include "arch/aarch64/control_flow_note.inc"
