// Continuations of the mapped stacks, on x86-64: recording one at a fork or a join, resuming one, and
// the way to and from a worker's scheduler stack. To the compiler each routine is an ordinary function
// of the System V ABI. Offsets are those of mapped_frame and mapped_worker; runtime.hpp checks them.

        .set    FRAME_RESUME_ADDRESS, 0
        .set    FRAME_CALL_STACK_POINTER, 8
        .set    FRAME_FRAME_POINTER, 16
        .set    FRAME_RBX, 24
        .set    FRAME_R12, 32
        .set    FRAME_R13, 40
        .set    FRAME_R14, 48
        .set    FRAME_R15, 56
        .set    WORKER_SCHEDULER_STACK_POINTER, 0

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

// Calls `routine`, which never returns, on the scheduler stack, with the frame at rdi and the worker.
        .macro  LEAVE_FOR routine
        movq    mapped_current@gottpoff(%rip), %rax
        movq    %fs:(%rax), %rsi
        movq    WORKER_SCHEDULER_STACK_POINTER(%rsi), %rsp
        .cfi_undefined %rip
        xorl    %ebp, %ebp
        call    \routine
        ud2
        .endm

        .macro  FUNCTION name
        .p2align 6
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        endbr64
        .endm
        .macro  END name
        .cfi_endproc
        .size   \name, .-\name
        .endm

// void mapped_enter_fork(frame rdi, child rsi, ...): goes on in `child` with every argument register.
        FUNCTION mapped_enter_fork
        RECORD_CONTINUATION
        jmp     *%rsi
        END     mapped_enter_fork

// void mapped_suspend(frame rdi): the strand waits for its children.
        FUNCTION mapped_suspend
        RECORD_CONTINUATION
        LEAVE_FOR mapped_join_slow
        END     mapped_suspend

// void mapped_end_child(frame rdi): the continuation that the child would return to was stolen. The
// routine also gets the stack pointer, below which nothing is in use any more.
        FUNCTION mapped_end_child
        movq    %rsp, %rdx
        LEAVE_FOR mapped_child_done
        END     mapped_end_child

// void mapped_end_program(value rdi): the outermost strand is over.
        FUNCTION mapped_end_program
        LEAVE_FOR mapped_finish
        END     mapped_end_program

// void mapped_resume(frame rdi, stack pointer rsi): to the program it is the return of a call.
        FUNCTION mapped_resume
        movq    FRAME_RBX(%rdi), %rbx
        movq    FRAME_R12(%rdi), %r12
        movq    FRAME_R13(%rdi), %r13
        movq    FRAME_R14(%rdi), %r14
        movq    FRAME_R15(%rdi), %r15
        movq    FRAME_FRAME_POINTER(%rdi), %rbp
        movq    FRAME_RESUME_ADDRESS(%rdi), %rcx
        movq    %rsi, %rsp
        jmp     *%rcx
        END     mapped_resume

// void mapped_start(stack pointer rdi, routine rsi): the outermost frame of a stack.
        FUNCTION mapped_start
        .cfi_undefined %rip
        movq    %rdi, %rsp
        xorl    %ebp, %ebp
        call    *%rsi
        ud2
        END     mapped_start

// void mapped_run(worker rdi, routine rsi): calls the routine, which never returns; the caller's stack
// is the scheduler stack from here on. mapped_end_run comes back to the caller.
        FUNCTION mapped_run
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        movq    %rsp, WORKER_SCHEDULER_STACK_POINTER(%rdi)
        .cfi_undefined %rip
        call    *%rsi
        ud2
        END     mapped_run

// void mapped_end_run(worker rdi).
        FUNCTION mapped_end_run
        movq    WORKER_SCHEDULER_STACK_POINTER(%rdi), %rsp
        addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        END     mapped_end_run

        .section .note.GNU-stack, "", @progbits
