/* The samplers of ML-KEM on words of 32 bits: entries of the matrix, and noise [FIPS203, 4.2.2]. */
#include "mlkem.h"

#if SELO_MLKEM_WORDS

#if !SELO_NATIVE_MLKEM

/* Without a branch: a difference below 0 has the highest bit. Before three bytes are read, from 16 + 3 i
 * on, at most 3 + 2 i coefficients and a rejected one are written, which is up to 8 + 4 i. */
void selo_mlkem_draw(struct selo_mlkem_drawn *drawn)
{
    const uint8_t *stream = drawn->of.bytes.stream;
    int16_t *to = drawn->of.coefficients + drawn->filled;

    for (uint8_t i = 0; i < 8; i++, stream += 3) {
        const uint32_t two = stream[0] | (uint32_t)stream[1] << 8 | (uint32_t)stream[2] << 16;
        *to = (int16_t)(two & 4095);
        to += ((two & 4095) - SELO_MLKEM_Q) >> 31;
        *to = (int16_t)(two >> 12);
        to += ((two >> 12) - SELO_MLKEM_Q) >> 31;
    }
    drawn->filled = (uint32_t)(to - drawn->of.coefficients);
}

#endif

/* 24 bytes of the stream at a time, a divisor of SHAKE128's 168. */
void selo_mlkem_add_matrix(int16_t sum[256], struct selo_shake *sponge, const uint8_t rho[32],
                           uint8_t first, uint8_t second, const uint8_t b[384])
{
    const uint8_t place[2] = {first, second};
    struct selo_mlkem_drawn drawn;
    uint32_t quad = 0;

    drawn.filled = 0;
    selo_shake128_start(sponge);
    selo_shake_update(sponge, rho, 32);
    selo_shake_update(sponge, place, 2);
    while (quad != 64) {
        uint32_t quads;
        selo_shake_read(sponge, drawn.of.bytes.stream, sizeof drawn.of.bytes.stream);
        selo_mlkem_draw(&drawn);
        quads = drawn.filled / 4;
        if (quads > 64 - quad) {
            quads = 64 - quad;
        }
        selo_mlkem_multiply_quads(sum + 4 * quad, drawn.of.coefficients, b + 6 * quad, quad | quads << 8);
        quad += quads;
        drawn.filled &= 3;
        for (uint8_t i = 0; i < 3; i++) {
            drawn.of.coefficients[i] = drawn.of.coefficients[4 * quads + i];
        }
    }
}

void selo_mlkem_noise(uint8_t small[256], struct selo_shake *sponge, const uint8_t seed[32],
                      uint8_t nonce, uint8_t eta)
{
    selo_shake256_start(sponge);
    selo_shake_update(sponge, seed, 32);
    selo_shake_update(sponge, &nonce, 1);
    selo_shake_read(sponge, small, (size_t)(64 * eta));
}

#if !SELO_NATIVE_MLKEM_PAIRS

/* From 24 bits four numbers in fields of 6: the sum of three bits less that of the next three, plus 3. */
static inline uint32_t noise_of_3(const uint8_t bytes[3])
{
    const uint32_t bits = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
    const uint32_t threes = (bits & 0x249249) + (bits >> 1 & 0x249249) + (bits >> 2 & 0x249249);
    return (threes & 0x1c71c7) + 0x0c30c3 - (threes >> 3 & 0x1c71c7);
}

/* From 8 bits two numbers in fields of 4, plus 4, in the same way. */
static inline uint32_t noise_of_2(uint8_t byte)
{
    const uint32_t twos = (byte & 0x55u) + (byte >> 1 & 0x55u);
    return (twos & 0x33) + 0x44 - (twos >> 2 & 0x33);
}

void selo_mlkem_expand_words(int16_t poly[256], const uint8_t small[256], uint8_t eta)
{
    if (eta == 3) {
        for (uint8_t i = 64; i-- != 0;) {
            const uint32_t four = noise_of_3(small + 3 * i);
            poly[4 * i + 3] = (int16_t)((int32_t)(four >> 18) - 3);
            poly[4 * i + 2] = (int16_t)((int32_t)(four >> 12 & 7) - 3);
            poly[4 * i + 1] = (int16_t)((int32_t)(four >> 6 & 7) - 3);
            poly[4 * i] = (int16_t)((int32_t)(four & 7) - 3);
        }
    } else {
        for (uint8_t i = 128; i-- != 0;) {
            const uint32_t two = noise_of_2(small[i]);
            poly[2 * i + 1] = (int16_t)((int32_t)(two >> 4) - 4);
            poly[2 * i] = (int16_t)((int32_t)(two & 7) - 4);
        }
    }
}

void selo_mlkem_add_small(int16_t sum[256], const uint8_t small[256])
{
    for (uint8_t i = 0; i < 128; i++, sum += 2) {
        const uint32_t two = noise_of_2(*small++);
        sum[0] = (int16_t)(sum[0] + (int32_t)(two & 7) - 4);
        sum[1] = (int16_t)(sum[1] + (int32_t)(two >> 4) - 4);
    }
}

#endif

#endif
