/* Speck128 decryption of a block. The key schedule runs backwards from its last material. */
#include <string.h>

#include "speck.h"
#include "speck_round.h"

#if !SELO_NATIVE_SPECK

void selo_speck_decrypt_on_the_fly(const uint8_t *last, uint8_t out[16], const uint8_t in[16],
                                   uint8_t words)
{
    uint8_t material[32];
    /* The schedule has made rounds - 1 = 29 + words steps, so the first step to undo is number
     * 28 + words. It used the word l with that number modulo words - 1. For two, three and four
     * words this is number 0, 1 and 2, the last in each case. */
    uint8_t size = (uint8_t)(8 * words), at = size, i = (uint8_t)(SPECK_ROUNDS(words) - 1);
    SPECK_WORD(x);
    SPECK_WORD(y);

    memcpy(material, last, size);
    SPECK_LOAD(y, in);
    SPECK_LOAD(x, in + 8);
    for (;;) {
        SPECK_UNTURN(y, x);
        SPECK_XOR_KEY(x, material);
        SPECK_UNMIX(x, y);
        if (i == 0) {
            break;
        }
        i--;
        at = (uint8_t)(at - 8);
        selo_speck_schedule_back(material, material + at, i);
        if (at == 8) {
            at = size;
        }
    }
    SPECK_STORE(y, out);
    SPECK_STORE(x, out + 8);
    selo_wipe(material, sizeof material);
}

#endif
