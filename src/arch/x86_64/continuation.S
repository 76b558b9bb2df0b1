// Continuations on x86-64: recording one at a fork or a join, resuming one on any stack, and the
// way to and from a worker's scheduler stack.
//
// To the compiler each routine is an ordinary function of the System V ABI. Offsets are those of
// nopal_frame and of worker; src/arch/x86_64/continuation.hpp checks them.

#include "arch/x86_64/keep_registers.inc"
#include "arch/x86_64/offsets.h"

        .text

// What follows the call of this routine, into the frame at rdi. Only rax is used.
        .macro  RECORD_CONTINUATION
        movq    (%rsp), %rax
        movq    %rax, FRAME_RESUME_ADDRESS(%rdi)
        movq    %rsp, FRAME_CALL_STACK_POINTER(%rdi)
        movq    %rbx, FRAME_RBX(%rdi)
        movq    %r12, FRAME_R12(%rdi)
        movq    %r13, FRAME_R13(%rdi)
        movq    %r14, FRAME_R14(%rdi)
        movq    %r15, FRAME_R15(%rdi)
        .endm

// What the continuation of the frame at rdi needs in registers, and its address in rcx.
        .macro  RESTORE_CONTINUATION
        movq    FRAME_RBX(%rdi), %rbx
        movq    FRAME_R12(%rdi), %r12
        movq    FRAME_R13(%rdi), %r13
        movq    FRAME_R14(%rdi), %r14
        movq    FRAME_R15(%rdi), %r15
        movq    FRAME_FRAME_POINTER(%rdi), %rbp
        movq    FRAME_RESUME_ADDRESS(%rdi), %rcx
        .endm

// Calls `routine`, which never returns, as the outermost frame of its stack.
        .macro  CALL_WITHOUT_RETURN routine
        .cfi_undefined %rip
        xorl    %ebp, %ebp
        call    \routine
        ud2
        .endm

// Goes on in `routine` on the scheduler stack of this thread's worker, which is its argument in
// rsi.
        .macro  LEAVE_FOR_SCHEDULER_STACK routine
        movq    nopal_current@gottpoff(%rip), %rax
        movq    %fs:(%rax), %rsi
        movq    WORKER_SCHEDULER_STACK_POINTER(%rsi), %rsp
        CALL_WITHOUT_RETURN \routine
        .endm

// The same for a strand that waits, whose continuation goes into the frame at rdi.
        .macro  SUSPEND_TO routine
        RECORD_CONTINUATION
        stmxcsr FRAME_FLOAT_CONTROL(%rdi)
        fnstcw  FRAME_X87_CONTROL(%rdi)
        LEAVE_FOR_SCHEDULER_STACK \routine
        .endm

// A register onto the stack, and back.
        .macro  KEEP register
        pushq   \register
        .cfi_adjust_cfa_offset 8
        .endm
        .macro  KEPT register
        popq    \register
        .cfi_adjust_cfa_offset -8
        .endm

// Keeps what nopal_leave_scheduler restores on the current stack, and where, for the worker at rdi.
        .macro  KEEP_EXIT
        KEEP    %rbp
        KEEP    %rbx
        KEEP    %r12
        KEEP    %r13
        KEEP    %r14
        KEEP    %r15
        movq    %rsp, WORKER_EXIT_STACK_POINTER(%rdi)
        .endm

// Calls `routine` with the frame at rdi, which is kept, if the program uses reducers. It runs the
// program's code on the strand's stack, and may return on another thread.
        .macro  DEPOSIT_VIEWS routine
        cmpb    $0, nopal_views_used(%rip)
        je      .Ldeposited_\@
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        call    \routine
        popq    %rdi
        .cfi_adjust_cfa_offset -8
.Ldeposited_\@:
        .endm

// void nopal_enter_fork(frame rdi, child rsi, ...): records the continuation and tail-jumps to
// `child` with every argument register as it is. Only rax is used, which is neither an argument nor
// preserved.
        .p2align 6
        .globl  nopal_enter_fork
        .type   nopal_enter_fork, @function
nopal_enter_fork:
        .cfi_startproc
        endbr64
        RECORD_CONTINUATION
        jmp     *%rsi
        .cfi_endproc
        .size   nopal_enter_fork, .-nopal_enter_fork

// int nopal_push_slow(frame rdi): works at any stack alignment and keeps every register but rax,
// the vector, mask and x87 registers included: its caller is inline assembly that declares no other
// clobber, and the registers may hold arguments of any type. The slow push runs on the scheduler
// stack, so that a strand's stack holds the program's frames and nothing else. Usually
// nopal_push_and_publish does all of it and touches no vector register; these are saved for
// nopal_push_slow_path only.
        .p2align 4
        .globl  nopal_push_slow
        .type   nopal_push_slow, @function
