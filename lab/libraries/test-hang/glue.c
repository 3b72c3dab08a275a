/* Never ends. */
#include "agent.h"

static uint8_t hang(struct agent_call *call)
{
    (void)call;
    AGENT_MEASURE(for (;;) __asm__ __volatile__(""));
    return 0;
}

AGENT_OPERATIONS(AGENT_OPERATION(HANG, "hang", hang))
