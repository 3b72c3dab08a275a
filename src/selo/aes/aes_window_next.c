/* The AES key schedule on the fly, forwards [FIPS197, 5.2]. */
#include "aes.h"

#if SELO_AES_TABLES && !SELO_NATIVE_AES

const uint8_t *selo_aes_window_next(struct aes_window *window)
{
    uint8_t key_size = window->key_size;
    uint8_t position = window->position;
    uint8_t *slot = window->words + position;

    if (window->fresh != 0) {
        window->fresh--;
    } else {
        const uint8_t *before = (position == 0 ? slot + key_size : slot) - 4;
        uint8_t w0, w1, w2, w3;

        SELO_PREFER_Z(before);
        w0 = before[0], w1 = before[1], w2 = before[2], w3 = before[3];
        if (position == 0 || (position == 16 && key_size == 32)) {
            const uint8_t *sbox = selo_aes_sbox;
            w0 = selo_flash_lookup(&sbox, w0);
            w1 = selo_flash_lookup(&sbox, w1);
            w2 = selo_flash_lookup(&sbox, w2);
            w3 = selo_flash_lookup(&sbox, w3);
            if (position == 0) {
                uint8_t constant = window->constant;
                uint8_t first = w0;
                w0 = w1 ^ constant, w1 = w2, w2 = w3, w3 = first;
                window->constant = aes_xtime(constant);
            }
        }
        SELO_PREFER_Z(slot);
        slot[0] = w0 ^= slot[0], slot[1] = w1 ^= slot[1];
        slot[2] = w2 ^= slot[2], slot[3] = w3 ^= slot[3];
        slot[4] ^= w0, slot[5] ^= w1, slot[6] ^= w2, slot[7] ^= w3;
    }
    position = (uint8_t)(position + 8);
    window->position = position == key_size ? 0 : position;
    return slot;
}

#endif
