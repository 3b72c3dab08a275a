/* Poly1305 in bytes [RFC8439, 2.5]: start and finish. */
#include <string.h>

#include "poly1305.h"

#if SELO_BYTEWISE

void selo_poly1305_start(struct selo_poly1305 *mac, const uint8_t key[32])
{
    memset(mac->sum, 0, sizeof mac->sum);
    for (uint8_t i = 0; i < 16; i++) {
        uint8_t byte = key[i];
        if (i % 4 == 3) { /* clamped */
            byte &= 0x0f;
        } else if (i % 4 == 0 && i != 0) {
            byte &= 0xfc;
        }
        mac->multiplier[i] = byte;
        mac->pad[i] = key[16 + i];
    }
}

void selo_poly1305_finish(struct selo_poly1305 *mac, uint8_t tag[16])
{
    uint16_t carry = 5;
    uint8_t quotient = 0, i;

    /* The quotient by p is 1 if sum + 5 reaches 2^130, else 0: sum is below 2 p. */
    for (i = 0; i < 17; i++) {
        carry = (uint16_t)(carry + mac->sum[i]);
        quotient = (uint8_t)carry;
        carry >>= 8;
    }
    quotient >>= 2;
    carry = (uint16_t)(5 * quotient);
    for (i = 0; i < 16; i++) { /* the remainder's low 128 bits, plus s */
        carry = (uint16_t)(carry + mac->sum[i] + mac->pad[i]);
        tag[i] = (uint8_t)carry;
        carry >>= 8;
    }
    selo_wipe(mac, sizeof *mac);
}

#endif
