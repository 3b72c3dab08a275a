/*
 * The place of a library's glue in the footprint program without a library (main.c).
 */
#include "agent.h"

void footprint_run(struct agent_call *call)
{
    (void)call;
}