nopal_push_slow:
        .cfi_startproc
        endbr64
        ENTER_FRAME
        PUSH_CALLERS_REGISTERS
        cld
        movq    nopal_current@gottpoff(%rip), %rax
        movq    %fs:(%rax), %rsi
        movl    $1, %eax                // push_remainder::whole_push
        movq    WORKER_SCHEDULER_STACK_POINTER(%rsi), %rcx
        testq   %rcx, %rcx              // null for a thread not adopted yet
        je      1f
        leaq    -64(%rcx), %rsp
        andq    $-64, %rsp
        cmpb    $0, nopal_latent_forks_used(%rip)
        jne     4f
5:      call    nopal_push_and_publish
        testl   %eax, %eax
        je      3f
1:      andq    $-64, %rsp
        movq    -32(%rbp), %rdi
        movl    %eax, %esi
        movl    nopal_vector_state_bytes(%rip), %eax
        testl   %eax, %eax
        jne     2f
        pushq   %rsi
        pushq   %rdi
        call    nopal_measure_vector_state
        popq    %rdi
        popq    %rsi
2:      CALL_WITH_VECTORS_KEPT nopal_push_slow_path, result=%ecx
        movl    %ecx, %eax
3:      leaq    -64(%rbp), %rsp
        POP_CALLERS_REGISTERS
        .cfi_remember_state
        LEAVE_FRAME
        .cfi_restore_state
        // The strand's latent forks are older than this one, so they are pushed before it. Its
        // registers stay below until the end of this routine.
4:      subq    $REGISTERS_BYTES, %rsp
        movq    8(%rbp), %rax
        movq    %rax, REGISTERS_IP(%rsp)
        leaq    16(%rbp), %rax
        movq    %rax, REGISTERS_SP(%rsp)
        movq    %rbx, REGISTERS_RBX(%rsp)
        movq    (%rbp), %rax
        movq    %rax, REGISTERS_RBP(%rsp)
        movq    %r12, REGISTERS_R12(%rsp)
        movq    %r13, REGISTERS_R13(%rsp)
        movq    %r14, REGISTERS_R14(%rsp)
        movq    %r15, REGISTERS_R15(%rsp)
        movq    %rsp, %rdx
        pushq   %rsi
        pushq   %rdi
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        call    nopal_promote_before_push
        popq    %rdi
        popq    %rsi
        testl   %eax, %eax              // push_remainder::whole_push, or 0
        jne     1b
        jmp     5b
        .cfi_endproc
        .size   nopal_push_slow, .-nopal_push_slow

// void* nopal_scope_of(routine rdi, registers rsi): what a latent fork's own routine says with the
// registers that its child preserves.
        .p2align 4
        .globl  nopal_scope_of
        .hidden nopal_scope_of
        .type   nopal_scope_of, @function
nopal_scope_of:
        .cfi_startproc
        KEEP    %rbp
        .cfi_rel_offset %rbp, 0
        KEEP    %rbx
        .cfi_rel_offset %rbx, 0
        KEEP    %r12
        .cfi_rel_offset %r12, 0
        KEEP    %r13
        .cfi_rel_offset %r13, 0
        KEEP    %r14
        .cfi_rel_offset %r14, 0
        KEEP    %r15
        .cfi_rel_offset %r15, 0
        movq    REGISTERS_RBX(%rsi), %rbx
        movq    REGISTERS_RBP(%rsi), %rbp
        movq    REGISTERS_R12(%rsi), %r12
        movq    REGISTERS_R13(%rsi), %r13
        movq    REGISTERS_R14(%rsi), %r14
        movq    REGISTERS_R15(%rsi), %r15
        call    *%rdi
        KEPT    %r15
        KEPT    %r14
        KEPT    %r13
        KEPT    %r12
        KEPT    %rbx
        KEPT    %rbp
        ret
        .cfi_endproc
        .size   nopal_scope_of, .-nopal_scope_of

// void* nopal_suspend_at_join(frame rdi): records the continuation and leaves for the scheduler
// stack.
        .p2align 4
        .globl  nopal_suspend_at_join
        .type   nopal_suspend_at_join, @function
nopal_suspend_at_join:
        .cfi_startproc
        endbr64
        // A scope that another function made must not get further: its frame pointer is not ours.
        cmpq    %rbp, FRAME_FRAME_POINTER(%rdi)
        jne     nopal_throw_foreign_scope@PLT
        cmpb    $0, nopal_profiled(%rip)
        jne     2f
1:      DEPOSIT_VIEWS nopal_deposit_strand_views
        .cfi_remember_state
        SUSPEND_TO nopal_arrive_at_join
        // Non-zero: the scope was stolen from only for the profiler to see its join.
2:      .cfi_restore_state
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        call    nopal_profile_join
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        testl   %eax, %eax
        je      1b
        xorl    %eax, %eax
        ret
        .cfi_endproc
        .size   nopal_suspend_at_join, .-nopal_suspend_at_join

// void nopal_suspend_to_wait(frame rdi): the same for a wait of other kind. The strand's views stay its
// own.
        .p2align 4
        .globl  nopal_suspend_to_wait
        .hidden nopal_suspend_to_wait
        .type   nopal_suspend_to_wait, @function
nopal_suspend_to_wait:
        .cfi_startproc
        SUSPEND_TO nopal_enter_wait
        .cfi_endproc
        .size   nopal_suspend_to_wait, .-nopal_suspend_to_wait

