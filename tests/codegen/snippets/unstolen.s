# Instructions that a fork which nobody steals must not meet.
        .text

        .globl  good_plain
        .type   good_plain, @function
good_plain:
        movl    (%rdi), %eax
        xchgl   %eax, %ecx
        call    callee
        ret

        .globl  good_padding
        .type   good_padding, @function
good_padding:
        xchg    %ax, %ax
        ret

        .globl  bad_lock
        .type   bad_lock, @function
bad_lock:
        lock incl (%rdi)
        ret

        .globl  bad_lock_prefix_of_exchange
        .type   bad_lock_prefix_of_exchange, @function
bad_lock_prefix_of_exchange:
        lock cmpxchgq %rcx, (%rdi)
        ret

        .globl  bad_exchange
        .type   bad_exchange, @function
bad_exchange:
        xchgq   %rax, (%rdi)
        ret

        .globl  bad_fence
        .type   bad_fence, @function
bad_fence:
        mfence
        ret

        .globl  bad_store_fence
        .type   bad_store_fence, @function
bad_store_fence:
        sfence
        ret

        .globl  bad_load_fence
        .type   bad_load_fence, @function
bad_load_fence:
        lfence
        ret

        .globl  bad_thread_call
        .type   bad_thread_call, @function
bad_thread_call:
        call    pthread_self
        ret

        .globl  bad_thread_tail_call
        .type   bad_thread_tail_call, @function
bad_thread_tail_call:
        jmp     pthread_self

        .section .note.GNU-stack, "", @progbits
