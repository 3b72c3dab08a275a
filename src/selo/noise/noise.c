/* The symmetric state of Noise_NNpsk0 for its initiator [NOISE, 5.2, 9]. */
#include <string.h>

#include "../common/flash.h"
#include "noise.h"
#include "suite.h"

static const uint8_t name[] SELO_FLASH = SELO_SUITE_NAME;
enum { NAME_SIZE = sizeof name - 1 };

SELO_STACK_APART void selo_noise_start(struct selo_noise *noise, const uint8_t header[5])
{
    struct selo_suite_hash hash;
    uint8_t *h = noise->h;

    if (NAME_SIZE <= 32) { /* a short name is used itself, padded with zeros */
        memset(h, 0, 32);
        for (uint8_t i = 0; i < NAME_SIZE; i++) {
            h[i] = selo_flash_u8(name + i);
        }
    } else {
        selo_suite_start(&hash);
        for (uint8_t i = 0; i < NAME_SIZE; i++) {
            uint8_t byte = selo_flash_u8(name + i);
            selo_suite_update(&hash, &byte, 1);
        }
        selo_suite_finish(&hash, h);
    }
    memcpy(noise->ck, h, 32);
    selo_suite_start(&hash);
    selo_suite_update(&hash, h, 32);
    selo_suite_update_label(&hash, SELO_LABEL_LINK);
    selo_suite_update(&hash, header, 5);
    selo_suite_finish(&hash, h);
}

SELO_STACK_APART void selo_noise_mix_psk(struct selo_noise *noise, const uint8_t psk[32])
{
    uint8_t hashed[32];

    selo_suite_hkdf(noise->ck, psk, 32, hashed, 0);
    selo_suite_digest(noise->h, noise->h, hashed, 32);
    selo_wipe(hashed, sizeof hashed);
}

void selo_noise_write_e(struct selo_noise *noise, const uint8_t e[32], uint8_t key[32])
{
    selo_suite_digest(noise->h, noise->h, e, 32);
    selo_suite_hkdf(noise->ck, e, 32, key, 0);
}

SELO_STACK_APART uint8_t selo_noise_read_e(struct selo_noise *noise, const uint8_t e[32],
                                           const uint8_t check[4])
{
    uint8_t h[32];
    uint8_t same;

    selo_suite_digest(h, noise->h, e, 32);
    same = selo_equal(h, check, 4);
    if (same) {
        memcpy(noise->h, h, 32);
        selo_suite_hkdf(noise->ck, e, 32, 0, 0);
    }
    selo_wipe(h, sizeof h);
    return same;
}

void selo_noise_mix_key(struct selo_noise *noise, const uint8_t shared[32], uint8_t key[32])
{
    selo_suite_hkdf(noise->ck, shared, 32, key, 0);
}

void selo_noise_encrypt(struct selo_noise *noise, const uint8_t key[32], uint8_t *data,
                        uint8_t size)
{
    selo_suite_seal(key, 0, noise->h, 32, data, size, 16);
    selo_suite_digest(noise->h, noise->h, data, (uint8_t)(size + 16));
}

enum selo_status selo_noise_decrypt(const struct selo_noise *noise, const uint8_t key[32],
                                    uint8_t *data, uint8_t size)
{
    return selo_suite_open(key, 0, noise->h, 32, data, size, 16);
}

void selo_noise_split(struct selo_noise *noise, uint8_t send_key[32], uint8_t receive_key[32])
{
    selo_suite_hkdf(noise->ck, 0, 0, receive_key, 0);
    memcpy(send_key, noise->ck, 32);
    selo_wipe(noise, sizeof *noise);
}
