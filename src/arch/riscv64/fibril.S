// The forks of the Fibril interface: the child's arguments come in the child's own registers and
// stack places, the frame in t2, which the compilers have for the static chain.
//
// Bound lazily, a call that is not to the address itself would lose that register on its way: the symbols say
// that they have registers of their own (variant_cc), so linkers bind them at once.
//
// A child that throws ends the program, as the routine for exceptions says: nothing here could keep
// what it throws.
//
// While the child runs, s1 holds the frame. The registers used here are ones that the frame
// has kept: they come back from there, if the continuation was not stolen. Else nobody needs them.

#include <nopal/detail/owner_steps.h>

#include "arch/riscv64/keep_registers.inc"
#include "arch/riscv64/offsets.h"

        .hidden nopal_fibril_personality

        .text

// The owner's side of the deque: nopal_push and nopal_pop by the steps of
// <nopal/detail/owner_steps.h>, which pair as there.

// A call that keeps every register but ra, in the build whose schedules are disturbed, and else nothing.
        .macro  DISTURB
#ifdef NOPAL_SCHEDULE_NOISE
        call    nopal_disturb_here
#endif
        .endm

// Step 1 of both, to t0.
        .macro  THIS_DEQUE
        la.tls.ie t0, nopal_current
        add     t0, t0, tp
        ld      t0, 0(t0)
        .endm

// Of the frame at s1. Goes on at `slow` if the slow push has to do it. Uses t0 to t2.
        .macro  OWNER_PUSH slow
        THIS_DEQUE
        // Step 2.
        lw      t1, NOPAL_DETAIL_DEQUE_BOTTOM(t0)
        lw      t2, NOPAL_DETAIL_DEQUE_LIMIT(t0)
        bge     t1, t2, \slow
        // Step 3. Never negative here.
        ld      t2, NOPAL_DETAIL_DEQUE_SLOTS(t0)
        slli    t3, t1, 3
        add     t2, t2, t3
        sd      s1, 0(t2)
        DISTURB
        // Step 4: the fence makes the store one that releases.
        addiw   t1, t1, 1
        fence   rw, w
        sw      t1, NOPAL_DETAIL_DEQUE_BOTTOM(t0)
        .endm

// Goes on at `slow`, with the deque in t0, if the slow pop has to say. Uses t0 to t2.
        .macro  OWNER_POP slow
        THIS_DEQUE
        // Step 2, as step 4 of the push.
        lw      t1, NOPAL_DETAIL_DEQUE_BOTTOM(t0)
        addiw   t1, t1, -1
        fence   rw, w
        sw      t1, NOPAL_DETAIL_DEQUE_BOTTOM(t0)
#if NOPAL_DETAIL_POP_IS_FENCED
        fence   rw, rw
#endif
        DISTURB
        // Step 3.
#if NOPAL_DETAIL_POP_KEEPS_ABOVE_TOP
        lw      t2, NOPAL_DETAIL_DEQUE_TOP(t0)
        ble     t1, t2, \slow
#else
        lw      t2, NOPAL_DETAIL_DEQUE_SPLIT(t0)
        blt     t1, t2, \slow
#endif
        .endm

        .macro  FIBRIL_FORK name, store=
        .p2align 6
        .globl  nopal_fibril_fork_\name
        .variant_cc nopal_fibril_fork_\name
        .type   nopal_fibril_fork_\name, %function
nopal_fibril_fork_\name:
        .cfi_startproc
        .cfi_personality 0x1b, nopal_fibril_personality
        sd      ra, FRAME_RESUME_ADDRESS(t2)
        sd      sp, FRAME_CALL_STACK_POINTER(t2)
        STORE_PRESERVED t2, FRAME_S1, FRAME_FS0
        mv      s1, t2
        // Of the caller's registers: DW_CFA_expression, register, length 2, DW_OP_breg9,
        // offset in the frame.
        .cfi_escape 0x10, 9, 2, 0x79, FRAME_S1
        .cfi_escape 0x10, 18, 2, 0x79, FRAME_S1 + 8
        .cfi_escape 0x10, 19, 2, 0x79, FRAME_S1 + 16
        .cfi_escape 0x10, 20, 2, 0x79, FRAME_S1 + 24
        .cfi_escape 0x10, 1, 2, 0x79, FRAME_RESUME_ADDRESS
        ld      s2, FIBRIL_CHILD(s1)
        ld      s3, FIBRIL_OUT(s1)

        OWNER_PUSH .Lpush_slow_\name
