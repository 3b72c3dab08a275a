/* The kernels of AES without tables: key schedules, and one block and two in both directions. */
/* sources: aes */
/* host: -DSELO_AES_WIDE=0 -DSELO_AES_TABLES=0 */
#include "aes_examples.h"
#include "kernel.h"

#include <string.h>

#include "selo/aes/aes.h"

KERNEL_BUFFER(raw, 32);
KERNEL_BUFFER(round_keys, 243);
KERNEL_BUFFER(in, 36);
KERNEL_BUFFER(out, 36);

/* "aes128" and so on. */
static const char *named(uint8_t key_size, const char *rest)
{
    static char text[24] = "aes";
    memcpy(text + 3, key_size == 16 ? "128" : key_size == 24 ? "192" : "256", 3);
    strcpy(text + 6, rest);
    return text;
}

typedef void block_function(const uint8_t *round_keys, uint8_t *out, const uint8_t *in,
                            uint8_t rounds);

static const struct {
    const char *name;
    block_function *function;
    uint8_t size;
} functions[] = {
    {"-encrypt", (block_function *)selo_aes_fast_encrypt, 16},
    {"-decrypt", (block_function *)selo_aes_fast_decrypt, 16},
    {"-encrypt-two", (block_function *)selo_aes_sliced_encrypt_two, 32},
    {"-decrypt-two", (block_function *)selo_aes_sliced_decrypt_two, 32},
};

static void setup(uint8_t key_size)
{
    kernel_fill(raw.data, key_size);
    KERNEL_CALL(selo_aes_sliced_setup, round_keys.data, raw.data, key_size);
}

static void schedules(uint8_t key_size)
{
    for (uint16_t i = 0; i < KERNEL_CASES / 4; i++) {
        setup(key_size);
        kernel_fold(round_keys.data, (size_t)(4 * key_size + 112));
    }
    kernel_fold(raw.data, key_size);
    kernel_series(named(key_size, "-setup"), KERNEL_CASES / 4);
    kernel_time_begin();
    for (uint16_t i = 0; i < KERNEL_TIMED; i++)
        setup(key_size);
    kernel_time_end(named(key_size, "-setup"));
}

/* Round keys at other addresses. */
static void unaligned(uint8_t key_size)
{
    const uint8_t rounds = (uint8_t)(key_size / 4 + 6);

    for (uint8_t i = 0; i < 12; i++) {
        uint8_t *const keys = round_keys.data + i % 4;
        kernel_fill(raw.data, key_size);
        kernel_fill(round_keys.data, 243);
        KERNEL_CALL(selo_aes_sliced_setup, keys, raw.data, key_size);
        kernel_fold(round_keys.data, 243);
        kernel_fill(in.data, 36);
        KERNEL_CALL(selo_aes_sliced_encrypt_two, keys, out.data, in.data, rounds);
        KERNEL_CALL(selo_aes_fast_decrypt, keys, out.data, out.data, rounds);
        kernel_fold(out.data, 36);
    }
    kernel_series(named(key_size, "-unaligned"), 12);
}

/* Random keys and blocks, from and to any alignment, and in place. */
static void blocks(uint8_t key_size, uint8_t which)
{
    const uint8_t size = functions[which].size, rounds = (uint8_t)(key_size / 4 + 6);
    block_function *const function = functions[which].function;

    for (uint16_t i = 0; i < KERNEL_CASES / 4; i++) {
        if (i % 8 == 0)
            setup(key_size);
        kernel_fill(in.data, 36);
        KERNEL_CALL(function, round_keys.data, out.data + i / 4 % 4, in.data + i % 4, rounds);
        kernel_fold(out.data, 36);
        kernel_fold(in.data, 36);
        if (i % 4 == 0) {
            KERNEL_CALL(function, round_keys.data, in.data, in.data, rounds);
            kernel_fold(in.data, 36);
            kernel_fold(round_keys.data, (size_t)(16 * rounds + 16));
        }
    }
    kernel_fold(out.data + size, (size_t)(36 - size));
    kernel_series(named(key_size, functions[which].name), KERNEL_CASES / 4);
    kernel_time_begin();
    for (uint16_t i = 0; i < KERNEL_TIMED; i++) {
        kernel_fill(round_keys.data, 240);
        kernel_fill(in.data, 32);
        KERNEL_CALL(function, round_keys.data, out.data, in.data, rounds);
    }
    kernel_time_end(named(key_size, functions[which].name));
}

/* [FIPS197, C]: the keys 00 01 02 ..., the plaintext 00 11 22 .... */
static void vectors(void)
{
    for (uint8_t i = 0; i < 32; i++) {
        raw.data[i] = i;
    }
    for (uint8_t which = 0; which < 3; which++) {
        const uint8_t key_size = (uint8_t)(16 + 8 * which), rounds = (uint8_t)(10 + 2 * which);
        uint8_t wrong = 0;
        for (uint8_t i = 0; i < 16; i++) {
            in.data[i] = (uint8_t)(0x11 * i);
            in.data[16 + i] = (uint8_t)(0x11 * i);
        }
        KERNEL_CALL(selo_aes_sliced_setup, round_keys.data, raw.data, key_size);
        KERNEL_CALL(selo_aes_sliced_encrypt_two, round_keys.data, out.data, in.data, rounds);
        wrong |= memcmp(out.data, aes_examples[which], 16) != 0;
        wrong |= memcmp(out.data + 16, aes_examples[which], 16) != 0;
        KERNEL_CALL(selo_aes_fast_decrypt, round_keys.data, out.data, out.data, rounds);
        wrong |= memcmp(out.data, in.data, 16) != 0;
        kernel_fold(&wrong, 1);
        kernel_series(named(key_size, wrong ? "-vector-WRONG" : "-vector"), 1);
    }
}

int main(void)
{
    KERNEL_GUARD(raw);
    KERNEL_GUARD(round_keys);
    KERNEL_GUARD(in);
    KERNEL_GUARD(out);
    vectors();
    for (uint8_t key_size = 16; key_size <= 32; key_size = (uint8_t)(key_size + 8)) {
        schedules(key_size);
        unaligned(key_size);
        for (uint8_t which = 0; which < 4; which++)
            blocks(key_size, which);
    }
    kernel_end();
    return 0;
}
