# Forking functions as a compiler may make them: what the checker must accept and what it must refuse.
        .text

# Everything through the frame pointer.
        .globl  good_rbp_alone
        .type   good_rbp_alone, @function
good_rbp_alone:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        movq    -24(%rbp), %rax
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

# Stores below a call, and a push with its pop.
        .globl  good_outgoing_arguments
        .type   good_outgoing_arguments, @function
good_outgoing_arguments:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        movq    $7, (%rsp)
        movq    %rax, 8(%rsp)
        call    callee
        pushq   -24(%rbp)
        call    callee
        popq    %rcx
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

# A large structure goes out.
        .globl  good_outgoing_by_string_copy
        .type   good_outgoing_by_string_copy, @function
good_outgoing_by_string_copy:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        movq    %rsp, %rdi
        leaq    -64(%rbp), %rsi
        movl    $6, %ecx
        rep movsq
        call    callee
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

# Locals may be anywhere as long as nothing was forked.
        .globl  good_reads_before_the_fork
        .type   good_reads_before_the_fork, @function
good_reads_before_the_fork:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        movq    %rdi, 16(%rsp)
        movq    16(%rsp), %rsi
        call    nopal_enter_fork
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

# Shrink-wrapped: the early way out has no frame.
        .globl  good_incoming_argument_without_fork
        .type   good_incoming_argument_without_fork, @function
good_incoming_argument_without_fork:
        cmpl    $1, %edi
        ja      1f
        movq    8(%rsp), %rax
        ret
1:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

# In one straight line the stack pointer stays what it is.
        .globl  good_reads_back_what_it_stored
        .type   good_reads_back_what_it_stored, @function
good_reads_back_what_it_stored:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        movq    %rax, 8(%rsp)
        fldl    8(%rsp)
        fstpl   -24(%rbp)
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

# Touches a page and changes nothing.
        .globl  good_probe
        .type   good_probe, @function
good_probe:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        subq    $4096, %rsp
        orq     $0, (%rsp)
        addq    $4096, %rsp
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

# GCC's realigned frame, left through the register that has the old stack pointer.
        .globl  good_realigned
        .type   good_realigned, @function
good_realigned:
        leaq    8(%rsp), %r10
        andq    $-64, %rsp
        pushq   -8(%r10)
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %r10
        subq    $120, %rsp
        call    nopal_enter_fork
        movq    -8(%rbp), %r10
        leave
        leaq    -8(%r10), %rsp
        ret

# An array of variable length made after the join of an earlier scope.
        .globl  good_array_made_later
        .type   good_array_made_later, @function
good_array_made_later:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        call    nopal_suspend_at_join
        subq    %rax, %rsp
        movq    %rsp, %rbx
        movq    %rax, (%rbx)
        movq    8(%rbx), %rdi
        call    nopal_enter_fork
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_load
        .type   bad_load, @function
bad_load:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        movq    %rdi, 16(%rsp)
        call    nopal_enter_fork
        movq    16(%rsp), %rax
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_load_with_index
        .type   bad_load_with_index, @function
bad_load_with_index:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        movl    (%rsp,%rdi,4), %eax
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_read_and_modify
        .type   bad_read_and_modify, @function
bad_read_and_modify:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        addq    $1, 24(%rsp)
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_compare
        .type   bad_compare, @function
bad_compare:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        cmpl    $0, 24(%rsp)
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_source_of_arithmetic
        .type   bad_source_of_arithmetic, @function
bad_source_of_arithmetic:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        imulq   24(%rsp), %rax
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

# The reload of a spilled register of an over-aligned frame.
        .globl  bad_vector_reload
        .type   bad_vector_reload, @function
bad_vector_reload:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        vmovaps 32(%rsp), %ymm0
        vmovaps %ymm0, -64(%rbp)
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_float_load
        .type   bad_float_load, @function
bad_float_load:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        fldt    16(%rsp)
        fstpt   -64(%rbp)
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_masked_load
        .type   bad_masked_load, @function
bad_masked_load:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        vmaskmovps 32(%rsp), %ymm1, %ymm0
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_through_copy
        .type   bad_through_copy, @function
bad_through_copy:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        leaq    16(%rsp), %rbx
        call    callee
        movq    8(%rbx), %rax
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_through_copied_copy
        .type   bad_through_copied_copy, @function
bad_through_copied_copy:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        movq    %rsp, %rax
        movq    %rax, %rcx
        addq    $8, %rcx
        movq    (%rcx), %rax
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_string_copy
        .type   bad_string_copy, @function
bad_string_copy:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        movq    %rsp, %rsi
        leaq    -64(%rbp), %rdi
        movl    $4, %ecx
        rep movsq
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_pushed_from_stack
        .type   bad_pushed_from_stack, @function
bad_pushed_from_stack:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        pushq   24(%rsp)
        call    callee
        popq    %rcx
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_call_through_stack
        .type   bad_call_through_stack, @function
bad_call_through_stack:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        call    *24(%rsp)
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

# What a callee or another fork came between is not read back.
        .globl  bad_stored_before_call
        .type   bad_stored_before_call, @function
bad_stored_before_call:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        movq    %rax, 8(%rsp)
        call    nopal_enter_fork
        movq    8(%rsp), %rax
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_stored_on_one_way_only
        .type   bad_stored_on_one_way_only, @function
bad_stored_on_one_way_only:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        testl   %eax, %eax
        je      1f
        movq    %rax, 8(%rsp)
1:
        movq    8(%rsp), %rax
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

# The load stands before the fork and is reached after it.
        .globl  bad_in_loop
        .type   bad_in_loop, @function
bad_in_loop:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
1:
        movq    16(%rsp), %rdi
        call    nopal_enter_fork
        decl    %ebx
        jne     1b
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_behind_jump
        .type   bad_behind_jump, @function
bad_behind_jump:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        jmp     2f
1:
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret
2:
        movq    16(%rsp), %rdi
        jmp     1b

# Only the unwinder leads there.
        .globl  bad_landing_pad
        .type   bad_landing_pad, @function
bad_landing_pad:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret
        movq    16(%rsp), %rdi
        call    _Unwind_Resume

        .globl  bad_case_of_switch
        .type   bad_case_of_switch, @function
bad_case_of_switch:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        notrack jmp *%rax
        movq    16(%rsp), %rdi
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

# As at -O0, where the address is loaded first.
        .globl  bad_indirect_fork
        .type   bad_indirect_fork, @function
bad_indirect_fork:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        leaq    nopal_enter_fork(%rip), %rax
        call    *%rax
        movq    16(%rsp), %rdi
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .globl  bad_without_frame_pointer
        .type   bad_without_frame_pointer, @function
bad_without_frame_pointer:
        subq    $72, %rsp
        call    nopal_enter_fork
        call    nopal_suspend_at_join
        addq    $72, %rsp
        ret

# In a part of its own, which a jump leads to.
        .globl  bad_cold_part
        .type   bad_cold_part, @function
bad_cold_part:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        call    nopal_enter_fork
        jne     bad_cold_part.cold
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret

        .section .text.unlikely, "ax"
        .type   bad_cold_part.cold, @function
bad_cold_part.cold:
        movq    16(%rsp), %rdi
        call    _Unwind_Resume

        .section .note.GNU-stack, "", @progbits
