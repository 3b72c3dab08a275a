/* The compression function of SHA-256. */
/* sources: sha2 */
/* settings: -DSELO_SHA256_SMALL=1 */
#include "kernel.h"

#include "selo/sha2/sha2.h"

KERNEL_BUFFER(state, 32);
KERNEL_BUFFER(block, 64);

static void compress(void)
{
    kernel_fill(block.data, 64);
    KERNEL_CALL(selo_sha256_compress, (uint32_t *)(void *)state.data, (uint32_t *)(void *)block.data);
}

int main(void)
{
    KERNEL_GUARD(state);
    KERNEL_GUARD(block);
    /* Every eighth state is new. The others are outputs of the function. */
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        if (i % 8 == 0)
            kernel_fill(state.data, 32);
        compress();
        kernel_fold(state.data, 32);
    }
    kernel_series("sha256-compress", KERNEL_CASES);
    kernel_time_begin();
    for (uint8_t i = 0; i < KERNEL_TIMED; i++) {
        kernel_fill(state.data, 32);
        compress();
    }
    kernel_time_end("sha256-compress");
    kernel_end();
    return 0;
}
