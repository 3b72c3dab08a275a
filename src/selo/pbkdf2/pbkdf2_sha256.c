/* PBKDF2 with HMAC-SHA-256 [RFC8018, 5.2]. */
#include <string.h>

#include "../../selo.h"
#include "../common/compiler.h"

/* The hash values of HMAC after the blocks of its keys [FIPS198-1, 4], so that an iteration compresses
 * two blocks. */
struct keyed { uint32_t inner[8], outer[8]; };

static void begin(struct selo_sha256 *hash, const uint32_t state[8])
{
    memcpy(hash->state, state, sizeof hash->state);
    hash->size = 64;
}

/* Ends the message of *hash, which began with keyed->inner. */
static void finish(const struct keyed *keyed, struct selo_sha256 *hash, uint8_t tag[32])
{
    selo_sha256_finish(hash, tag);
    begin(hash, keyed->outer);
    selo_sha256_update(hash, tag, 32);
    selo_sha256_finish(hash, tag);
}

/* Apart, as make_block, so that the stack has the state of one of them. */
static SELO_STACK_APART void start(struct keyed *keyed, const uint8_t *password, size_t size)
{
    struct selo_hmac_sha256 mac;

    selo_hmac_sha256_start(&mac, password, size);
    memcpy(keyed->inner, mac.hash.state, sizeof keyed->inner);
    selo_sha256_start(&mac.hash);
    selo_sha256_update(&mac.hash, mac.outer_key, sizeof mac.outer_key);
    memcpy(keyed->outer, mac.hash.state, sizeof keyed->outer);
    selo_wipe(&mac, sizeof mac);
}

/* block = T of the number [RFC8018, 5.2]. */
static SELO_STACK_APART void make_block(uint8_t block[32], const struct keyed *keyed,
                                        const uint8_t *salt, size_t salt_size,
                                        const uint8_t number[4], uint32_t iterations)
{
    struct selo_sha256 hash;
    uint8_t last[32];

    begin(&hash, keyed->inner);
    selo_sha256_update(&hash, salt, salt_size);
    selo_sha256_update(&hash, number, 4);
    finish(keyed, &hash, last);
    memcpy(block, last, 32);
    while (--iterations != 0) {
        begin(&hash, keyed->inner);
        selo_sha256_update(&hash, last, 32);
        finish(keyed, &hash, last);
        for (uint8_t i = 0; i < 32; i++) {
            block[i] ^= last[i];
        }
    }
    selo_wipe(last, sizeof last);
}

enum selo_status selo_pbkdf2_sha256(uint8_t *out, size_t out_size, const uint8_t *password,
                                    size_t password_size, const uint8_t *salt, size_t salt_size,
                                    uint32_t iterations)
{
    struct keyed keyed;
    uint8_t block[32], number[4] = {0};

    if (iterations == 0) {
        selo_wipe(out, out_size);
        return SELO_ERROR_ARGUMENT;
    }
    start(&keyed, password, password_size);
    while (out_size != 0) {
        const uint8_t part = (uint8_t)(out_size < 32 ? out_size : 32);
        for (uint8_t i = 4; i-- != 0 && ++number[i] == 0;) {
        }
        make_block(block, &keyed, salt, salt_size, number, iterations);
        memcpy(out, block, part);
        out += part;
        out_size -= part;
    }
    selo_wipe(&keyed, sizeof keyed);
    selo_wipe(block, sizeof block);
    return SELO_OK;
}
