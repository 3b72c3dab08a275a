/* Speck128 decryption of a block with all round keys in RAM, from the last round to the first. */
#include "speck.h"
#include "speck_round.h"

#if !SELO_NATIVE_SPECK

void selo_speck_decrypt_rounds(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                               uint8_t rounds)
{
    SPECK_WORD(x);
    SPECK_WORD(y);

    SELO_BASE(in);
    SPECK_LOAD(y, in);
    SPECK_LOAD(x, in + 8);
    round_keys += 8 * (uint16_t)(rounds - 1);
    do {
        SPECK_UNTURN(y, x);
        SPECK_XOR_KEY(x, round_keys);
        round_keys -= 8;
        SPECK_UNMIX(x, y);
        rounds--;
        SELO_OPAQUE(rounds);
    } while (rounds != 0);
    SPECK_STORE(y, out);
    SPECK_STORE(x, out + 8);
}

#endif
