// void nopal_disturb(void), in the build whose schedules are disturbed: see nopal/detail/noise.h.
// It keeps every register, vector, mask and x87 registers included, and only the flags are lost, so
// that a step of a protocol may be disturbed where it is made with the caller's registers in place:
// in the slow push and in the assembly of forks.

        .text

#ifdef NOPAL_SCHEDULE_NOISE

#include "arch/x86_64/keep_registers.inc"

        .p2align 4
        .globl  nopal_disturb
        .type   nopal_disturb, @function
nopal_disturb:
        .cfi_startproc
        endbr64
        ENTER_FRAME
        pushq   %rax
        PUSH_CALLERS_REGISTERS
        andq    $-64, %rsp
        movl    nopal_vector_state_bytes(%rip), %eax
        testl   %eax, %eax
        jne     1f
        call    nopal_measure_vector_state
1:      CALL_WITH_VECTORS_KEPT nopal_disturb_now
        leaq    -72(%rbp), %rsp
        POP_CALLERS_REGISTERS
        popq    %rax
        LEAVE_FRAME
        .cfi_endproc
        .size   nopal_disturb, .-nopal_disturb

#endif

        .section .note.GNU-stack, "", @progbits

#include "arch/x86_64/control_flow_note.inc"
