// The forks of the Fibril interface: the child's arguments come in the child's own registers and
// stack places, the frame in x18, or x15, which the compilers have for the static chain.
//
// A child that throws ends the program, as the routine for exceptions says: nothing here could keep
// what it throws.
//
// While the child runs, x19 holds the frame. The registers used here are ones that the frame
// has kept: they come back from there, if the continuation was not stolen. Else nobody needs them.

#include <nopal/detail/owner_steps.h>

#include "arch/aarch64/keep_registers.inc"
#include "arch/aarch64/offsets.h"

        .hidden nopal_fibril_personality

        .text

// The owner's side of the deque: nopal_push and nopal_pop by the steps of
// <nopal/detail/owner_steps.h>, which pair as there.

// A call that keeps every register but x30, in the build whose schedules are disturbed, and else nothing.
        .macro  DISTURB
#ifdef NOPAL_SCHEDULE_NOISE
        bl      nopal_disturb
#endif
        .endm

// Step 1 of both, to x9. Uses x10.
        .macro  THIS_DEQUE
        mrs     x9, tpidr_el0
        adrp    x10, :gottprel:nopal_current
        ldr     x10, [x10, #:gottprel_lo12:nopal_current]
        ldr     x9, [x9, x10]
        .endm

#if NOPAL_DETAIL_DEQUE_BOTTOM != 0
#error "nopal: a store that releases has no offset"
#endif

// Of the frame at x19. Goes on at `slow` if the slow push has to do it. Uses x9 to x11.
        .macro  OWNER_PUSH slow
        THIS_DEQUE
        // Step 2.
        ldr     w10, [x9]
        ldr     w11, [x9, #NOPAL_DETAIL_DEQUE_LIMIT]
        cmp     w10, w11
        b.ge    \slow
        // Step 3.
        ldr     x11, [x9, #NOPAL_DETAIL_DEQUE_SLOTS]
        str     x19, [x11, w10, uxtw #3]
        DISTURB
        // Step 4.
        add     w10, w10, #1
        stlr    w10, [x9]
        .endm

// Goes on at `slow`, with the deque in x9, if the slow pop has to say. Uses x9 to x11.
        .macro  OWNER_POP slow
        THIS_DEQUE
        // Step 2.
        ldr     w10, [x9]
        sub     w10, w10, #1
        stlr    w10, [x9]
#if NOPAL_DETAIL_POP_IS_FENCED
        dmb     ish
#endif
        DISTURB
        // Step 3.
#if NOPAL_DETAIL_POP_KEEPS_ABOVE_TOP
        ldr     w11, [x9, #NOPAL_DETAIL_DEQUE_TOP]
        cmp     w10, w11
        b.le    \slow
#else
        ldr     w11, [x9, #NOPAL_DETAIL_DEQUE_SPLIT]
        cmp     w10, w11
        b.lt    \slow
#endif
        .endm

        .macro  FIBRIL_FORK name, store=
        .p2align 6
        .globl  nopal_fibril_fork_\name
        .type   nopal_fibril_fork_\name, %function
nopal_fibril_fork_\name:
        .cfi_startproc
        .cfi_personality 0x1b, nopal_fibril_personality
        ENTRY
        mov     x9, sp
        stp     x30, x9, [x18, #FRAME_RESUME_ADDRESS]
        STORE_PRESERVED x18, FRAME_X19, FRAME_D8
        mov     x19, x18
        // Of the caller's registers: DW_CFA_expression, register, length 2, DW_OP_breg19,
        // offset in the frame.
        .cfi_escape 0x10, 19, 2, 0x83, FRAME_X19
        .cfi_escape 0x10, 20, 2, 0x83, FRAME_X19 + 8
        .cfi_escape 0x10, 21, 2, 0x83, FRAME_X19 + 16
        .cfi_escape 0x10, 22, 2, 0x83, FRAME_X19 + 24
        .cfi_escape 0x10, 30, 2, 0x83, FRAME_RESUME_ADDRESS
        ldr     x20, [x19, #FIBRIL_CHILD]
        ldr     x21, [x19, #FIBRIL_OUT]

        OWNER_PUSH .Lpush_slow_\name
.Lpushed_\name:
        blr     x20
        \store

        OWNER_POP .Lpop_slow_\name
.Lpopped_\name:
        .cfi_remember_state
        ldr     x30, [x19, #FRAME_RESUME_ADDRESS]
        ldp     x20, x21, [x19, #FRAME_X19 + 8]
        ldr     x22, [x19, #FRAME_X19 + 24]
        .cfi_same_value x20
        .cfi_same_value x21
        .cfi_same_value x22
        .cfi_same_value x30
        ldr     x19, [x19, #FRAME_X19]
        .cfi_same_value x19
        ret
        .cfi_restore_state

.Lpush_slow_\name:
        // It keeps every register but its argument's.
        mov     x22, x0
        mov     x0, x19
        bl      nopal_push_slow
        cbnz    w0, .Lpush_failed_\name
        mov     x0, x22
        b       .Lpushed_\name
.Lpush_failed_\name:
        bl      nopal_c_push_refused
        b       .Lpopped_\name         // the child was not to begin

.Lpop_slow_\name:
        mov     x0, x9
        bl      nopal_pop_slow
        cbnz    w0, .Lpopped_\name
        mov     x0, x19
        bl      nopal_child_done
        brk     #1
        .cfi_endproc
        .size   nopal_fibril_fork_\name, .-nopal_fibril_fork_\name
        .endm

// For code that ThreadSanitizer watches: tells it of the fork here, where the arguments have been
// evaluated, which may have written to memory.
        .macro  WATCHED_FIBRIL_FORK name
        .p2align 4
        .globl  nopal_watched_fibril_fork_\name
        .type   nopal_watched_fibril_fork_\name, %function
nopal_watched_fibril_fork_\name:
        .cfi_startproc
        ENTRY
        ENTER_FRAME
        sub     sp, sp, #208
        stp     x0, x1, [sp]
        stp     x2, x3, [sp, #16]
        stp     x4, x5, [sp, #32]
        stp     x6, x7, [sp, #48]
        str     x18, [sp, #64]
        stp     q0, q1, [sp, #80]
        stp     q2, q3, [sp, #112]
        stp     q4, q5, [sp, #144]
        stp     q6, q7, [sp, #176]
        mov     x0, x18
        bl      nopal_watched_fork
        ldp     x0, x1, [sp]
        ldp     x2, x3, [sp, #16]
        ldp     x4, x5, [sp, #32]
        ldp     x6, x7, [sp, #48]
        ldr     x18, [sp, #64]
        ldp     q0, q1, [sp, #80]
        ldp     q2, q3, [sp, #112]
        ldp     q4, q5, [sp, #144]
        ldp     q6, q7, [sp, #176]
        mov     sp, x29
        ldp     x29, x30, [sp], #16
        .cfi_def_cfa sp, 0
        .cfi_restore x29
        .cfi_restore x30
        b       nopal_fibril_fork_\name
        .cfi_endproc
        .size   nopal_watched_fibril_fork_\name, .-nopal_watched_fibril_fork_\name
        .endm

        FIBRIL_FORK void
        FIBRIL_FORK 1, "strb w0, [x21]"
        FIBRIL_FORK 2, "strh w0, [x21]"
        FIBRIL_FORK 4, "str w0, [x21]"
        FIBRIL_FORK 8, "str x0, [x21]"
        FIBRIL_FORK 8_from_int, "sxtw x0, w0; str x0, [x21]"
        FIBRIL_FORK 8_from_unsigned, "mov w0, w0; str x0, [x21]"
        FIBRIL_FORK float, "str s0, [x21]"
        FIBRIL_FORK double, "str d0, [x21]"
        FIBRIL_FORK float_from_double, "fcvt s0, d0; str s0, [x21]"
        FIBRIL_FORK double_from_float, "fcvt d0, s0; str d0, [x21]"

// For compilers that have the static chain in x15.
        .macro  BY_X15 routine
        .p2align 4
        .globl  \routine\()_by_x15
        .type   \routine\()_by_x15, %function
\routine\()_by_x15:
        .cfi_startproc
        ENTRY
        mov     x18, x15
        b       \routine
        .cfi_endproc
        .size   \routine\()_by_x15, .-\routine\()_by_x15
        .endm

        .irp    name, void, 1, 2, 4, 8, 8_from_int, 8_from_unsigned, float, double, float_from_double, double_from_float
        WATCHED_FIBRIL_FORK \name
        BY_X15  nopal_fibril_fork_\name
        BY_X15  nopal_watched_fibril_fork_\name
        .endr

        .section .note.GNU-stack, "", %progbits

#include "arch/aarch64/control_flow_note.inc"
