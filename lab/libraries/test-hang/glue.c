/* Never ends or, with ENDS, ends the program. */
#include "agent.h"

#include <stdlib.h>

static uint8_t hang(struct agent_call *call)
{
    (void)call;
#ifdef ENDS
    AGENT_MEASURE(exit(1));
#else
    AGENT_MEASURE(for (;;) __asm__ __volatile__("nop"));
#endif
    return 0;
}

AGENT_OPERATIONS(AGENT_OPERATION(HANG, "hang", hang))
