/* Offsets that the assembly uses; checked against the structures in continuation.hpp. */
#ifndef NOPAL_ARCH_X86_64_OFFSETS_H
#define NOPAL_ARCH_X86_64_OFFSETS_H

#define FRAME_RESUME_ADDRESS 0
#define FRAME_CALL_STACK_POINTER 8
#define FRAME_FRAME_POINTER 16
#define FRAME_RBX 24
#define FRAME_R12 32
#define FRAME_R13 40
#define FRAME_R14 48
#define FRAME_R15 56
#define FRAME_STEALS 64
#define FRAME_FLOAT_CONTROL 104
#define FRAME_X87_CONTROL 108

#define FIBRIL_CHILD 128
#define FIBRIL_OUT 136

#define WORKER_SCHEDULER_STACK_POINTER 160
#define WORKER_EXIT_STACK_POINTER 168

/* Of arch::registers. */
#define REGISTERS_IP 0
#define REGISTERS_SP 8
#define REGISTERS_RBX 16
#define REGISTERS_RBP 24
#define REGISTERS_R12 32
#define REGISTERS_R13 40
#define REGISTERS_R14 48
#define REGISTERS_R15 56
#define REGISTERS_BYTES 64

#endif
