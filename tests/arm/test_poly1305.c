/* Poly1305: the block step, and messages in several blocks. */
/* sources: poly1305 */
#include "kernel.h"

#include <string.h>

#include "selo/poly1305/poly1305.h"

enum { SIZE = 256 };

KERNEL_BUFFER(mac, sizeof(struct selo_poly1305));
KERNEL_BUFFER(block, 20);
KERNEL_BUFFER(message, SIZE + 4);

static uint8_t key[32];

static struct selo_poly1305 *state(void)
{
    return (struct selo_poly1305 *)(void *)mac.data;
}

static void fold_tag(void)
{
    uint8_t tag[16];
    selo_poly1305_finish(state(), tag);
    kernel_fold(tag, 16);
}

/* The form of the sum differs between kernels and C; only the tag is the same. */
static void steps(void)
{
    for (uint16_t i = 0; i < KERNEL_CASES / 8; i++) {
        kernel_fill(key, sizeof key);
        if (i % 4 == 0) { /* the largest multiplier */
            memset(key, 0xff, 16);
        }
        selo_poly1305_start(state(), key);
        for (uint8_t j = 0; j < 8; j++) {
            uint8_t *const at = block.data + j % 4;
            kernel_fill(at, 16);
            if (i % 8 == 0 && j == 0) { /* with that multiplier the largest products */
                memset(at, 0xff, 16);
            }
            at[16] = j % 3 != 0;
            KERNEL_CALL(selo_poly1305_block, state(), at);
        }
        kernel_fold(block.data, 20);
        fold_tag();
    }
    kernel_series("poly1305-block", KERNEL_CASES);
}

static void messages(void)
{
    for (uint16_t size = 0; size <= SIZE; size++) {
        const uint8_t *const at = message.data + size % 4;
        kernel_fill(key, sizeof key);
        kernel_fill(message.data, SIZE + 4);
        selo_poly1305_start(state(), key);
        KERNEL_CALL(selo_poly1305_padded, state(), at, size);
        kernel_fold(message.data, SIZE + 4);
        KERNEL_CALL(selo_poly1305_padded, state(), at, size / 2);
        fold_tag();
    }
    kernel_series("poly1305-padded", SIZE + 1);
}

/* Sums at the edges of p = 2^130 - 5: the multiplier is 1, and blocks of -1, -5 and others. Three blocks
 * of 2^128 follow, so that a carry that is lost on top shows. */
static void edges(void)
{
    static const uint8_t lowest[] = {0, 1, 4, 5, 0xfa, 0xfb, 0xfc, 0xff};
    for (uint16_t i = 0; i < 8 * 8 * 8; i++) {
        memset(key, 0, sizeof key);
        key[0] = 1;
        selo_poly1305_start(state(), key);
        for (uint16_t j = 0, rest = i; j < 6; j++, rest /= 8) {
            memset(block.data, lowest[rest % 8] < 8 ? 0 : 0xff, 16);
            block.data[0] = lowest[rest % 8];
            block.data[16] = j != 0;
            KERNEL_CALL(selo_poly1305_block, state(), block.data);
        }
        fold_tag();
    }
    kernel_series("poly1305-edges", 8 * 8 * 8);
}

int main(void)
{
    KERNEL_GUARD(mac);
    KERNEL_GUARD(block);
    KERNEL_GUARD(message);
    steps();
    messages();
    edges();
    kernel_fill(key, sizeof key);
    selo_poly1305_start(state(), key);
    kernel_time_begin();
    for (uint16_t i = 0; i < KERNEL_TIMED; i++) {
        kernel_fill(block.data, 16);
        block.data[16] = 1;
        KERNEL_CALL(selo_poly1305_block, state(), block.data);
    }
    kernel_time_end("poly1305-block");
    kernel_end();
    return 0;
}
