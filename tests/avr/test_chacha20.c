/* The ChaCha20 block function. */
/* sources: chacha20 */
#include "kernel.h"

#include "selo/chacha20/chacha20.h"

KERNEL_BUFFER(state, 64);
KERNEL_BUFFER(stream, 64);

static void block(void)
{
    kernel_fill(state.data, 64);
    KERNEL_CALL(selo_chacha20_block, (uint32_t *)(void *)stream.data,
                (const uint32_t *)(const void *)state.data);
}

int main(void)
{
    KERNEL_GUARD(state);
    KERNEL_GUARD(stream);
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        block();
        kernel_fold(stream.data, 64);
        if (i % 16 == 0)
            kernel_fold(state.data, 64);
    }
    kernel_series("chacha20-block", KERNEL_CASES);
    kernel_time_begin();
    for (uint16_t i = 0; i < KERNEL_TIMED; i++)
        block();
    kernel_time_end("chacha20-block");
    kernel_end();
    return 0;
}
