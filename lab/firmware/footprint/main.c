/*
 * The program that measures the flash and RAM of a library. It is built once without the library
 * (the baseline, with nothing.c in the place of the glue) and once with the operations of interest.
 * The growth is the cost of the library, its context and passing its arguments. The program is never
 * run.
 *
 * The same program by itself, with buffers of FOOTPRINT_BYTES, is weighed as a user's whole program.
 *
 * The buffers and their sizes are the same in both builds. Volatile pointers hide their contents from
 * the compiler.
 */
#include "agent.h"

#if !AGENT_FOOTPRINT
#error "build with -DAGENT_FOOTPRINT=1"
#endif

#ifndef FOOTPRINT_BYTES
#define FOOTPRINT_BYTES AGENT_IO_BYTES
#endif
static uint8_t input[FOOTPRINT_BYTES], output[FOOTPRINT_BYTES];
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
