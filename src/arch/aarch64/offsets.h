/* Offsets that the assembly uses; checked against the structures in continuation.hpp. */
#ifndef NOPAL_ARCH_AARCH64_OFFSETS_H
#define NOPAL_ARCH_AARCH64_OFFSETS_H

#define FRAME_RESUME_ADDRESS 0
#define FRAME_CALL_STACK_POINTER 8
#define FRAME_FRAME_POINTER 16
#define FRAME_X19 24
#define FRAME_D8 104
#define FRAME_STEALS 168
#define FRAME_FLOAT_CONTROL 208

#define FIBRIL_CHILD 232
#define FIBRIL_OUT 240

#define WORKER_SCHEDULER_STACK_POINTER 160
#define WORKER_EXIT_STACK_POINTER 168

/* Of arch::registers. */
#define REGISTERS_IP 0
#define REGISTERS_SP 8
#define REGISTERS_FP 16
#define REGISTERS_X19 24
#define REGISTERS_D8 104
#define REGISTERS_BYTES 168

/* Of the C library's jump buffer, in bytes. */
#define JUMP_X19 0
#define JUMP_FP 80
#define JUMP_LR 88
#define JUMP_SP 104
#define JUMP_D8 112

#endif
