/* The Speck128 kernels: blocks under ready keys and on the fly, and the schedule. */
/* sources: speck */
#include "kernel.h"

#include "selo/speck/speck.h"

KERNEL_BUFFER(round_keys, 34 * 8);
KERNEL_BUFFER(in, 16);
KERNEL_BUFFER(out, 16);
KERNEL_BUFFER(material, 32);

/* Of each size of key. */
enum { CASES = KERNEL_CASES / 3 + 1 };

typedef void block_function(const uint8_t *key, uint8_t out[16], const uint8_t in[16], uint8_t size);

/* Blocks by the two functions under `key`; `size` is what they take beside it. */
static void blocks(const char *name, block_function *encrypt, block_function *decrypt, uint8_t *key,
                   uint16_t key_bytes, uint8_t size)
{
    for (uint16_t i = 0; i < CASES; i++) {
        kernel_fill(in.data, 16);
        if (i % 8 == 0)
            kernel_fill(key, key_bytes);
        KERNEL_CALL(encrypt, key, out.data, in.data, size);
        kernel_fold(out.data, 16);
        KERNEL_CALL(decrypt, key, out.data, in.data, size);
        kernel_fold(out.data, 16);
        if (i % 16 == 0) { /* in place, and the inputs as they were */
            kernel_fold(in.data, 16);
            KERNEL_CALL(encrypt, key, in.data, in.data, size);
            kernel_fold(in.data, 16);
            KERNEL_CALL(decrypt, key, in.data, in.data, size);
            kernel_fold(in.data, 16);
            kernel_fold(key, key_bytes);
        }
    }
    kernel_series(name, CASES);
}

static void schedules(void)
{
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        kernel_fill(material.data, 16);
        KERNEL_CALL(selo_speck_schedule, material.data, material.data + 8, i % 34);
        kernel_fold(material.data, 16);
    }
    kernel_series("speck-schedule", KERNEL_CASES);
}

/* What is timed: a function that takes a key, out and in. */
#define TIMED(name, function, key)                           \
    do {                                                     \
        kernel_time_begin();                                 \
        for (uint8_t i = 0; i < KERNEL_TIMED; i++) {         \
            kernel_fill(key.data, sizeof key.data);          \
            kernel_fill(in.data, 16);                        \
            KERNEL_CALL(function, key.data, out.data, in.data); \
        }                                                    \
        kernel_time_end(name);                               \
    } while (0)

static void time_it(void)
{
    TIMED("speck128-fast-encrypt", selo_speck128_fast_encrypt, round_keys);
    TIMED("speck128-fast-decrypt", selo_speck128_fast_decrypt, round_keys);
    TIMED("speck256-fast-encrypt", selo_speck256_fast_encrypt, round_keys);
    TIMED("speck128-tiny-encrypt", selo_speck128_tiny_encrypt, round_keys);
    TIMED("speck192-tiny-encrypt", selo_speck192_tiny_encrypt, round_keys);
    TIMED("speck256-tiny-encrypt", selo_speck256_tiny_encrypt, round_keys);
    TIMED("speck128-small-decrypt", selo_speck128_small_decrypt, round_keys);
    TIMED("speck192-small-decrypt", selo_speck192_small_decrypt, round_keys);
    TIMED("speck256-small-decrypt", selo_speck256_small_decrypt, round_keys);
}

int main(void)
{
    KERNEL_GUARD(round_keys);
    KERNEL_GUARD(in);
    KERNEL_GUARD(out);
    KERNEL_GUARD(material);
    blocks("speck128-rounds", selo_speck_encrypt_rounds, selo_speck_decrypt_rounds, round_keys.data, 32 * 8, 32);
    blocks("speck192-rounds", selo_speck_encrypt_rounds, selo_speck_decrypt_rounds, round_keys.data, 33 * 8, 33);
    blocks("speck256-rounds", selo_speck_encrypt_rounds, selo_speck_decrypt_rounds, round_keys.data, 34 * 8, 34);
    for (uint8_t words = 2; words <= 4; words++) {
        static const char *const names[3] = {"speck128-on-the-fly", "speck192-on-the-fly", "speck256-on-the-fly"};
        blocks(names[words - 2], selo_speck_encrypt_on_the_fly, selo_speck_decrypt_on_the_fly, material.data,
               (uint16_t)(8 * words), words);
    }
    schedules();
    time_it();
    kernel_end();
    return 0;
}
