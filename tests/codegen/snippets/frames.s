# Forking functions as a compiler may make them: what the checker must accept and what it must refuse.
        .text

        .macro  function name
        .globl  \name
        .type   \name, @function
\name:
        .endm

        .macro  enter_frame
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        subq    $72, %rsp
        .endm

        .macro  fork
        call    nopal_enter_fork
        .endm

        .macro  join_and_return
        call    nopal_suspend_at_join
        movq    -8(%rbp), %rbx
        leave
        ret
        .endm

# Everything through the frame pointer.
        function good_rbp_alone
        enter_frame
        fork
        movq    -24(%rbp), %rax
        join_and_return

# Stores below a call, and a push with its pop.
        function good_outgoing_arguments
        enter_frame
        fork
        movq    $7, (%rsp)
        movq    %rax, 8(%rsp)
        call    callee
        pushq   -24(%rbp)
        call    callee
        popq    %rcx
        join_and_return

# A large structure goes out.
        function good_outgoing_by_string_copy
        enter_frame
        fork
        movq    %rsp, %rdi
        leaq    -64(%rbp), %rsi
        movl    $6, %ecx
        rep movsq
        call    callee
        join_and_return

# Locals may be anywhere as long as nothing was forked.
        function good_reads_before_the_fork
        enter_frame
        movq    %rdi, 16(%rsp)
        movq    16(%rsp), %rsi
        fork
        join_and_return

# Shrink-wrapped: the early way out has no frame.
        function good_incoming_argument_without_fork
        cmpl    $1, %edi
        ja      1f
        movq    8(%rsp), %rax
        ret
1:
        enter_frame
        fork
        join_and_return

# In one straight line the stack pointer stays what it is.
        function good_reads_back_what_it_stored
        enter_frame
        fork
        movq    %rax, 8(%rsp)
        fldl    8(%rsp)
        fstpl   -24(%rbp)
        join_and_return

# Touches a page and changes nothing.
        function good_probe
        enter_frame
        fork
        subq    $4096, %rsp
        orq     $0, (%rsp)
        addq    $4096, %rsp
        join_and_return

# GCC's realigned frame, left through the register that has the old stack pointer.
        function good_realigned
        leaq    8(%rsp), %r10
        andq    $-64, %rsp
        pushq   -8(%r10)
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %r10
        subq    $120, %rsp
        fork
        movq    -8(%rbp), %r10
        leave
        leaq    -8(%r10), %rsp
        ret

# An array of variable length made after the join of an earlier scope.
        function good_array_made_later
        enter_frame
        fork
        call    nopal_suspend_at_join
        subq    %rax, %rsp
        movq    %rsp, %rbx
        movq    %rax, (%rbx)
        movq    8(%rbx), %rdi
        fork
        movq    -8(%rbp), %rbx
        leave
        ret

# As Clang makes one: its address is worked out in a register, and becomes the stack pointer.
        function good_array_address_worked_out
        enter_frame
        fork
        call    nopal_suspend_at_join
        movq    %rsp, %rax
        movq    %rax, %rbx
        subq    %rcx, %rbx
        movq    %rbx, %rsp
        movq    %rax, (%rbx)
        call    callee
        movq    8(%rbx), %rdi
        fork
        movq    -8(%rbp), %rbx
        leave
        ret

# The address before it was lowered is not the array's.
        function bad_load_above_array
        enter_frame
        fork
        movq    %rsp, %rax
        movq    %rax, %rbx
        subq    %rcx, %rbx
        movq    %rbx, %rsp
        movq    16(%rax), %rdi
        fork
        join_and_return

        function bad_load_from_what_did_not_become_the_stack_pointer
        enter_frame
        fork
        movq    %rsp, %rbx
        subq    %rcx, %rbx
        movq    16(%rbx), %rdi
        fork
        join_and_return

