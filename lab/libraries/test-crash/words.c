/* Crashes on 32-bit cores in every way that an emulator detects, one way in each operation. No
 * emulated machine has memory at NOWHERE. */
#include "agent.h"

#include <stdlib.h>

#define NOWHERE 0xD0000000u

static uint8_t invalid_read(struct agent_call *call)
{
    volatile uint32_t *address = (volatile uint32_t *)NOWHERE;
    AGENT_MEASURE(call->out[0] = (uint8_t)*address);
    return 0;
}

static uint8_t invalid_write(struct agent_call *call)
{
    volatile uint32_t *address = (volatile uint32_t *)NOWHERE;
    (void)call;
    AGENT_MEASURE(*address = 1);
    return 0;
}

/* A word at an odd address. A Cortex-M refuses that for several words only, an RV32 need not. */
static uint8_t unaligned_read(struct agent_call *call)
{
    static uint32_t words[4];
    volatile uint8_t *address = (volatile uint8_t *)words + 1;
    (void)call;
#if defined(__thumb__)
    AGENT_MEASURE(__asm__ __volatile__("mov r3, %0\n\tldmia r3!, {r1, r2}" : : "r"(address) : "r1", "r2", "r3"));
#elif defined(__riscv)
    AGENT_MEASURE(__asm__ __volatile__("lw t0, 0(%0)" : : "r"(address) : "t0"));
#elif defined(__XTENSA__)
    AGENT_MEASURE(__asm__ __volatile__("l32i a4, %0, 0" : : "r"(address) : "a4"));
#endif
    return 0;
}

static uint8_t invalid_opcode(struct agent_call *call)
{
    (void)call;
#if defined(__thumb__)
    AGENT_MEASURE(__asm__ __volatile__(".short 0xDEFF"));
#elif defined(__riscv)
    AGENT_MEASURE(__asm__ __volatile__(".short 0"));
#elif defined(__XTENSA__)
    AGENT_MEASURE(__asm__ __volatile__("ill"));
#endif
    return 0;
}

static uint8_t jump_astray(struct agent_call *call)
{
    (void)call;
    void (*volatile there)(void) = (void (*)(void))(uintptr_t)(NOWHERE + 1);
    AGENT_MEASURE(there());
    return 0;
}

static uint8_t mark_order(struct agent_call *call)
{
    (void)call;
    AGENT_MEASURE(PORT_MARK(1));
    return 0;
}

/* Sleeps where nothing can wake it. */
static uint8_t halt(struct agent_call *call)
{
    (void)call;
#if defined(__XTENSA__)
    AGENT_MEASURE(__asm__ __volatile__("waiti 15"));
#else
    AGENT_MEASURE(__asm__ __volatile__("wfi"));
#endif
    return 0;
}

/* More than any part has. A refusal gives a status of its own. */
static uint8_t no_memory(struct agent_call *call)
{
    volatile size_t bytes = (size_t)64 << 20;
    void *volatile got;
    (void)call;
    AGENT_MEASURE(got = malloc(bytes));
    return got == NULL ? 7 : 0;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(INVALID_READ, "invalid-read", invalid_read)
    AGENT_OPERATION(INVALID_WRITE, "invalid-write", invalid_write)
    AGENT_OPERATION(UNALIGNED_READ, "unaligned-read", unaligned_read)
    AGENT_OPERATION(INVALID_OPCODE, "invalid-opcode", invalid_opcode)
    AGENT_OPERATION(JUMP_ASTRAY, "jump-astray", jump_astray)
    AGENT_OPERATION(MARK_ORDER, "mark-order", mark_order)
    AGENT_OPERATION(HALT, "halt", halt)
    AGENT_OPERATION(NO_MEMORY, "no-memory", no_memory))
