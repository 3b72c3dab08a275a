/* Ascon-AEAD128. No kernel but the permutation; the time of a message with it. */
/* sources: ascon */
/* figures: messages */
#include "kernel.h"

#include <string.h>

#include "selo.h"

enum { SIZE = 256 };

KERNEL_BUFFER(key, 16);
KERNEL_BUFFER(nonce, 16);
KERNEL_BUFFER(in, SIZE);
KERNEL_BUFFER(out, SIZE);
KERNEL_BUFFER(tag, 16);

static void seal(uint8_t *to, const uint8_t *from, kernel_word size, kernel_word ad_size)
{
    struct selo_ascon_aead128_key aead;
    const struct selo_header header = {nonce.data, 16, in.data, ad_size, 16};
    selo_ascon_aead128_setup(&aead, key.data);
    (void)selo_ascon_aead128_seal(&aead, &header, to, from, size, tag.data);
}

static uint8_t opened;

static void open(uint8_t *to, const uint8_t *from, kernel_word size, kernel_word ad_size)
{
    struct selo_ascon_aead128_key aead;
    const struct selo_header header = {nonce.data, 16, in.data, ad_size, 16};
    selo_ascon_aead128_setup(&aead, key.data);
    opened = selo_ascon_aead128_open(&aead, &header, to, from, size, tag.data) == SELO_OK;
}

static void fill(void)
{
    kernel_fill(key.data, 16);
    kernel_fill(nonce.data, 16);
    kernel_fill(in.data, SIZE);
}

static void time(const char *name, kernel_word size)
{
    kernel_time_begin();
    for (uint8_t i = 0; i < 20; i++) {
        fill();
        KERNEL_CALL(seal, out.data, in.data, size, 0);
    }
    kernel_time_end(name);
}

int main(void)
{
    KERNEL_GUARD(key);
    KERNEL_GUARD(nonce);
    KERNEL_GUARD(in);
    KERNEL_GUARD(out);
    KERNEL_GUARD(tag);
    for (uint16_t i = 0; i < SIZE; i++) {
        fill();
        memset(out.data, 0, SIZE);
        KERNEL_CALL(seal, out.data, in.data, i, i % 40);
        kernel_fold(out.data, SIZE);
        kernel_fold(tag.data, 16);
        KERNEL_CALL(open, out.data, out.data, i, i % 40);
        kernel_fold(&opened, 1);
        kernel_fold(out.data, SIZE);
        tag.data[i % 16] ^= 1;
        KERNEL_CALL(open, out.data, out.data, i, i % 40);
        kernel_fold(&opened, 1);
    }
    kernel_series("ascon-aead128", SIZE);
    time("ascon-seal-128", 128);
    time("ascon-seal-256", 256);
    kernel_end();
    return 0;
}
