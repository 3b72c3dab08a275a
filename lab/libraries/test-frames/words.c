/*
 * Frames of known depth on cores of 32 and 64 bits, where a call itself stores nothing. Each lowers the
 * stack pointer by an exact number of bytes and writes the lowest of them, which painting finds.
 */
#include "agent.h"

#if defined(__thumb__)
#define FRAME_400 "sub sp, #400\n\tmov r0, sp\n\tstr r0, [sp]\n\tadd sp, #400"
#define FRAME_800 "sub sp, #400\n\tsub sp, #400\n\tmov r0, sp\n\tstr r0, [sp]\n\tadd sp, #400\n\tadd sp, #400"
#elif defined(__aarch64__)
#define FRAME_400 "sub sp, sp, #400\n\tstr xzr, [sp]\n\tadd sp, sp, #400"
#define FRAME_800 "sub sp, sp, #800\n\tstr xzr, [sp]\n\tadd sp, sp, #800"
#elif defined(__riscv)
#define FRAME_400 "addi sp, sp, -400\n\tsw zero, 0(sp)\n\taddi sp, sp, 400"
#define FRAME_800 "addi sp, sp, -800\n\tsw zero, 0(sp)\n\taddi sp, sp, 800"
#elif defined(__XTENSA__)
#define FRAME_400 "movi a8, 400\n\tsub a1, a1, a8\n\ts32i a8, a1, 0\n\tadd a1, a1, a8"
#define FRAME_800 "movi a8, 800\n\tsub a1, a1, a8\n\ts32i a8, a1, 0\n\tadd a1, a1, a8"
#endif

#if defined(__XTENSA__)
#define CLOBBERS "a8", "memory"
#elif defined(__thumb__)
#define CLOBBERS "r0", "memory" /* might hold the value used for painting */
#else
#define CLOBBERS "memory"
#endif

static uint8_t operation_400(struct agent_call *call)
{
    (void)call;
    AGENT_MEASURE(__asm__ __volatile__(FRAME_400 : : : CLOBBERS));
    return 0;
}

static uint8_t operation_800(struct agent_call *call)
{
    (void)call;
    AGENT_MEASURE(__asm__ __volatile__(FRAME_800 : : : CLOBBERS));
    return 0;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(FRAME_400, "frame-400", operation_400)
    AGENT_OPERATION(FRAME_800, "frame-800", operation_800))
