/* The compression function of BLAKE2s. */
/* sources: blake2s */
#include "kernel.h"

#include "selo/blake2s/blake2s.h"

KERNEL_BUFFER(state, 32);
KERNEL_BUFFER(block, 64 + 3);

static void compress(uint8_t offset)
{
    uint32_t tail[2]; /* size and last */
    uint8_t *const message = block.data + offset;
    kernel_fill(state.data, 32);
    kernel_fill(message, 64);
    kernel_fill(tail, 8);
#ifdef __AVR__ /* a word is two arguments of kernel_call */
    KERNEL_CALL(selo_blake2s_compress, state.data, message, (uint16_t)(tail[0] >> 16),
                (uint16_t)tail[0], (uint16_t)(tail[1] >> 16), (uint16_t)tail[1]);
#else
    KERNEL_CALL(selo_blake2s_compress, (uint32_t *)(void *)state.data, message, tail[0], tail[1]);
#endif
}

int main(void)
{
    KERNEL_GUARD(state);
    KERNEL_GUARD(block);
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        compress(0);
        kernel_fold(state.data, 32);
        if (i % 16 == 0)
            kernel_fold(block.data, 64);
    }
    kernel_series("blake2s-compress", KERNEL_CASES);
    for (uint16_t i = 0; i < KERNEL_CASES / 8; i++) { /* a message has no alignment */
        compress((uint8_t)(1 + i % 3));
        kernel_fold(state.data, 32);
    }
    kernel_series("blake2s-compress-unaligned", KERNEL_CASES / 8);
    kernel_time_begin();
    for (uint16_t i = 0; i < KERNEL_TIMED; i++)
        compress(0);
    kernel_time_end("blake2s-compress");
    kernel_end();
    return 0;
}
