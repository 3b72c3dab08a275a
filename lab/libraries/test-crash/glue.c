/* Crashes in every way that a runner can detect. Each operation crashes in one way. */
#include "agent.h"

#define BEYOND_RAM (RAMEND + 0x100)
#define BEYOND_FLASH (FLASHEND + 0x1000UL)

static uint8_t invalid_read(struct agent_call *call)
{
    volatile uint8_t *address = (volatile uint8_t *)BEYOND_RAM;
    AGENT_MEASURE(call->out[0] = *address);
    return 0;
}

static uint8_t invalid_write(struct agent_call *call)
{
    volatile uint8_t *address = (volatile uint8_t *)BEYOND_RAM;
    (void)call;
    AGENT_MEASURE(*address = 1);
    return 0;
}

static uint8_t invalid_opcode(struct agent_call *call)
{
    (void)call;
    AGENT_MEASURE(__asm__ __volatile__(".word 0x9404")); /* reserved [ATMEGA328P, 37] */
    return 0;
}

static uint8_t read_past_flash(struct agent_call *call)
{
    AGENT_MEASURE(call->out[0] = pgm_read_byte((uint16_t)BEYOND_FLASH));
    return 0;
}

static uint8_t jump_past_flash(struct agent_call *call)
{
    (void)call;
    AGENT_MEASURE(__asm__ __volatile__("ijmp" : : "z"((uint16_t)(BEYOND_FLASH / 2))));
    return 0;
}

static uint8_t mark_order(struct agent_call *call)
{
    (void)call;
    AGENT_MEASURE(PORT_MARK(1));
    return 0;
}

/* Sleeps with interrupts off, as they are in every span: nothing can wake it. */
static uint8_t halt(struct agent_call *call)
{
    (void)call;
    AGENT_MEASURE(__asm__ __volatile__("sleep"));
    return 0;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(INVALID_READ, "invalid-read", invalid_read)
    AGENT_OPERATION(INVALID_WRITE, "invalid-write", invalid_write)
    AGENT_OPERATION(INVALID_OPCODE, "invalid-opcode", invalid_opcode)
    AGENT_OPERATION(READ_PAST_FLASH, "read-past-flash", read_past_flash)
    AGENT_OPERATION(JUMP_PAST_FLASH, "jump-past-flash", jump_past_flash)
    AGENT_OPERATION(MARK_ORDER, "mark-order", mark_order)
    AGENT_OPERATION(HALT, "halt", halt))
