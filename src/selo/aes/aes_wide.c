/*
 * AES for CPUs with words of 64 bits: the choice of a form, and the variants small and tiny. They
 * save no stack here. The whole key schedule is computed for each block.
 */
#include "aes_wide.h"

#if SELO_AES_WIDE

#if SELO_ARM_AES
#define FORM(function) selo_aes_##function##_arm
#elif SELO_NEON
#define FORM(function) selo_aes_##function##_neon
#elif SELO_X86
#define FORM(function) (SELO_CPU_HAS("aes") ? selo_aes_##function##_x86 : selo_aes_##function##_sliced)
#else
#define FORM(function) selo_aes_##function##_sliced
#endif

enum { MOST_WORDS = 4 * 15 + 8 };

static void setup(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size, uint8_t words)
{
    FORM(setup)(round_keys, raw, key_size, words);
}

void selo_aes_wide_setup(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size)
{
    setup(round_keys, raw, key_size, (uint8_t)(key_size + 28));
}

void selo_aes_wide_encrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds)
{
    FORM(encrypt)(round_keys, out, in, rounds);
}

void selo_aes_wide_decrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds)
{
    FORM(decrypt)(round_keys, out, in, rounds);
}

void selo_aes_wide_small_setup(uint8_t *first, uint8_t *last, const uint8_t *raw,
                               uint8_t key_size)
{
    const uint8_t nk = key_size / 4, end = (uint8_t)(key_size + 28);
    uint8_t schedule[4 * MOST_WORDS];

    setup(schedule, raw, key_size, (uint8_t)(end + nk));
    memcpy(first, schedule, key_size);
    for (uint8_t i = end; i < end + nk; i++) {
        memcpy(last + 4 * (i % nk), schedule + 4 * i, 4);
    }
    selo_wipe(schedule, sizeof schedule);
}

void selo_aes_wide_encrypt_with_key(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
                                    uint8_t key_size)
{
    uint8_t schedule[16 * 15];

    selo_aes_wide_setup(schedule, key, key_size);
    selo_aes_wide_encrypt(schedule, out, in, (uint8_t)(key_size / 4 + 6));
    selo_wipe(schedule, sizeof schedule);
}

void selo_aes_wide_decrypt_with_key(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
                                    uint8_t key_size)
{
    uint8_t schedule[16 * 15];

    selo_aes_wide_setup(schedule, key, key_size);
    selo_aes_wide_decrypt(schedule, out, in, (uint8_t)(key_size / 4 + 6));
    selo_wipe(schedule, sizeof schedule);
}

#endif
