/* AES in modes that take two blocks at a time. No kernel; the time of the modes with the kernels. */
/* sources: aes mode */
/* figures: messages */
/* host: -DSELO_WIDE=0 */
#include "kernel.h"

#include <string.h>

#include "selo_unauthenticated.h"

enum { SIZE = 256 };

KERNEL_BUFFER(key, sizeof(struct selo_aes128_fast));
KERNEL_BUFFER(in, SIZE + 16);
KERNEL_BUFFER(out, SIZE + 16);
KERNEL_BUFFER(counter, 16);
KERNEL_BUFFER(nonce, 12);
KERNEL_BUFFER(tag, 16);

static struct selo_aes128_fast *aes(void)
{
    return (struct selo_aes128_fast *)(void *)key.data;
}

static void ctr(uint8_t *to, const uint8_t *from, kernel_word size)
{
    selo_ctr(selo_aes128_fast_cipher(aes()), counter.data, to, from, size);
}

static void cbc_decrypt(uint8_t *to, const uint8_t *from, kernel_word size)
{
    size_t plain_size;
    (void)selo_cbc_decrypt(selo_aes128_fast_inverse(aes()), to, SIZE, &plain_size, from, size);
}

static void ccm_seal(uint8_t *to, const uint8_t *from, kernel_word size)
{
    const struct selo_header header = {nonce.data, 12, NULL, 0, 16};
    (void)selo_ccm_seal(selo_aes128_fast_cipher(aes()), &header, to, from, size, tag.data);
}

static void gcm_seal(uint8_t *to, const uint8_t *from, kernel_word size)
{
    const struct selo_header header = {nonce.data, 12, NULL, 0, 16};
    (void)selo_gcm_seal(selo_aes128_fast_cipher(aes()), &header, to, from, size, tag.data);
}

typedef void mode(uint8_t *to, const uint8_t *from, kernel_word size);
static const struct {
    const char *name;
    mode *function;
    uint8_t blocks;
} modes[] = {
    {"aes128-ctr-256", ctr, 0},
    {"aes128-cbc-decrypt-256", cbc_decrypt, 1},
    {"aes128-ccm-seal-256", ccm_seal, 0},
    {"aes128-gcm-seal-256", gcm_seal, 0},
};

static void fill(void)
{
    kernel_fill(counter.data, 16);
    kernel_fill(nonce.data, 12);
    kernel_fill(in.data, SIZE + 16);
}

/* Ends in valid padding, so that the result is not wiped. */
static void pad(void)
{
    uint8_t iv[16], block[16];
    memcpy(iv, in.data + SIZE - 16, 16);
    memset(block, 16, 16);
    for (uint8_t i = 0; i < 16; i++)
        block[i] ^= iv[i];
    selo_aes128_fast_encrypt(aes(), in.data + SIZE, block);
}

int main(void)
{
    KERNEL_GUARD(key);
    KERNEL_GUARD(in);
    KERNEL_GUARD(out);
    KERNEL_GUARD(counter);
    KERNEL_GUARD(nonce);
    KERNEL_GUARD(tag);
    kernel_fill(nonce.data, 12);
    selo_aes128_fast_setup(aes(), in.data);
    for (uint8_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        const kernel_word whole = SIZE + (modes[i].blocks ? 16 : 0);
        for (kernel_word size = 0; size <= SIZE; size += modes[i].blocks ? 16 : 5) {
            fill();
            memset(out.data, 0, SIZE);
            KERNEL_CALL(modes[i].function, out.data, in.data, size);
            kernel_fold(out.data, SIZE);
            kernel_fold(counter.data, 16);
            kernel_fold(tag.data, 16);
        }
        kernel_series(modes[i].name, SIZE);
        kernel_time_begin();
        for (uint8_t j = 0; j < 20; j++) {
            fill();
            if (modes[i].blocks)
                pad();
            KERNEL_CALL(modes[i].function, out.data, in.data, whole);
            kernel_fold(out.data, SIZE);
        }
        kernel_time_end(modes[i].name);
        kernel_series("timed", 20);
    }
    kernel_end();
    return 0;
}
