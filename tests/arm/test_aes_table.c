/* AES with tables: key schedules, and one block in both directions. */
/* sources: aes */
/* flags: -DSELO_AES_TABLES=1 */
/* cores: m0 m3 m4 */
#include "aes_examples.h"
#include "kernel.h"

#include <string.h>

#include "selo/aes/aes.h"

KERNEL_BUFFER(raw, 32);
KERNEL_BUFFER(round_keys, 244);
KERNEL_BUFFER(in, 20);
KERNEL_BUFFER(out, 20);

/* The key schedule for a key of this size at any alignment. */
static uint8_t *setup(uint8_t key_size, uint8_t offset)
{
    uint8_t *const keys = round_keys.data + offset;
    if (key_size == 16)
        KERNEL_CALL(selo_aes128_fast_setup, (struct selo_aes128_fast *)keys, raw.data);
    else if (key_size == 24)
        KERNEL_CALL(selo_aes192_fast_setup, (struct selo_aes192_fast *)keys, raw.data);
    else
        KERNEL_CALL(selo_aes256_fast_setup, (struct selo_aes256_fast *)keys, raw.data);
    return keys;
}

/* Random keys and blocks at each alignment, and in place. */
static void blocks(const char *name, uint8_t key_size)
{
    const uint8_t rounds = (uint8_t)(key_size / 4 + 6);
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        kernel_fill(raw.data, key_size);
        kernel_fill(in.data, 20);
        const uint8_t *const keys = setup(key_size, i & 3);
        kernel_fold(keys, (size_t)(4 * key_size + 112));
        KERNEL_CALL(selo_aes_fast_encrypt, keys, out.data + (i >> 2 & 3), in.data + (i >> 4 & 3), rounds);
        kernel_fold(out.data, 20);
        KERNEL_CALL(selo_aes_fast_decrypt, keys, out.data + (i >> 4 & 3), in.data + (i >> 2 & 3), rounds);
        kernel_fold(out.data, 20);
        KERNEL_CALL(selo_aes_fast_encrypt, keys, in.data + (i & 3), in.data + (i & 3), rounds);
        kernel_fold(in.data, 20);
        KERNEL_CALL(selo_aes_fast_decrypt, keys, in.data + (i & 3), in.data + (i & 3), rounds);
        kernel_fold(in.data, 20);
    }
    kernel_series(name, KERNEL_CASES);
}

static void measure_setup(const char *name, uint8_t key_size)
{
    kernel_time_begin();
    for (uint16_t i = 0; i < KERNEL_TIMED; i++) {
        kernel_fill(raw.data, key_size);
        setup(key_size, 0);
    }
    kernel_time_end(name);
}

typedef void block_function(const uint8_t *keys, uint8_t out[16], const uint8_t in[16],
                            uint8_t rounds);

static void measure(const char *name, block_function *function, uint8_t rounds, uint8_t offset)
{
    kernel_time_begin();
    for (uint16_t i = 0; i < KERNEL_TIMED; i++) {
        kernel_fill(round_keys.data, 240);
        kernel_fill(in.data, 20);
        KERNEL_CALL(function, round_keys.data, out.data + offset, in.data + offset, rounds);
    }
    kernel_time_end(name);
}

/* [FIPS197, C]: the keys 00 01 02 ..., the plaintext 00 11 22 .... */
static void vectors(void)
{
    uint8_t wrong = 0;
    for (uint8_t i = 0; i < 32; i++)
        raw.data[i] = i;
    for (uint8_t i = 0; i < 16; i++)
        in.data[i] = (uint8_t)(0x11 * i);
    for (uint8_t which = 0; which < 3; which++) {
        const uint8_t key_size = (uint8_t)(16 + 8 * which), rounds = (uint8_t)(10 + 2 * which);
        const uint8_t *const keys = setup(key_size, 0);
        KERNEL_CALL(selo_aes_fast_encrypt, keys, out.data, in.data, rounds);
        wrong |= memcmp(out.data, aes_examples[which], 16) != 0;
        KERNEL_CALL(selo_aes_fast_decrypt, keys, out.data, out.data, rounds);
        wrong |= memcmp(out.data, in.data, 16) != 0;
    }
    kernel_fold(&wrong, 1);
    kernel_series(wrong ? "vectors-WRONG" : "vectors", 3);
}

int main(void)
{
    KERNEL_GUARD(raw);
    KERNEL_GUARD(round_keys);
    KERNEL_GUARD(in);
    KERNEL_GUARD(out);
    vectors();
    blocks("aes128-table", 16);
    blocks("aes192-table", 24);
    blocks("aes256-table", 32);
    measure("aes128-table", selo_aes_fast_encrypt, 10, 0);
    measure("aes192-table", selo_aes_fast_encrypt, 12, 0);
    measure("aes256-table", selo_aes_fast_encrypt, 14, 0);
    measure("aes128-unaligned", selo_aes_fast_encrypt, 10, 1);
    measure("aes128-table-dec", selo_aes_fast_decrypt, 10, 0);
    measure("aes256-table-dec", selo_aes_fast_decrypt, 14, 0);
    measure_setup("aes128-table-set", 16);
    measure_setup("aes192-table-set", 24);
    measure_setup("aes256-table-set", 32);
    kernel_end();
    return 0;
}
