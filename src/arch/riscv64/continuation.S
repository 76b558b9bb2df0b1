// Continuations on RISC-V: recording one at a fork or a join, resuming one on any stack, and the way to and
// from a worker's scheduler stack.
//
// To the compiler each routine is an ordinary function of the calling convention. Offsets are those of
// nopal_frame and of worker; src/arch/riscv64/continuation.hpp checks them.
//
// A continuation is jumped to by `ret`, as from the call that recorded it.

#include "arch/riscv64/keep_registers.inc"
#include "arch/riscv64/offsets.h"

        .text

// What follows the call of this routine, into the frame at a0.
        .macro  RECORD_CONTINUATION
        sd      ra, FRAME_RESUME_ADDRESS(a0)
        sd      sp, FRAME_CALL_STACK_POINTER(a0)
        STORE_PRESERVED a0, FRAME_S1, FRAME_FS0
        .endm

// What the continuation of the frame at a0 needs in registers, and its address in ra.
        .macro  RESTORE_CONTINUATION
        LOAD_PRESERVED a0, FRAME_S1, FRAME_FS0
        ld      s0, FRAME_FRAME_POINTER(a0)
        ld      ra, FRAME_RESUME_ADDRESS(a0)
        .endm

// Calls `routine`, which never returns, as the outermost frame of its stack.
        .macro  CALL_WITHOUT_RETURN routine
        .cfi_undefined ra
        li      s0, 0
        call    \routine
        ebreak
        .endm

// This thread's worker, to `to`. Uses t0.
        .macro  THIS_WORKER to
        la.tls.ie t0, nopal_current
        add     t0, t0, tp
        ld      \to, 0(t0)
        .endm

// Goes on in `routine` on the scheduler stack of this thread's worker, which is its argument in a1.
        .macro  LEAVE_FOR_SCHEDULER_STACK routine
        THIS_WORKER a1
        ld      sp, WORKER_SCHEDULER_STACK_POINTER(a1)
        CALL_WITHOUT_RETURN \routine
        .endm

// The same for a strand that waits, whose continuation goes into the frame at a0.
        .macro  SUSPEND_TO routine
        RECORD_CONTINUATION
        frrm    t0
        sd      t0, FRAME_FLOAT_CONTROL(a0)
        LEAVE_FOR_SCHEDULER_STACK \routine
        .endm

#define EXIT_BYTES 208

// Keeps what nopal_leave_scheduler restores on the current stack, and where, for the worker at a0.
        .macro  KEEP_EXIT
        addi    sp, sp, -EXIT_BYTES
        .cfi_adjust_cfa_offset EXIT_BYTES
        sd      s0, 0(sp)
        sd      ra, 8(sp)
        .cfi_rel_offset s0, 0
        .cfi_rel_offset ra, 8
        STORE_PRESERVED sp, 16, 104
        sd      sp, WORKER_EXIT_STACK_POINTER(a0)
        .endm

// Calls `routine` with the argument in a0, which is kept, and so is ra.
        .macro  CALL_KEEPING_A0 routine
        addi    sp, sp, -16
        .cfi_adjust_cfa_offset 16
        sd      a0, 0(sp)
        sd      ra, 8(sp)
        .cfi_rel_offset ra, 8
        call    \routine
        .endm
        .macro  END_KEEPING_A0
        ld      a0, 0(sp)
        ld      ra, 8(sp)
        .cfi_restore ra
        addi    sp, sp, 16
        .cfi_adjust_cfa_offset -16
        .endm

// Calls `routine` with the frame at a0, which is kept, if the program uses reducers. It runs the
// program's code on the strand's stack, and may return on another thread.
        .macro  DEPOSIT_VIEWS routine
        lbu     t0, nopal_views_used
        beqz    t0, .Ldeposited_\@
        CALL_KEEPING_A0 \routine
        END_KEEPING_A0
.Ldeposited_\@:
        .endm

