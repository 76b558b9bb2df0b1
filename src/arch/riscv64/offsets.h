/* Offsets that the assembly uses; checked against the structures in continuation.hpp. */
#ifndef NOPAL_ARCH_RISCV64_OFFSETS_H
#define NOPAL_ARCH_RISCV64_OFFSETS_H

#define FRAME_RESUME_ADDRESS 0
#define FRAME_CALL_STACK_POINTER 8
#define FRAME_FRAME_POINTER 16
#define FRAME_S1 24
#define FRAME_FS0 112
#define FRAME_STEALS 208
#define FRAME_FLOAT_CONTROL 248

#define FIBRIL_CHILD 272
#define FIBRIL_OUT 280

#define WORKER_SCHEDULER_STACK_POINTER 160
#define WORKER_EXIT_STACK_POINTER 168

/* Of arch::registers. */
#define REGISTERS_IP 0
#define REGISTERS_SP 8
#define REGISTERS_FP 16
#define REGISTERS_S1 24
#define REGISTERS_FS0 112
#define REGISTERS_BYTES 208

/* Of the C library's jump buffer, in bytes. */
#define JUMP_RA 0
#define JUMP_FP 8
#define JUMP_S1 16
#define JUMP_SP 104
#define JUMP_FS0 112

#endif
