// void nopal_disturb(void), in the build whose schedules are disturbed: see nopal/detail/noise.h.
// It keeps every register but the vectors, so that a step of a protocol may be disturbed where it is made
// with the caller's registers in place. The library's own assembly calls it by the second name, since the way
// to the first may be one that keeps fewer.

        .text

#ifdef NOPAL_SCHEDULE_NOISE

#include "arch/riscv64/keep_registers.inc"

        .p2align 4
        .globl  nopal_disturb
        .type   nopal_disturb, %function
        .globl  nopal_disturb_here
        .hidden nopal_disturb_here
        .type   nopal_disturb_here, %function
nopal_disturb:
nopal_disturb_here:
        .cfi_startproc
        ENTER_FRAME
        KEEP_CALLERS_REGISTERS
        call    nopal_disturb_now
        ld      a0, KEPT_A0(sp)
        LOAD_CALLERS_REGISTERS
        LEAVE_FRAME
        .cfi_endproc
        .size   nopal_disturb, .-nopal_disturb
        .size   nopal_disturb_here, .-nopal_disturb_here

#endif

        .section .note.GNU-stack, "", %progbits