// void nopal_enter_fork(frame a0, child a1, ...): records the continuation and tail-jumps to
// `child` with every argument register as it is.
        .p2align 6
        .globl  nopal_enter_fork
        .type   nopal_enter_fork, %function
nopal_enter_fork:
        .cfi_startproc
        RECORD_CONTINUATION
        jr      a1
        .cfi_endproc
        .size   nopal_enter_fork, .-nopal_enter_fork

// int nopal_push_slow(frame a0): keeps every register but a0 and t1: its caller is inline assembly that
// declares no other clobber, and the registers may hold arguments of any type. The slow push runs on the
// scheduler stack, so that a strand's stack holds the program's frames and nothing else.
        .p2align 4
        .globl  nopal_push_slow
        .type   nopal_push_slow, %function
nopal_push_slow:
        .cfi_startproc
        ENTER_FRAME
        KEEP_CALLERS_REGISTERS
        THIS_WORKER a1
        ld      t0, WORKER_SCHEDULER_STACK_POINTER(a1)
        li      t2, 1                   // push_remainder::whole_push
        beqz    t0, 1f                  // null for a thread not adopted yet
        addi    t0, t0, -64
        andi    sp, t0, -64
        call    nopal_push_and_publish
        beqz    a0, 3f
        mv      t2, a0
1:      ld      a0, KEPT_A0-16-KEPT_BYTES(s0)
        mv      a1, t2
        call    nopal_push_slow_path
3:      LOAD_CALLERS_REGISTERS
        LEAVE_FRAME
        .cfi_endproc
        .size   nopal_push_slow, .-nopal_push_slow

// void* nopal_suspend_at_join(frame a0): records the continuation and leaves for the scheduler
// stack.
        .p2align 4
        .globl  nopal_suspend_at_join
        .type   nopal_suspend_at_join, %function
nopal_suspend_at_join:
        .cfi_startproc
        // A scope that another function made must not get further: its frame pointer is not ours.
        ld      t0, FRAME_FRAME_POINTER(a0)
        bne     t0, s0, 3f
        lbu     t0, nopal_profiled
        bnez    t0, 2f
1:      DEPOSIT_VIEWS nopal_deposit_strand_views
        .cfi_remember_state
        SUSPEND_TO nopal_arrive_at_join
        .cfi_restore_state
        // Non-zero: the scope was stolen from only for the profiler to see its join.
2:      CALL_KEEPING_A0 nopal_profile_join
        mv      t0, a0
        END_KEEPING_A0
        beqz    t0, 1b
        li      a0, 0
        ret
3:      tail    nopal_throw_foreign_scope
        .cfi_endproc
        .size   nopal_suspend_at_join, .-nopal_suspend_at_join

// void nopal_suspend_to_wait(frame a0): the same for a wait of other kind. The strand's views stay its
// own.
        .p2align 4
        .globl  nopal_suspend_to_wait
        .hidden nopal_suspend_to_wait
        .type   nopal_suspend_to_wait, %function
nopal_suspend_to_wait:
        .cfi_startproc
        SUSPEND_TO nopal_enter_wait
        .cfi_endproc
        .size   nopal_suspend_to_wait, .-nopal_suspend_to_wait

// void nopal_child_done(frame a0): leaves for the scheduler stack and does not return. If fork(2)
// kept the continuation for this child, so that `steals` is negative, it resumes the continuation,
// as a return from nopal_enter_fork does.
        .p2align 4
        .globl  nopal_child_done
        .type   nopal_child_done, %function
nopal_child_done:
        .cfi_startproc
        lw      t0, FRAME_STEALS(a0)
        bltz    t0, 1f
        DEPOSIT_VIEWS nopal_deposit_child_views
        mv      a2, sp
        .cfi_remember_state
        LEAVE_FOR_SCHEDULER_STACK nopal_finish_child
        .cfi_restore_state
1:      CALL_KEEPING_A0 nopal_take_kept
        END_KEEPING_A0
        ld      a1, FRAME_CALL_STACK_POINTER(a0)
        tail    nopal_resume
        .cfi_endproc
        .size   nopal_child_done, .-nopal_child_done

