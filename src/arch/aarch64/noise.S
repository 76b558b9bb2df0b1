// void nopal_disturb(void), in the build whose schedules are disturbed: see nopal/detail/noise.h.
// It keeps every register, whole vectors included, and only the flags are lost, so that a step of a protocol
// may be disturbed where it is made with the caller's registers in place.

        .text

#ifdef NOPAL_SCHEDULE_NOISE

#include "arch/aarch64/keep_registers.inc"

        .p2align 4
        .globl  nopal_disturb
        .type   nopal_disturb, %function
nopal_disturb:
        .cfi_startproc
        ENTRY
        ENTER_FRAME
        KEEP_CALLERS_REGISTERS
        bl      nopal_disturb_now
        ldr     x0, [sp, #KEPT_X0]
        LOAD_CALLERS_REGISTERS
        LEAVE_FRAME
        .cfi_endproc
        .size   nopal_disturb, .-nopal_disturb

#endif

        .section .note.GNU-stack, "", %progbits

#include "arch/aarch64/control_flow_note.inc"
