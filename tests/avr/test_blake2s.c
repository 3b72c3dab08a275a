/* The compression function of BLAKE2s. */
/* sources: blake2s */
#include "kernel.h"

#include "selo/blake2s/blake2s.h"

KERNEL_BUFFER(state, 32);
KERNEL_BUFFER(block, 64);

static void compress(void)
{
    uint32_t tail[2]; /* size and last */
    kernel_fill(state.data, 32);
    kernel_fill(block.data, 64);
    kernel_fill(tail, 8);
#ifdef __AVR__ /* a word is two arguments of kernel_call */
    KERNEL_CALL(selo_blake2s_compress, state.data, block.data, (uint16_t)(tail[0] >> 16),
                (uint16_t)tail[0], (uint16_t)(tail[1] >> 16), (uint16_t)tail[1]);
#else
    KERNEL_CALL(selo_blake2s_compress, (uint32_t *)(void *)state.data, block.data, tail[0], tail[1]);
#endif
}

int main(void)
{
    KERNEL_GUARD(state);
    KERNEL_GUARD(block);
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        compress();
        kernel_fold(state.data, 32);
        if (i % 16 == 0)
            kernel_fold(block.data, 64);
    }
    kernel_series("blake2s-compress", KERNEL_CASES);
    kernel_time_begin();
    for (uint16_t i = 0; i < KERNEL_TIMED; i++)
        compress();
    kernel_time_end("blake2s-compress");
    kernel_end();
    return 0;
}