// void nopal_resume(frame a0, stack pointer a1, value a2): goes on with the continuation of
// `frame` on the given stack; nopal_suspend_at_join, if that is where it was recorded, returns
// `value`.
        .p2align 4
        .globl  nopal_resume
        .hidden nopal_resume
        .type   nopal_resume, %function
nopal_resume:
        .cfi_startproc
        RESTORE_CONTINUATION
        .cfi_undefined ra
        mv      a0, a2
        mv      sp, a1
        ret
        .cfi_endproc
        .size   nopal_resume, .-nopal_resume

// void nopal_resume_and_merge(frame a0, stack pointer a1, deposits a2): the same by way of
// nopal_merge_at_join, which is entered as if the function that joins had called it, and returns
// there.
        .p2align 4
        .globl  nopal_resume_and_merge
        .hidden nopal_resume_and_merge
        .type   nopal_resume_and_merge, %function
nopal_resume_and_merge:
        .cfi_startproc
        RESTORE_CONTINUATION
        .cfi_undefined ra
        mv      sp, a1
        mv      a1, a2
        tail    nopal_merge_at_join
        .cfi_endproc
        .size   nopal_resume_and_merge, .-nopal_resume_and_merge

// void nopal_enter_scheduler(worker a0): makes the rest of the current stack the worker's
// scheduler stack and runs the scheduler there; returns when nopal_leave_scheduler is called.
        .p2align 4
        .globl  nopal_enter_scheduler
        .hidden nopal_enter_scheduler
        .type   nopal_enter_scheduler, %function
nopal_enter_scheduler:
        .cfi_startproc
        KEEP_EXIT
        andi    sp, sp, -64
        sd      sp, WORKER_SCHEDULER_STACK_POINTER(a0)
        CALL_WITHOUT_RETURN nopal_run_scheduler
        .cfi_endproc
        .size   nopal_enter_scheduler, .-nopal_enter_scheduler

// void nopal_call_scheduler(worker a0): runs nopal_run_call on the worker's scheduler stack;
// returns when nopal_leave_scheduler is called.
        .p2align 4
        .globl  nopal_call_scheduler
        .hidden nopal_call_scheduler
        .type   nopal_call_scheduler, %function
nopal_call_scheduler:
        .cfi_startproc
        KEEP_EXIT
        ld      sp, WORKER_SCHEDULER_STACK_POINTER(a0)
        CALL_WITHOUT_RETURN nopal_run_call
        .cfi_endproc
        .size   nopal_call_scheduler, .-nopal_call_scheduler

// void nopal_leave_scheduler(worker a0): returns from nopal_enter_scheduler or
// nopal_call_scheduler.
        .p2align 4
        .globl  nopal_leave_scheduler
        .hidden nopal_leave_scheduler
        .type   nopal_leave_scheduler, %function
nopal_leave_scheduler:
        .cfi_startproc
        .cfi_undefined ra
        ld      sp, WORKER_EXIT_STACK_POINTER(a0)
        LOAD_PRESERVED sp, 16, 104
        ld      s0, 0(sp)
        ld      ra, 8(sp)
        addi    sp, sp, EXIT_BYTES
        ret
        .cfi_endproc
        .size   nopal_leave_scheduler, .-nopal_leave_scheduler

// void nopal_call_on_stack(stack top a0, function a1, argument a2): calls function(argument) as
// the outermost frame of another stack, and then leaves for the scheduler stack for good.
        .p2align 4
        .globl  nopal_call_on_stack
        .hidden nopal_call_on_stack
        .type   nopal_call_on_stack, %function
nopal_call_on_stack:
        .cfi_startproc
        .cfi_undefined ra
        mv      sp, a0
        mv      a0, a2
        li      s0, 0
        jalr    a1
        mv      a0, sp
        LEAVE_FOR_SCHEDULER_STACK nopal_finish_call
        .cfi_endproc
        .size   nopal_call_on_stack, .-nopal_call_on_stack

        .section .note.GNU-stack, "", %progbits
