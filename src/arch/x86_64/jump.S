// void nopal_jump(jump buffer rdi, value esi): see jump_buffer.hpp. For programs without a C
// library to ask for it at run time.

        .text

        .macro  LOAD_DISGUISED offset, register
        movq    \offset(%rdi), \register
        rorq    $17, \register
        xorq    %fs:0x30, \register
        .endm

        .p2align 4
        .globl  nopal_jump
        .hidden nopal_jump
        .type   nopal_jump, @function
nopal_jump:
        .cfi_startproc
        movl    %esi, %eax
        movq    (%rdi), %rbx
        LOAD_DISGUISED 8, %rbp
        movq    16(%rdi), %r12
        movq    24(%rdi), %r13
        movq    32(%rdi), %r14
        movq    40(%rdi), %r15
        LOAD_DISGUISED 56, %rdx
        LOAD_DISGUISED 48, %rcx
        .cfi_undefined %rip
        movq    %rcx, %rsp
        notrack jmp *%rdx
        .cfi_endproc
        .size   nopal_jump, .-nopal_jump

        .section .note.GNU-stack, "", @progbits

#include "arch/x86_64/control_flow_note.inc"
