/* The inverse of one step of the Speck128 key schedule. */
#include "speck.h"
#include "speck_round.h"

void selo_speck_schedule_back(uint8_t round_key[8], uint8_t l[8], uint8_t i)
{
    SPECK_WORD(x);
    SPECK_WORD(y);

    SELO_BASE(l);
    SPECK_LOAD(x, l);
    SELO_BASE(round_key);
    SPECK_LOAD(y, round_key);
    SPECK_UNTURN(y, x);
    SPECK_XOR_NUMBER(x, i);
    SPECK_UNMIX(x, y);
    SELO_BASE(l);
    SPECK_STORE(x, l);
    SELO_BASE(round_key);
    SPECK_STORE(y, round_key);
}
