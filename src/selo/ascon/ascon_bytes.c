/* The bytes of the Ascon state [SP800-232, A.1]. */
#include "../common/bytewise.h"
#include "ascon.h"

void selo_ascon_add_byte(uint64_t state[5], uint8_t position, uint8_t byte)
{
#if SELO_BYTEWISE
    ((uint8_t *)state)[position] ^= byte;
#else
    state[position / 8] ^= (uint64_t)byte << 8 * (position % 8);
#endif
}

uint8_t selo_ascon_byte(const uint64_t state[5], uint8_t position)
{
#if SELO_BYTEWISE
    return ((const uint8_t *)state)[position];
#else
    return (uint8_t)(state[position / 8] >> 8 * (position % 8));
#endif
}
