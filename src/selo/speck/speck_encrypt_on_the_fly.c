/* Speck128 encryption of a block. Each round key is computed when it is used. */
#include <string.h>

#include "speck.h"
#include "speck_round.h"

#if !SELO_NATIVE_SPECK

void selo_speck_encrypt_on_the_fly(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
                                   uint8_t words)
{
    uint8_t material[32];
    uint8_t size = (uint8_t)(8 * words), at = 8, i = 0;
    SPECK_WORD(x);
    SPECK_WORD(y);

    memcpy(material, key, size);
    SPECK_LOAD(y, in);
    SPECK_LOAD(x, in + 8);
    for (;;) {
        SPECK_MIX(x, y);
        SPECK_XOR_KEY(x, material);
        SPECK_TURN(y, x);
        if (i == SPECK_ROUNDS(words) - 1) {
            break;
        }
        selo_speck_schedule(material, material + at, i);
        at = (uint8_t)(at + 8);
        if (at == size) {
            at = 8;
        }
        i++;
    }
    SPECK_STORE(y, out);
    SPECK_STORE(x, out + 8);
    selo_wipe(material, sizeof material);
}

#endif