// void nopal_child_done(frame rdi): leaves for the scheduler stack and does not return. If fork(2)
// kept the continuation for this child, so that `steals` is negative, it resumes the continuation,
// as a return from nopal_enter_fork does.
        .p2align 4
        .globl  nopal_child_done
        .type   nopal_child_done, @function
nopal_child_done:
        .cfi_startproc
        endbr64
        cmpl    $0, FRAME_STEALS(%rdi)
        js      1f
        DEPOSIT_VIEWS nopal_deposit_child_views
        movq    %rsp, %rdx
        .cfi_remember_state
        LEAVE_FOR_SCHEDULER_STACK nopal_finish_child
        .cfi_restore_state
1:      pushq   %rdi
        .cfi_adjust_cfa_offset 8
        call    nopal_take_kept
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        movq    FRAME_CALL_STACK_POINTER(%rdi), %rsi
        addq    $8, %rsi
        jmp     nopal_resume
        .cfi_endproc
        .size   nopal_child_done, .-nopal_child_done

// void nopal_resume(frame rdi, stack pointer rsi, value rdx): goes on with the continuation of
// `frame` on the given stack; nopal_suspend_at_join, if that is where it was recorded, returns
// `value`.
        .p2align 4
        .globl  nopal_resume
        .hidden nopal_resume
        .type   nopal_resume, @function
nopal_resume:
        .cfi_startproc
        movq    %rdx, %rax
        RESTORE_CONTINUATION
        .cfi_undefined %rip
        movq    %rsi, %rsp
        notrack jmp *%rcx
        .cfi_endproc
        .size   nopal_resume, .-nopal_resume

// void nopal_resume_and_merge(frame rdi, stack pointer rsi, deposits rdx): the same by way of
// nopal_merge_at_join, which is entered as if the function that joins had called it, and returns
// there.
        .p2align 4
        .globl  nopal_resume_and_merge
        .hidden nopal_resume_and_merge
        .type   nopal_resume_and_merge, @function
nopal_resume_and_merge:
        .cfi_startproc
        RESTORE_CONTINUATION
        .cfi_undefined %rip
        movq    %rsi, %rsp
        pushq   %rcx
        movq    %rdx, %rsi
        jmp     nopal_merge_at_join
        .cfi_endproc
        .size   nopal_resume_and_merge, .-nopal_resume_and_merge

// void nopal_enter_scheduler(worker rdi): makes the rest of the current stack the worker's
// scheduler stack and runs the scheduler there; returns when nopal_leave_scheduler is called.
        .p2align 4
        .globl  nopal_enter_scheduler
        .hidden nopal_enter_scheduler
        .type   nopal_enter_scheduler, @function
nopal_enter_scheduler:
        .cfi_startproc
        KEEP_EXIT
        andq    $-64, %rsp
        movq    %rsp, WORKER_SCHEDULER_STACK_POINTER(%rdi)
        CALL_WITHOUT_RETURN nopal_run_scheduler
        .cfi_endproc
        .size   nopal_enter_scheduler, .-nopal_enter_scheduler

// void nopal_call_scheduler(worker rdi): runs nopal_run_call on the worker's scheduler stack;
// returns when nopal_leave_scheduler is called.
        .p2align 4
        .globl  nopal_call_scheduler
        .hidden nopal_call_scheduler
        .type   nopal_call_scheduler, @function
nopal_call_scheduler:
        .cfi_startproc
        KEEP_EXIT
        movq    WORKER_SCHEDULER_STACK_POINTER(%rdi), %rsp
        CALL_WITHOUT_RETURN nopal_run_call
        .cfi_endproc
        .size   nopal_call_scheduler, .-nopal_call_scheduler

// void nopal_leave_scheduler(worker rdi): returns from nopal_enter_scheduler or
// nopal_call_scheduler.
        .p2align 4
        .globl  nopal_leave_scheduler
        .hidden nopal_leave_scheduler
        .type   nopal_leave_scheduler, @function
nopal_leave_scheduler:
        .cfi_startproc
        .cfi_undefined %rip
        movq    WORKER_EXIT_STACK_POINTER(%rdi), %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .cfi_endproc
        .size   nopal_leave_scheduler, .-nopal_leave_scheduler

// void nopal_call_on_stack(stack top rdi, function rsi, argument rdx): calls function(argument) as
// the outermost frame of another stack, and then leaves for the scheduler stack for good.
        .p2align 4
        .globl  nopal_call_on_stack
        .hidden nopal_call_on_stack
        .type   nopal_call_on_stack, @function
nopal_call_on_stack:
        .cfi_startproc
        .cfi_undefined %rip
        movq    %rdi, %rsp
        movq    %rdx, %rdi
        xorl    %ebp, %ebp
        call    *%rsi
        movq    %rsp, %rdi
        LEAVE_FOR_SCHEDULER_STACK nopal_finish_call
        .cfi_endproc
        .size   nopal_call_on_stack, .-nopal_call_on_stack

        .section .note.GNU-stack, "", @progbits

#include "arch/x86_64/control_flow_note.inc"
