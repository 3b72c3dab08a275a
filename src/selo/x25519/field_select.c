/*
 * The choice between two points, by masks: neither a branch nor an address depends on it.
 */
#include "field.h"

void selo_field25519_select_bytes(uint8_t r[64], const uint8_t a[64], const uint8_t b[64],
                                  uint8_t choice)
{
    const uint8_t mask = (uint8_t)-choice;
    for (uint8_t i = 0; i < 64; i++) {
        r[i] = (uint8_t)(a[i] ^ (mask & (a[i] ^ b[i])));
    }
}
