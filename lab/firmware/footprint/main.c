/*
 * The program that measures the flash and RAM of a library. It is built once without the library
 * (the baseline, with nothing.c in the place of the glue) and once with the operations of interest.
 * The growth is the cost of the library, its context and passing its arguments. The program is never
 * run.
 *
 * The buffers and their sizes are the same in both builds. Volatile pointers hide their contents from
 * the compiler.
 */
#include "agent.h"

#if !AGENT_FOOTPRINT
#error "build with -DAGENT_FOOTPRINT=1"
#endif

static uint8_t input[AGENT_IO_BYTES], output[AGENT_IO_BYTES];
static uint8_t *volatile input_pointer = input;
static uint8_t *volatile output_pointer = output;
static volatile uint16_t input_size;
volatile uint8_t footprint_status;

int main(void)
{
    struct agent_call call;
    for (uint8_t i = 0; i < AGENT_FIELDS; i++) {
        call.in[i].data = input_pointer;
        call.in[i].size = input_size;
    }
    call.out = output_pointer;
    call.out_size = 0;
    footprint_run(&call);
    footprint_status = (uint8_t)(call.out_size ^ call.out[0]);
    return 0;
}