.Lpushed_\name:
        jalr    s2
        \store

        OWNER_POP .Lpop_slow_\name
.Lpopped_\name:
        .cfi_remember_state
        ld      ra, FRAME_RESUME_ADDRESS(s1)
        ld      s2, FRAME_S1+8(s1)
        ld      s3, FRAME_S1+16(s1)
        ld      s4, FRAME_S1+24(s1)
        .cfi_same_value s2
        .cfi_same_value s3
        .cfi_same_value s4
        .cfi_same_value ra
        ld      s1, FRAME_S1(s1)
        .cfi_same_value s1
        ret
        .cfi_restore_state

.Lpush_slow_\name:
        // It keeps every register that may hold an argument but its own argument's.
        mv      s4, a0
        mv      a0, s1
        call    nopal_push_slow
        bnez    a0, .Lpush_failed_\name
        mv      a0, s4
        j       .Lpushed_\name
.Lpush_failed_\name:
        call    nopal_c_push_refused
        j       .Lpopped_\name         // the child was not to begin

.Lpop_slow_\name:
        mv      a0, t0
        call    nopal_pop_slow
        bnez    a0, .Lpopped_\name
        mv      a0, s1
        call    nopal_child_done
        ebreak
        .cfi_endproc
        .size   nopal_fibril_fork_\name, .-nopal_fibril_fork_\name
        .endm

// The registers of arguments and of the frame, by `op` and `fop`.
        .macro  EACH_ARGUMENT op, fop
        \op     a0, 0(sp)
        \op     a1, 8(sp)
        \op     a2, 16(sp)
        \op     a3, 24(sp)
        \op     a4, 32(sp)
        \op     a5, 40(sp)
        \op     a6, 48(sp)
        \op     a7, 56(sp)
        \op     t2, 64(sp)
        \fop    fa0, 72(sp)
        \fop    fa1, 80(sp)
        \fop    fa2, 88(sp)
        \fop    fa3, 96(sp)
        \fop    fa4, 104(sp)
        \fop    fa5, 112(sp)
        \fop    fa6, 120(sp)
        \fop    fa7, 128(sp)
        .endm

// For code that ThreadSanitizer watches: tells it of the fork here, where the arguments have been
// evaluated, which may have written to memory.
        .macro  WATCHED_FIBRIL_FORK name
        .p2align 4
        .globl  nopal_watched_fibril_fork_\name
        .variant_cc nopal_watched_fibril_fork_\name
        .type   nopal_watched_fibril_fork_\name, %function
nopal_watched_fibril_fork_\name:
        .cfi_startproc
        ENTER_FRAME
        addi    sp, sp, -144
        EACH_ARGUMENT sd, fsd
        mv      a0, t2
        call    nopal_watched_fork
        EACH_ARGUMENT ld, fld
        UNDO_FRAME
        // By a register: a tail call would be free to change t2.
        lla     t1, nopal_fibril_fork_\name
        jr      t1
        .cfi_endproc
        .size   nopal_watched_fibril_fork_\name, .-nopal_watched_fibril_fork_\name
        .endm

        FIBRIL_FORK void
        FIBRIL_FORK 1, "sb a0, 0(s3)"
        FIBRIL_FORK 2, "sh a0, 0(s3)"
        FIBRIL_FORK 4, "sw a0, 0(s3)"
        FIBRIL_FORK 8, "sd a0, 0(s3)"
        FIBRIL_FORK 8_from_int, "sext.w a0, a0; sd a0, 0(s3)"
        FIBRIL_FORK 8_from_unsigned, "slli a0, a0, 32; srli a0, a0, 32; sd a0, 0(s3)"
        FIBRIL_FORK float, "fsw fa0, 0(s3)"
        FIBRIL_FORK double, "fsd fa0, 0(s3)"
        FIBRIL_FORK float_from_double, "fcvt.s.d fa0, fa0; fsw fa0, 0(s3)"
        FIBRIL_FORK double_from_float, "fcvt.d.s fa0, fa0; fsd fa0, 0(s3)"

        .irp    name, void, 1, 2, 4, 8, 8_from_int, 8_from_unsigned, float, double, float_from_double, double_from_float
        WATCHED_FIBRIL_FORK \name
        .endr

        .section .note.GNU-stack, "", %progbits