# Its size says that what follows without a name is another function, which may do as it likes.
        function good_followed_by_nameless
        enter_frame
        fork
        join_and_return
        .size   good_followed_by_nameless, .-good_followed_by_nameless
        movq    16(%rsp), %rax
        ret

        function bad_load
        enter_frame
        movq    %rdi, 16(%rsp)
        fork
        movq    16(%rsp), %rax
        join_and_return

        function bad_load_with_index
        enter_frame
        fork
        movl    (%rsp,%rdi,4), %eax
        join_and_return

        function bad_read_and_modify
        enter_frame
        fork
        addq    $1, 24(%rsp)
        join_and_return

        function bad_compare
        enter_frame
        fork
        cmpl    $0, 24(%rsp)
        join_and_return

        function bad_source_of_arithmetic
        enter_frame
        fork
        imulq   24(%rsp), %rax
        join_and_return

# The reload of a spilled register of an over-aligned frame.
        function bad_vector_reload
        enter_frame
        fork
        vmovaps 32(%rsp), %ymm0
        vmovaps %ymm0, -64(%rbp)
        join_and_return

        function bad_float_load
        enter_frame
        fork
        fldt    16(%rsp)
        fstpt   -64(%rbp)
        join_and_return

        function bad_masked_load
        enter_frame
        fork
        vmaskmovps 32(%rsp), %ymm1, %ymm0
        join_and_return

        function bad_through_copy
        enter_frame
        fork
        leaq    16(%rsp), %rbx
        call    callee
        movq    8(%rbx), %rax
        join_and_return

        function bad_through_copied_copy
        enter_frame
        fork
        movq    %rsp, %rax
        movq    %rax, %rcx
        addq    $8, %rcx
        movq    (%rcx), %rax
        join_and_return

        function bad_string_copy
        enter_frame
        fork
        movq    %rsp, %rsi
        leaq    -64(%rbp), %rdi
        movl    $4, %ecx
        rep movsq
        join_and_return

        function bad_pushed_from_stack
        enter_frame
        fork
        pushq   24(%rsp)
        call    callee
        popq    %rcx
        join_and_return

        function bad_call_through_stack
        enter_frame
        fork
        call    *24(%rsp)
        join_and_return

# What a callee or another fork came between is not read back.
        function bad_stored_before_call
        enter_frame
        fork
        movq    %rax, 8(%rsp)
        fork
        movq    8(%rsp), %rax
        join_and_return

        function bad_stored_on_one_way_only
        enter_frame
        fork
        testl   %eax, %eax
        je      1f
        movq    %rax, 8(%rsp)
1:
        movq    8(%rsp), %rax
        join_and_return

# The load stands before the fork and is reached after it.
        function bad_in_loop
        enter_frame
1:
        movq    16(%rsp), %rdi
        fork
        decl    %ebx
        jne     1b
        join_and_return

        function bad_behind_jump
        enter_frame
        fork
        jmp     2f
1:
        join_and_return
2:
        movq    16(%rsp), %rdi
        jmp     1b

# Only the unwinder leads there.
        function bad_landing_pad
        enter_frame
        fork
        join_and_return
        movq    16(%rsp), %rdi
        call    _Unwind_Resume

        function bad_case_of_switch
        enter_frame
        fork
        notrack jmp *%rax
        movq    16(%rsp), %rdi
        join_and_return

# As at -O0, where the address is loaded first.
        function bad_indirect_fork
        enter_frame
        leaq    nopal_enter_fork(%rip), %rax
        call    *%rax
        movq    16(%rsp), %rdi
        join_and_return

        function bad_without_frame_pointer
        subq    $72, %rsp
        fork
        call    nopal_suspend_at_join
        addq    $72, %rsp
        ret

# In a part of its own, which a jump leads to.
        function bad_cold_part
        enter_frame
        fork
        jne     bad_cold_part.cold
        join_and_return

        .section .text.unlikely, "ax"
        .type   bad_cold_part.cold, @function
bad_cold_part.cold:
        movq    16(%rsp), %rdi
        call    _Unwind_Resume

        .section .note.GNU-stack, "", @progbits
