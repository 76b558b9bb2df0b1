# Forking functions of AArch64 as a compiler may make them: what the checker must accept and what it must refuse.
        .text

        .macro  function name
        .globl  \name
        .type   \name, %function
\name:
        .endm

        .macro  enter_frame
        stp     x29, x30, [sp, #-96]!
        mov     x29, sp
        stp     x19, x20, [sp, #16]
        .endm

        .macro  fork
        bl      nopal_enter_fork
        .endm

        .macro  leave_frame
        mov     sp, x29
        ldp     x19, x20, [sp, #16]
        ldp     x29, x30, [sp], #96
        ret
        .endm

        .macro  join_and_return
        bl      nopal_suspend_at_join
        leave_frame
        .endm

# Everything through the frame pointer, and an epilogue that finds sp by it.
        function good_frame_pointer_alone
        enter_frame
        fork
        ldr     x0, [x29, #40]
        join_and_return

# Locals may be anywhere as long as nothing was forked.
        function good_reads_before_the_fork
        enter_frame
        ldr     x0, [sp, #40]
        fork
        join_and_return

# Arguments that go out on the stack.
        function good_outgoing_arguments
        enter_frame
        fork
        str     x0, [sp]
        stp     x1, x2, [sp, #8]
        bl      callee
        join_and_return

# What the same straight line stored there.
        function good_reads_what_it_stored
        enter_frame
        fork
        str     x0, [sp, #8]
        ldr     x1, [sp, #8]
        join_and_return

# An array of unknown size that is made after the fork.
        function good_new_array
        enter_frame
        fork
        sub     x1, sp, x0
        mov     sp, x1
        mov     x2, sp
        ldr     x3, [x2]
        join_and_return

# Clang's: the stack pointer of before, kept in a register.
        function good_saved_stack_pointer
        enter_frame
        mov     x19, sp
        fork
        mov     sp, x19
        ldr     x0, [sp, #40]
        join_and_return

        function good_after_the_epilogue
        enter_frame
        fork
        bl      nopal_suspend_at_join
        sub     sp, x29, #16
        ldr     x0, [sp, #24]
        leave_frame

        function bad_reads_through_sp
        enter_frame
        fork
        ldr     x0, [sp, #40]
        join_and_return

        function bad_reads_a_pair
        enter_frame
        fork
        ldp     x0, x1, [sp, #40]
        join_and_return

        function bad_reads_a_vector
        enter_frame
        fork
        ldr     q0, [sp, #32]
        join_and_return

        function bad_reads_through_a_copy
        enter_frame
        fork
        add     x1, sp, #40
        ldr     x0, [x1]
        join_and_return

        function bad_reads_through_a_copy_that_a_call_keeps
        enter_frame
        fork
        mov     x19, sp
        bl      callee
        ldr     x0, [x19, #40]
        join_and_return

        function bad_reads_at_an_index
        enter_frame
        fork
        mov     x1, sp
        ldr     x0, [x2, x1]
        join_and_return

        function bad_reads_what_was_stored_before_a_call
        enter_frame
        fork
        str     x0, [sp, #8]
        bl      callee
        ldr     x0, [sp, #8]
        join_and_return

# A join may return on another stack, too.
        function bad_reads_after_the_join
        enter_frame
        fork
        sub     sp, x29, #16
        bl      nopal_suspend_at_join
        ldr     x0, [sp, #24]
        leave_frame

        function bad_epilogue_by_constants
        enter_frame
        fork
        bl      nopal_suspend_at_join
        ldp     x19, x20, [sp, #16]
        ldp     x29, x30, [sp], #96
        ret

        function bad_one_way_of_two
        enter_frame
        fork
        cbz     w0, 1f
        mov     sp, x29
1:      ldr     x0, [sp, #40]
        join_and_return

        function bad_landing_pad
        enter_frame
        fork
        join_and_return
        ldr     x0, [sp, #40]
        bl      _Unwind_Resume

        function bad_without_a_frame_pointer
        stp     x29, x30, [sp, #-16]!
        fork
        bl      nopal_suspend_at_join
        ret

        .section .note.GNU-stack, "", %progbits
