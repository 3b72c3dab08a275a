/*
 * Uses more stack than the chip has: in one frame, where the change of the stack pointer must be
 * detected, and in many small frames, where the pushes must be detected.
 */
#include "agent.h"

/* More than the free RAM of the Uno. */
#ifndef HOG
#define HOG 1900
#endif

#if AGENT_VARIANT_FRAME

static __attribute__((noinline)) uint8_t take_stack(void)
{
    volatile uint8_t frame[HOG];
    for (uint_fast16_t i = 0; i < HOG; i++)
        frame[i] = 0x55;
    return frame[HOG / 2];
}

#else

static uint8_t (*volatile again)(uint_fast16_t depth);

static uint8_t recurse(uint_fast16_t depth)
{
    return depth == 0 ? 0 : (uint8_t)(again((uint_fast16_t)(depth - 1)) + 1);
}

static uint8_t take_stack(void)
{
    again = recurse;
    return recurse(HOG); /* at least two bytes for each call */
}

#endif

static uint8_t hog(struct agent_call *call)
{
    AGENT_MEASURE(call->out[0] = take_stack());
    call->out_size = 1;
    return 0;
}

AGENT_OPERATIONS(AGENT_OPERATION(HOG, "hog", hog))
