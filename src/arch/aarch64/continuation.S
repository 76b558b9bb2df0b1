// Continuations on AArch64: recording one at a fork or a join, resuming one on any stack, and the
// way to and from a worker's scheduler stack.
//
// To the compiler each routine is an ordinary function of the procedure call standard. Offsets are those of
// nopal_frame and of worker; src/arch/aarch64/continuation.hpp checks them.
//
// A continuation is jumped to by `ret`, which lands anywhere; `br` would need a mark there where branch targets
// are identified. Its address is that of the call, without a signature: who signs signs in its own frame.

#include "arch/aarch64/keep_registers.inc"
#include "arch/aarch64/offsets.h"

        .text

// What follows the call of this routine, into the frame at x0. Uses x9.
        .macro  RECORD_CONTINUATION
        mov     x9, sp
        stp     x30, x9, [x0, #FRAME_RESUME_ADDRESS]
        STORE_PRESERVED x0, FRAME_X19, FRAME_D8
        .endm

// What the continuation of the frame at x0 needs in registers, and its address in x30.
        .macro  RESTORE_CONTINUATION
        LOAD_PRESERVED x0, FRAME_X19, FRAME_D8
        ldr     x29, [x0, #FRAME_FRAME_POINTER]
        ldr     x30, [x0, #FRAME_RESUME_ADDRESS]
        .endm

// Calls `routine`, which never returns, as the outermost frame of its stack.
        .macro  CALL_WITHOUT_RETURN routine
        .cfi_undefined x30
        mov     x29, xzr
        bl      \routine
        brk     #1
        .endm

// This thread's worker, to `to`. Uses x9.
        .macro  THIS_WORKER to
        mrs     \to, tpidr_el0
        adrp    x9, :gottprel:nopal_current
        ldr     x9, [x9, #:gottprel_lo12:nopal_current]
        ldr     \to, [\to, x9]
        .endm

// Goes on in `routine` on the scheduler stack of this thread's worker, which is its argument in x1.
        .macro  LEAVE_FOR_SCHEDULER_STACK routine
        THIS_WORKER x1
        ldr     x9, [x1, #WORKER_SCHEDULER_STACK_POINTER]
        mov     sp, x9
        CALL_WITHOUT_RETURN \routine
        .endm

// The same for a strand that waits, whose continuation goes into the frame at x0.
        .macro  SUSPEND_TO routine
        RECORD_CONTINUATION
        mrs     x9, fpcr
        str     x9, [x0, #FRAME_FLOAT_CONTROL]
        LEAVE_FOR_SCHEDULER_STACK \routine
        .endm

#define EXIT_BYTES 160

// Keeps what nopal_leave_scheduler restores on the current stack, and where, for the worker at x0. Uses x9.
        .macro  KEEP_EXIT
        sub     sp, sp, #EXIT_BYTES
        .cfi_adjust_cfa_offset EXIT_BYTES
        stp     x29, x30, [sp]
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        STORE_PRESERVED sp, 16, 96
        mov     x9, sp
        str     x9, [x0, #WORKER_EXIT_STACK_POINTER]
        .endm

// Calls `routine` with the argument in x0, which is kept, and so is x30.
        .macro  CALL_KEEPING_X0 routine
        stp     x30, x0, [sp, #-16]!
        .cfi_adjust_cfa_offset 16
        .cfi_rel_offset x30, 0
        bl      \routine
        .endm
        .macro  END_KEEPING_X0
        ldp     x30, x0, [sp], #16
        .cfi_adjust_cfa_offset -16
        .cfi_restore x30
        .endm

// Calls `routine` with the frame at x0, which is kept, if the program uses reducers. It runs the
// program's code on the strand's stack, and may return on another thread.
        .macro  DEPOSIT_VIEWS routine
        adrp    x9, nopal_views_used
        ldrb    w9, [x9, #:lo12:nopal_views_used]
        cbz     w9, .Ldeposited_\@
        CALL_KEEPING_X0 \routine
        END_KEEPING_X0
.Ldeposited_\@:
        .endm

// void nopal_enter_fork(frame x0, child x1, ...): records the continuation and tail-jumps to
// `child` with every argument register as it is.
        .p2align 6
        .globl  nopal_enter_fork
        .type   nopal_enter_fork, %function
nopal_enter_fork:
        .cfi_startproc
        ENTRY
        RECORD_CONTINUATION
        mov     x16, x1                 // a register from which a function may be entered by a jump
        br      x16
        .cfi_endproc
        .size   nopal_enter_fork, .-nopal_enter_fork

// int nopal_push_slow(frame x0): keeps every register but x0, x16 and x17, whole vectors included: its
// caller is inline assembly that declares no other clobber, and the registers may hold arguments of any type.
// The slow push runs on the scheduler stack, so that a strand's stack holds the program's frames and nothing
// else.
        .p2align 4
        .globl  nopal_push_slow
        .type   nopal_push_slow, %function
nopal_push_slow:
        .cfi_startproc
        ENTRY
        ENTER_FRAME
        KEEP_CALLERS_REGISTERS
        THIS_WORKER x1
        ldr     x10, [x1, #WORKER_SCHEDULER_STACK_POINTER]
        mov     w11, #1                 // push_remainder::whole_push
        cbz     x10, 1f                 // null for a thread not adopted yet
        sub     x10, x10, #64
        and     sp, x10, #-64
        bl      nopal_push_and_publish
        cbz     w0, 3f
        mov     w11, w0
1:      ldr     x0, [x29, #KEPT_X0 - KEPT_BYTES]
        mov     w1, w11
        bl      nopal_push_slow_path
3:      LOAD_CALLERS_REGISTERS
        mov     w0, w0
        LEAVE_FRAME
        .cfi_endproc
        .size   nopal_push_slow, .-nopal_push_slow

// void* nopal_suspend_at_join(frame x0): records the continuation and leaves for the scheduler
// stack.
        .p2align 4
        .globl  nopal_suspend_at_join
        .type   nopal_suspend_at_join, %function
nopal_suspend_at_join:
        .cfi_startproc
        ENTRY
        // A scope that another function made must not get further: its frame pointer is not ours.
        ldr     x9, [x0, #FRAME_FRAME_POINTER]
        cmp     x9, x29
        b.ne    3f
        adrp    x9, nopal_profiled
        ldrb    w9, [x9, #:lo12:nopal_profiled]
        cbnz    w9, 2f
1:      DEPOSIT_VIEWS nopal_deposit_strand_views
        .cfi_remember_state
        SUSPEND_TO nopal_arrive_at_join
        .cfi_restore_state
        // Non-zero: the scope was stolen from only for the profiler to see its join.
2:      CALL_KEEPING_X0 nopal_profile_join
        mov     w9, w0
        END_KEEPING_X0
        cbz     w9, 1b
        mov     x0, xzr
        ret
3:      b       nopal_throw_foreign_scope
        .cfi_endproc
        .size   nopal_suspend_at_join, .-nopal_suspend_at_join

// void nopal_suspend_to_wait(frame x0): the same for a wait of other kind. The strand's views stay its
// own.
        .p2align 4
        .globl  nopal_suspend_to_wait
        .hidden nopal_suspend_to_wait
        .type   nopal_suspend_to_wait, %function
nopal_suspend_to_wait:
        .cfi_startproc
        ENTRY
        SUSPEND_TO nopal_enter_wait
        .cfi_endproc
        .size   nopal_suspend_to_wait, .-nopal_suspend_to_wait

// void nopal_child_done(frame x0): leaves for the scheduler stack and does not return. If fork(2)
// kept the continuation for this child, so that `steals` is negative, it resumes the continuation,
// as a return from nopal_enter_fork does.
        .p2align 4
        .globl  nopal_child_done
        .type   nopal_child_done, %function
nopal_child_done:
        .cfi_startproc
        ENTRY
        ldr     w9, [x0, #FRAME_STEALS]
        tbnz    w9, #31, 1f
        DEPOSIT_VIEWS nopal_deposit_child_views
        mov     x2, sp
        .cfi_remember_state
        LEAVE_FOR_SCHEDULER_STACK nopal_finish_child
        .cfi_restore_state
1:      CALL_KEEPING_X0 nopal_take_kept
        END_KEEPING_X0
        ldr     x1, [x0, #FRAME_CALL_STACK_POINTER]
        b       nopal_resume
        .cfi_endproc
        .size   nopal_child_done, .-nopal_child_done

// void nopal_resume(frame x0, stack pointer x1, value x2): goes on with the continuation of
// `frame` on the given stack; nopal_suspend_at_join, if that is where it was recorded, returns
// `value`.
        .p2align 4
        .globl  nopal_resume
        .hidden nopal_resume
        .type   nopal_resume, %function
nopal_resume:
        .cfi_startproc
        ENTRY
        RESTORE_CONTINUATION
        .cfi_undefined x30
        mov     x0, x2
        mov     sp, x1
        ret
        .cfi_endproc
        .size   nopal_resume, .-nopal_resume

// void nopal_resume_and_merge(frame x0, stack pointer x1, deposits x2): the same by way of
// nopal_merge_at_join, which is entered as if the function that joins had called it, and returns
// there.
        .p2align 4
        .globl  nopal_resume_and_merge
        .hidden nopal_resume_and_merge
        .type   nopal_resume_and_merge, %function
nopal_resume_and_merge:
        .cfi_startproc
        ENTRY
        RESTORE_CONTINUATION
        .cfi_undefined x30
        mov     sp, x1
        mov     x1, x2
        b       nopal_merge_at_join
        .cfi_endproc
        .size   nopal_resume_and_merge, .-nopal_resume_and_merge

// void nopal_enter_scheduler(worker x0): makes the rest of the current stack the worker's
// scheduler stack and runs the scheduler there; returns when nopal_leave_scheduler is called.
        .p2align 4
        .globl  nopal_enter_scheduler
        .hidden nopal_enter_scheduler
        .type   nopal_enter_scheduler, %function
nopal_enter_scheduler:
        .cfi_startproc
        ENTRY
        KEEP_EXIT
        and     sp, x9, #-64
        mov     x9, sp
        str     x9, [x0, #WORKER_SCHEDULER_STACK_POINTER]
        CALL_WITHOUT_RETURN nopal_run_scheduler
        .cfi_endproc
        .size   nopal_enter_scheduler, .-nopal_enter_scheduler

// void nopal_call_scheduler(worker x0): runs nopal_run_call on the worker's scheduler stack;
// returns when nopal_leave_scheduler is called.
        .p2align 4
        .globl  nopal_call_scheduler
        .hidden nopal_call_scheduler
        .type   nopal_call_scheduler, %function
nopal_call_scheduler:
        .cfi_startproc
        ENTRY
        KEEP_EXIT
        ldr     x9, [x0, #WORKER_SCHEDULER_STACK_POINTER]
        mov     sp, x9
        CALL_WITHOUT_RETURN nopal_run_call
        .cfi_endproc
        .size   nopal_call_scheduler, .-nopal_call_scheduler

// void nopal_leave_scheduler(worker x0): returns from nopal_enter_scheduler or
// nopal_call_scheduler.
        .p2align 4
        .globl  nopal_leave_scheduler
        .hidden nopal_leave_scheduler
        .type   nopal_leave_scheduler, %function
nopal_leave_scheduler:
        .cfi_startproc
        .cfi_undefined x30
        ENTRY
        ldr     x9, [x0, #WORKER_EXIT_STACK_POINTER]
        mov     sp, x9
        LOAD_PRESERVED sp, 16, 96
        ldp     x29, x30, [sp], #EXIT_BYTES
        ret
        .cfi_endproc
        .size   nopal_leave_scheduler, .-nopal_leave_scheduler

// void nopal_call_on_stack(stack top x0, function x1, argument x2): calls function(argument) as
// the outermost frame of another stack, and then leaves for the scheduler stack for good.
        .p2align 4
        .globl  nopal_call_on_stack
        .hidden nopal_call_on_stack
        .type   nopal_call_on_stack, %function
nopal_call_on_stack:
        .cfi_startproc
        .cfi_undefined x30
        ENTRY
        mov     sp, x0
        mov     x0, x2
        mov     x29, xzr
        blr     x1
        mov     x0, sp
        LEAVE_FOR_SCHEDULER_STACK nopal_finish_call
        .cfi_endproc
        .size   nopal_call_on_stack, .-nopal_call_on_stack

        .section .note.GNU-stack, "", %progbits

#include "arch/aarch64/control_flow_note.inc"
