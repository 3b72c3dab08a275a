/* The samplers of ML-KEM: entries of the matrix, and noise [FIPS203, 4.2.2]. */
#include "mlkem.h"

#if !SELO_MLKEM_WORDS

/* Candidates come from 24 bytes of the stream at a time, a divisor of SHAKE128's 168. A candidate
 * that is not below q is dropped; four that are make a quad of the packed form. */
SELO_STACK_APART void selo_mlkem_add_matrix(int16_t sum[256], struct selo_shake *sponge,
                                            const uint8_t rho[32], uint8_t first, uint8_t second,
                                            const uint8_t b[384])
{
    uint8_t stream[24], quad_bytes[6], filled = 0, quad = 0, at = sizeof stream;
    const uint8_t place[2] = {first, second};

    selo_shake128_start(sponge);
    selo_shake_update(sponge, rho, 32);
    selo_shake_update(sponge, place, 2);
    while (quad != 64) {
        if (at == sizeof stream) {
            selo_shake_read(sponge, stream, sizeof stream);
            at = 0;
        }
        for (uint8_t high = 0; high < 2 && quad != 64; high++) {
            const uint8_t *three = stream + at;
            const uint16_t candidate = (uint16_t)(high ? three[1] >> 4 | three[2] << 4
                                                       : three[0] | (three[1] & 15) << 8);
            uint8_t *to = quad_bytes + filled / 2 * 3;
            if (candidate >= SELO_MLKEM_Q) {
                continue;
            }
            if (filled & 1) {
                to[1] = (uint8_t)(to[1] | candidate << 4);
                to[2] = (uint8_t)(candidate >> 4);
            } else {
                to[0] = (uint8_t)candidate;
                to[1] = (uint8_t)(candidate >> 8);
            }
            if (++filled == 4) {
                selo_mlkem_multiply_add(sum + 4 * quad, quad_bytes, b, quad);
                b += 6;
                quad++;
                filled = 0;
            }
        }
        at = (uint8_t)(at + 3);
    }
}

/* Four numbers from 24 bits: of each six bits, the first three less the last three. */
static void noise_of_3(uint8_t four[4], const uint8_t bytes[3])
{
    const uint32_t bits = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
    uint32_t threes = (bits & 0x249249) + (bits >> 1 & 0x249249) + (bits >> 2 & 0x249249);

    for (uint8_t i = 0; i < 4; i++) {
        const uint8_t six = (uint8_t)threes & 63;
        four[i] = (uint8_t)((six & 7) - (six >> 3));
        threes >>= 6;
    }
}

/* Two numbers from 8 bits, in the same way. */
static inline void noise_of_2(uint8_t two[2], uint8_t byte)
{
    const uint8_t twos = (uint8_t)((byte & 0x55) + (byte >> 1 & 0x55));

    two[0] = (uint8_t)((twos & 3) - (twos >> 2 & 3));
    two[1] = (uint8_t)((twos >> 4 & 3) - (twos >> 6));
}

/* The stream is read into the end of `small`, and what it gives never reaches what is unread. */
void selo_mlkem_noise(uint8_t small[256], struct selo_shake *sponge, const uint8_t seed[32],
                      uint8_t nonce, uint8_t eta)
{
    const uint8_t *from = small + 256 - 64 * eta;

    selo_shake256_start(sponge);
    selo_shake_update(sponge, seed, 32);
    selo_shake_update(sponge, &nonce, 1);
    selo_shake_read(sponge, small + 256 - 64 * eta, (size_t)(64 * eta));
    if (eta == 3) {
        for (uint8_t i = 0; i < 64; i++, from += 3, small += 4) {
            noise_of_3(small, from);
        }
    } else {
        for (uint8_t i = 0; i < 128; i++, from++, small += 2) {
            noise_of_2(small, *from);
        }
    }
}

void selo_mlkem_expand_bytes(int16_t poly[256], const uint8_t small[256])
{
    for (uint16_t i = 256; i-- != 0;) {
        poly[i] = (int8_t)small[i];
    }
}

void selo_mlkem_add_small(int16_t sum[256], const uint8_t small[256])
{
    for (uint16_t i = 0; i < 256; i++) {
        sum[i] = (int16_t)(sum[i] + (int8_t)small[i]);
    }
}

#endif
