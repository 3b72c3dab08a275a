/*
 * Frames of known depth. A naked function has no prologue, so its depth is the two bytes of the return
 * address and the bytes that it reserves itself. It reserves them in gcc's order: SPH, SREG, SPL. It
 * writes the deepest byte of its frame, so that painting finds it too.
 */
#include "agent.h"

#define MOVE_STACK_POINTER_TO_Z                                              \
    "in __tmp_reg__, __SREG__\n\t"                                           \
    "cli\n\t"                                                                \
    "out __SP_H__, r31\n\t"                                                  \
    "out __SREG__, __tmp_reg__\n\t"                                          \
    "out __SP_L__, r30\n\t"

#define FRAME(bytes)                                                         \
    static __attribute__((naked, noinline)) void frame_##bytes(void)         \
    {                                                                        \
        __asm__ __volatile__("in r30, __SP_L__\n\t"                          \
                             "in r31, __SP_H__\n\t"                          \
                             "subi r30, lo8(" #bytes " - 2)\n\t"             \
                             "sbci r31, hi8(" #bytes " - 2)\n\t"             \
                             MOVE_STACK_POINTER_TO_Z                         \
                             "std Z+1, r31\n\t"                              \
                             "subi r30, lo8(-(" #bytes " - 2))\n\t"          \
                             "sbci r31, hi8(-(" #bytes " - 2))\n\t"          \
                             MOVE_STACK_POINTER_TO_Z                         \
                             "ret");                                         \
    }                                                                        \
    static uint8_t operation_##bytes(struct agent_call *call)                \
    {                                                                        \
        (void)call;                                                          \
        AGENT_MEASURE(frame_##bytes());                                      \
        return 0;                                                            \
    }

FRAME(400)
FRAME(800)

/*
 * Lowers the stack pointer to the top of the page below (its low byte becomes
 * 0xFF). Between the two writes it points into that page by its old low byte,
 * which is lower than it ever truly is. Leaves the pointer that it set in
 * `torn_lowest`.
 */
static volatile uint16_t torn_lowest __attribute__((used));

static __attribute__((naked, noinline)) void frame_torn(void)
{
    __asm__ __volatile__("in r24, __SP_L__\n\t"
                         "in r25, __SP_H__\n\t"
                         "ldi r30, 0xFF\n\t"
                         "mov r31, r25\n\t"
                         "dec r31\n\t"
                         MOVE_STACK_POINTER_TO_Z
                         "sts torn_lowest, r30\n\t"
                         "sts torn_lowest+1, r31\n\t"
                         "movw r30, r24\n\t"
                         MOVE_STACK_POINTER_TO_Z
                         "ret");
}

static uint8_t operation_torn(struct agent_call *call)
{
    uint16_t base = SP;
    AGENT_MEASURE(frame_torn());
    uint16_t depth = base - torn_lowest;
    call->out[0] = (uint8_t)depth;
    call->out[1] = (uint8_t)(depth >> 8);
    call->out_size = 2;
    return 0;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(FRAME_400, "frame-400", operation_400)
    AGENT_OPERATION(FRAME_800, "frame-800", operation_800)
    AGENT_OPERATION(FRAME_TORN, "frame-torn", operation_torn))
