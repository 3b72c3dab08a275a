/* Speck128 encryption of a block with all round keys in RAM [SPECK2013, 4.1]. */
#include "speck.h"
#include "speck_round.h"

#if !SELO_NATIVE_SPECK

void selo_speck_encrypt_rounds(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                               uint8_t rounds)
{
    SPECK_WORD(x);
    SPECK_WORD(y);

    SELO_BASE(in);
    SPECK_LOAD(y, in);
    SPECK_LOAD(x, in + 8);
    do {
        SPECK_MIX(x, y);
        SPECK_XOR_KEY(x, round_keys);
        SPECK_TURN(y, x);
        round_keys += 8;
        rounds--;
        SELO_OPAQUE(rounds); /* else the compiler keeps the end of round_keys for the comparison */
    } while (rounds != 0);
    SPECK_STORE(y, out);
    SPECK_STORE(x, out + 8);
}

#endif
