/* The block step of Poly1305. */
/* sources: poly1305 */
#include "kernel.h"

#include <string.h>

#include "selo/poly1305/poly1305.h"

KERNEL_BUFFER(mac, sizeof(struct selo_poly1305));
KERNEL_BUFFER(block, 17);

static struct selo_poly1305 *state(void)
{
    return (struct selo_poly1305 *)(void *)mac.data;
}

static void step(void)
{
    kernel_fill(block.data, 16);
    block.data[16] = 1;
    KERNEL_CALL(selo_poly1305_block, state(), block.data);
}

int main(void)
{
    uint8_t key[32], tag[16];
    KERNEL_GUARD(mac);
    KERNEL_GUARD(block);
    /* Messages of 8 blocks. The state after a step differs between the forms of the accumulator.
     * Only the tag is the same. */
    for (uint16_t i = 0; i < KERNEL_CASES / 8; i++) {
        kernel_fill(key, sizeof key);
        if (i % 4 == 0) { /* the largest multiplier */
            memset(key, 0xff, 16);
        }
        selo_poly1305_start(state(), key);
        for (uint8_t j = 0; j < 8; j++) {
            step();
        }
        kernel_fold(block.data, 17);
        selo_poly1305_finish(state(), tag);
        kernel_fold(tag, 16);
    }
    kernel_series("poly1305-block", KERNEL_CASES);
    kernel_fill(key, sizeof key);
    selo_poly1305_start(state(), key);
    kernel_time_begin();
    for (uint16_t i = 0; i < KERNEL_TIMED; i++)
        step();
    kernel_time_end("poly1305-block");
    kernel_end();
    return 0;
}
