/*
 * The program around a library whose flash and RAM are measured. It is built
 * once with no operation kept (the baseline) and once with the operations of
 * interest; the growth is what the library, its context and passing its
 * arguments cost. Nothing here is ever run.
 *
 * The buffers and their sizes are the same in both, and volatile pointers keep
 * the compiler from knowing what they hold.
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
