/* The Speck128 kernels: blocks under ready keys and on the fly, and the schedules. */
/* sources: speck */
#include "kernel.h"

#include <string.h>

#include "selo/speck/speck.h"

KERNEL_BUFFER(round_keys, 34 * 8);
KERNEL_BUFFER(in, 16);
KERNEL_BUFFER(out, 16);
KERNEL_BUFFER(material, 32);

/* Of each size of key. */
enum { CASES = KERNEL_CASES / 3 + 1 };

typedef void block_function(const uint8_t *key, uint8_t out[16], const uint8_t in[16], uint8_t size);

/* Tests blocks by the two functions under `key`; `size` is their further argument. */
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
        if (i % 16 == 0) { /* in place, and with unchanged inputs */
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
        uint8_t words = (uint8_t)(2 + i % 3);
        kernel_fill(material.data, sizeof material.data);
        memcpy(round_keys.data, material.data, 8);
        memcpy(round_keys.data + SPECK_EXPAND_L, material.data + 8, 24);
        KERNEL_CALL(selo_speck_run_schedule, material.data, words);
        kernel_fold(material.data, sizeof material.data);
        KERNEL_CALL(selo_speck_expand, round_keys.data, words);
        kernel_fold(round_keys.data, sizeof round_keys.data);
    }
    kernel_series("speck-schedules", KERNEL_CASES);
}

/* No word l stays on the stack, neither of the first material nor of the last. */
static void wiped(void)
{
    uint8_t last[32], left = 0;

    for (uint8_t i = 0; i < 30; i++) {
        uint8_t words = (uint8_t)(2 + i % 3), size = (uint8_t)(8 * words);
        for (uint8_t n = 0; n < size; n++)
            material.data[n] = (uint8_t)(i * 37 + n * 101 + 1);
        memcpy(last, material.data, sizeof last);
        selo_speck_run_schedule(last, words);
        KERNEL_CALL(selo_speck_encrypt_on_the_fly, material.data, out.data, in.data, words);
        left |= kernel_left(last + 8, size - 8);
        KERNEL_CALL(selo_speck_decrypt_on_the_fly, last, out.data, in.data, words);
        left |= kernel_left(material.data + 8, size - 8);
    }
    kernel_fold(&left, 1);
    kernel_series("speck-wiped", 30);
}

/* Not inlined, because the arguments of a call stay on the stack until its function returns. */
static void time_blocks(void)
{
    static const struct {
        const char *name;
        selo_block_fn *function;
    } what[] = {
        {"speck128-fast-encrypt", selo_speck128_fast_encrypt},
        {"speck128-fast-decrypt", selo_speck128_fast_decrypt},
        {"speck256-fast-encrypt", selo_speck256_fast_encrypt},
        {"speck128-tiny-encrypt", selo_speck128_tiny_encrypt},
        {"speck192-tiny-encrypt", selo_speck192_tiny_encrypt},
        {"speck256-tiny-encrypt", selo_speck256_tiny_encrypt},
        {"speck128-small-decrypt", selo_speck128_small_decrypt},
        {"speck192-small-decrypt", selo_speck192_small_decrypt},
        {"speck256-small-decrypt", selo_speck256_small_decrypt},
    };

    for (uint8_t n = 0; n < sizeof what / sizeof what[0]; n++) {
        kernel_time_begin();
        for (uint8_t i = 0; i < KERNEL_TIMED; i++) {
            kernel_fill(round_keys.data, sizeof round_keys.data);
            kernel_fill(in.data, 16);
            KERNEL_CALL(what[n].function, round_keys.data, out.data, in.data);
        }
        kernel_time_end(what[n].name);
    }
}

static void time_expand(const char *name, uint8_t words)
{
    kernel_time_begin();
    for (uint8_t i = 0; i < KERNEL_TIMED; i++) {
        kernel_fill(round_keys.data, sizeof round_keys.data);
        KERNEL_CALL(selo_speck_expand, round_keys.data, words);
    }
    kernel_time_end(name);
}

static void time_run_schedule(const char *name, uint8_t words)
{
    kernel_time_begin();
    for (uint8_t i = 0; i < KERNEL_TIMED; i++) {
        kernel_fill(material.data, sizeof material.data);
        KERNEL_CALL(selo_speck_run_schedule, material.data, words);
    }
    kernel_time_end(name);
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
    wiped();
    time_blocks();
    time_expand("speck128-expand", 2);
    time_expand("speck256-expand", 4);
    time_run_schedule("speck128-run-schedule", 2);
    time_run_schedule("speck256-run-schedule", 4);
    kernel_end();
    return 0;
}
