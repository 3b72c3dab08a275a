/*
 * HKDF as Noise uses it: a salt of 32 bytes, no info, one to three outputs of 32 bytes [NOISE, 4.3]
 * [RFC5869].
 *
 * Its HMAC [FIPS198-1, 4] is not that of selo.h. All keys have 32 bytes here, so the padded key is
 * computed twice instead of being kept. This saves up to 136 bytes of stack at the deepest point
 * of a join.
 */
#include "../common/compiler.h"
#include "suite.h"

/* The key, padded with zeros to the hash's block, each byte XOR pad. */
static void update_padded(struct selo_suite_hash *hash, const uint8_t key[32], uint8_t pad)
{
    for (uint8_t i = 0; i < SELO_SUITE_BLOCK; i++) {
        uint8_t byte = i < 32 ? key[i] ^ pad : pad;
        selo_suite_update(hash, &byte, 1);
    }
}

/* tag = HMAC(key, data || count), or HMAC(key, data) if count is 0. tag may be data. */
static SELO_STACK_APART void hmac(uint8_t tag[32], const uint8_t key[32], const void *data,
                                  uint8_t size, uint8_t count)
{
    struct selo_suite_hash hash;

    selo_suite_start(&hash);
    update_padded(&hash, key, 0x36);
    selo_suite_update(&hash, data, size);
    selo_suite_update(&hash, &count, count != 0);
    selo_suite_finish(&hash, tag);
    selo_suite_start(&hash);
    update_padded(&hash, key, 0x5c);
    selo_suite_update(&hash, tag, 32);
    selo_suite_finish(&hash, tag);
}

SELO_STACK_APART void selo_suite_hkdf(uint8_t ck[32], const void *ikm, uint8_t ikm_size,
                                      uint8_t *second, uint8_t *third)
{
    uint8_t key[32];

    hmac(key, ck, ikm, ikm_size, 0);
    hmac(ck, key, ck, 0, 1);
    if (second) {
        hmac(second, key, ck, 32, 2);
    }
    if (third) {
        hmac(third, key, second, 32, 3);
    }
    selo_wipe(key, sizeof key);
}
