// The forks of the Fibril interface: the child's arguments come in the child's own registers and
// stack places, the frame in r10, the ABI's static chain.
//
// The return address is moved from the stack into the frame, so that the call of the child puts its
// own in the same place, right below the child's arguments on the stack; it is pushed again for the
// return. Calls and returns stay paired, as the processor's prediction and shadow stack want it.
//
// A child that throws ends the program, as the routine for exceptions says: nothing here could keep
// what it throws.
//
// While the child runs, rbx holds the frame. The registers used here are the ones that the frame
// has kept: they come back from there, if the continuation was not stolen. Else nobody needs them.

#include <nopal/detail/owner_steps.h>

#include "arch/x86_64/offsets.h"

        .hidden nopal_fibril_personality

        .text

// The owner's side of the deque: nopal_push and nopal_pop by the steps of
// <nopal/detail/owner_steps.h>, which pair as there. Stores and loads keep their order on this
// processor but for a load after a store, so that only a fence is an instruction.

// A call that keeps every register, in the build whose schedules are disturbed, and else nothing.
// The stack is aligned as for the child.
        .macro  DISTURB
#ifdef NOPAL_SCHEDULE_NOISE
        call    nopal_disturb@PLT
#endif
        .endm

// Step 1 of both, to r11.
        .macro  THIS_DEQUE
        movq    nopal_current@gottpoff(%rip), %r11
        movq    %fs:(%r11), %r11
        .endm

// Of the frame at rbx. Goes on at `slow` if the slow push has to do it. Uses r11, r13, r14.
        .macro  OWNER_PUSH slow
        THIS_DEQUE
        // Step 2.
        movslq  NOPAL_DETAIL_DEQUE_BOTTOM(%r11), %r13
        cmpl    NOPAL_DETAIL_DEQUE_LIMIT(%r11), %r13d
        jge     \slow
        // Step 3.
        movq    NOPAL_DETAIL_DEQUE_SLOTS(%r11), %r14
        movq    %rbx, (%r14, %r13, 8)
        DISTURB
        // Step 4.
        incl    %r13d
        movl    %r13d, NOPAL_DETAIL_DEQUE_BOTTOM(%r11)
        .endm

// Goes on at `slow`, with the deque in r11, if the slow pop has to say. Uses r11, rcx, rdx.
        .macro  OWNER_POP slow
        THIS_DEQUE
        // Step 2.
        movl    NOPAL_DETAIL_DEQUE_BOTTOM(%r11), %ecx
        decl    %ecx
#if NOPAL_DETAIL_POP_IS_FENCED
        movl    %ecx, %edx
        xchgl   %edx, NOPAL_DETAIL_DEQUE_BOTTOM(%r11)
#else
        movl    %ecx, NOPAL_DETAIL_DEQUE_BOTTOM(%r11)
#endif
        DISTURB
        // Step 3.
#if NOPAL_DETAIL_POP_KEEPS_ABOVE_TOP
        cmpl    NOPAL_DETAIL_DEQUE_TOP(%r11), %ecx
        jle     \slow
#else
        cmpl    NOPAL_DETAIL_DEQUE_SPLIT(%r11), %ecx
        jl      \slow
#endif
        .endm

        .macro  FIBRIL_FORK name, store=
        .p2align 6
        .globl  nopal_fibril_fork_\name
        .type   nopal_fibril_fork_\name, @function
nopal_fibril_fork_\name:
        .cfi_startproc
        .cfi_personality 0x1b, nopal_fibril_personality
        endbr64
        movq    %rbx, FRAME_RBX(%r10)
        movq    %r12, FRAME_R12(%r10)
        movq    %r13, FRAME_R13(%r10)
        movq    %r14, FRAME_R14(%r10)
        movq    %r15, FRAME_R15(%r10)
        movq    %r10, %rbx
        // Of the caller's registers: DW_CFA_expression, register, length 2, DW_OP_breg3 (rbx),
        // offset in the frame.
        .cfi_escape 0x10, 3, 2, 0x73, FRAME_RBX
        .cfi_escape 0x10, 12, 2, 0x73, FRAME_R12
        .cfi_escape 0x10, 13, 2, 0x73, FRAME_R13
        .cfi_escape 0x10, 14, 2, 0x73, FRAME_R14
        .cfi_escape 0x10, 15, 2, 0x73, FRAME_R15
        movq    %rsp, FRAME_CALL_STACK_POINTER(%rbx)
        popq    FRAME_RESUME_ADDRESS(%rbx)
        .cfi_def_cfa_offset 0
        .cfi_escape 0x10, 16, 2, 0x73, FRAME_RESUME_ADDRESS
        movq    FIBRIL_CHILD(%rbx), %r15
        movq    FIBRIL_OUT(%rbx), %r12

        OWNER_PUSH .Lpush_slow_\name
