// void nopal_disturb(void), in the build whose schedules are disturbed: see nopal/detail/noise.h. It keeps every
// register, vector and mask registers included, and only the flags are lost, so that a step of a protocol may be
// disturbed where it is made with the caller's registers in place: in the slow push and in the assembly of forks.

        .text

#ifdef NOPAL_SCHEDULE_NOISE

        .p2align 4
        .globl  nopal_disturb
        .type   nopal_disturb, @function
nopal_disturb:
        .cfi_startproc
        endbr64
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %rax
        pushq   %rcx
        pushq   %rdx
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        pushq   %r11
        andq    $-64, %rsp
        movl    nopal_vector_state_bytes(%rip), %eax
        testl   %eax, %eax
        jne     1f
        call    nopal_measure_vector_state
1:      subq    %rax, %rsp
        andq    $-64, %rsp
        movl    nopal_vector_state_mask(%rip), %eax
        testl   %eax, %eax
        je      2f
        // The header of the save area must start out as zeroes.
        xorl    %edx, %edx
        movq    %rdx, 512(%rsp)
        movq    %rdx, 520(%rsp)
        movq    %rdx, 528(%rsp)
        movq    %rdx, 536(%rsp)
        movq    %rdx, 544(%rsp)
        movq    %rdx, 552(%rsp)
        movq    %rdx, 560(%rsp)
        movq    %rdx, 568(%rsp)
        xsave64 (%rsp)
        call    nopal_disturb_now
        movl    nopal_vector_state_mask(%rip), %eax
        xorl    %edx, %edx
        xrstor64 (%rsp)
        jmp     3f
2:      fxsave64 (%rsp)
        call    nopal_disturb_now
        fxrstor64 (%rsp)
3:      leaq    -72(%rbp), %rsp
        popq    %r11
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        popq    %rdx
        popq    %rcx
        popq    %rax
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   nopal_disturb, .-nopal_disturb

#endif

        .section .note.GNU-stack, "", @progbits

#include "arch/x86_64/control_flow_note.inc"