.Lpushed_\name:
        callq   *%r15
        \store

        OWNER_POP .Lpop_slow_\name
.Lpopped_\name:
        .cfi_remember_state
        pushq   FRAME_RESUME_ADDRESS(%rbx)
        .cfi_def_cfa_offset 8
        .cfi_offset %rip, -8
        movq    FRAME_R12(%rbx), %r12
        movq    FRAME_R13(%rbx), %r13
        movq    FRAME_R14(%rbx), %r14
        movq    FRAME_R15(%rbx), %r15
        .cfi_same_value %r12
        .cfi_same_value %r13
        .cfi_same_value %r14
        .cfi_same_value %r15
        movq    FRAME_RBX(%rbx), %rbx
        .cfi_same_value %rbx
        ret
        .cfi_restore_state

.Lpush_slow_\name:
        // It keeps every register but rax, which may hold an argument too, and its own argument's.
        movq    %rax, %r13
        movq    %rdi, %r14
        movq    %rbx, %rdi
        call    nopal_push_slow@PLT
        testl   %eax, %eax
        jne     .Lpush_failed_\name
        movq    %r14, %rdi
        movq    %r13, %rax
        jmp     .Lpushed_\name
.Lpush_failed_\name:
        call    nopal_c_push_refused@PLT
        jmp     .Lpopped_\name         // the child was not to begin

.Lpop_slow_\name:
        movq    %r11, %rdi
        call    nopal_pop_slow@PLT
        testl   %eax, %eax
        jne     .Lpopped_\name
        movq    %rbx, %rdi
        call    nopal_child_done@PLT
        ud2
        .cfi_endproc
        .size   nopal_fibril_fork_\name, .-nopal_fibril_fork_\name
        .endm

// For code that ThreadSanitizer watches: tells it of the fork here, where the arguments have been
// evaluated, which may have written to memory. Of vector registers it keeps the arguments that are
// floating-point numbers.
        .macro  WATCHED_FIBRIL_FORK name
        .p2align 4
        .globl  nopal_watched_fibril_fork_\name
        .type   nopal_watched_fibril_fork_\name, @function
nopal_watched_fibril_fork_\name:
        .cfi_startproc
        endbr64
        subq    $200, %rsp
        .cfi_adjust_cfa_offset 200
        movq    %rax, 128(%rsp)
        movq    %rdi, 136(%rsp)
        movq    %rsi, 144(%rsp)
        movq    %rdx, 152(%rsp)
        movq    %rcx, 160(%rsp)
        movq    %r8, 168(%rsp)
        movq    %r9, 176(%rsp)
        movq    %r10, 184(%rsp)
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        movaps  %xmm\i, 16 * \i(%rsp)
        .endr
        movq    %r10, %rdi
        call    nopal_watched_fork@PLT
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        movaps  16 * \i(%rsp), %xmm\i
        .endr
        movq    128(%rsp), %rax
        movq    136(%rsp), %rdi
        movq    144(%rsp), %rsi
        movq    152(%rsp), %rdx
        movq    160(%rsp), %rcx
        movq    168(%rsp), %r8
        movq    176(%rsp), %r9
        movq    184(%rsp), %r10
        addq    $200, %rsp
        .cfi_adjust_cfa_offset -200
        jmp     nopal_fibril_fork_\name
        .cfi_endproc
        .size   nopal_watched_fibril_fork_\name, .-nopal_watched_fibril_fork_\name
        .endm

        FIBRIL_FORK void
        FIBRIL_FORK 1, "movb %al, (%r12)"
        FIBRIL_FORK 2, "movw %ax, (%r12)"
        FIBRIL_FORK 4, "movl %eax, (%r12)"
        FIBRIL_FORK 8, "movq %rax, (%r12)"
        FIBRIL_FORK 8_from_int, "cltq; movq %rax, (%r12)"
        FIBRIL_FORK 8_from_unsigned, "movl %eax, %eax; movq %rax, (%r12)"
        FIBRIL_FORK float, "movss %xmm0, (%r12)"
        FIBRIL_FORK double, "movsd %xmm0, (%r12)"
        FIBRIL_FORK float_from_double, "cvtsd2ss %xmm0, %xmm0; movss %xmm0, (%r12)"
        FIBRIL_FORK double_from_float, "cvtss2sd %xmm0, %xmm0; movsd %xmm0, (%r12)"

        .irp    name, void, 1, 2, 4, 8, 8_from_int, 8_from_unsigned, float, double, float_from_double, double_from_float
        WATCHED_FIBRIL_FORK \name
        .endr

        .section .note.GNU-stack, "", @progbits

#include "arch/x86_64/control_flow_note.inc"
