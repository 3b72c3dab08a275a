/*
 * The arithmetic within ML-KEM against its definitions: every number of a range where that is possible,
 * and the transforms against the product of polynomials [FIPS203, 4.3].
 */
#include "selo/mlkem/mlkem.h"

#include "check.h"

enum { Q = SELO_MLKEM_Q };

static int32_t modulo(int64_t x)
{
    return (int32_t)((x % Q + Q) % Q);
}

static void reductions(void)
{
    unsigned wrong = 0;

    for (int32_t x = 0; x < 65536; x++) {
        wrong += selo_mlkem_quotient((uint16_t)x) != x / Q;
    }
    for (int32_t x = -98 * Q / 10; x <= 96 * Q / 10; x++) {
        const uint16_t low = selo_mlkem_shorten((int16_t)x);
        wrong += modulo(low) != modulo(x) || low > 114 * Q / 100;
        wrong += selo_mlkem_canonical((int16_t)x) != modulo(x);
    }
    for (uint32_t i = 0; i < CHECK_SAMPLE(2000000u, 100000u); i++) {
        const int16_t a = (int16_t)(check_random() >> 16);
        const uint16_t b = (uint16_t)(check_random() % Q);
        const int32_t c = selo_mlkem_product(a, b), product = a * b;
        wrong += modulo((int64_t)c * 65536) != modulo(product);
        wrong += c > product / 65536 + 1 || c < product / 65536 - Q - 1;
    }
    CHECK(wrong == 0);
}

/* x * 2^d / q, rounded [FIPS203, 4.2.1]. 2^d x / q never has the fraction 1 / 2, for q is odd. */
static unsigned compressed(uint32_t x, unsigned d)
{
    return (unsigned)((((uint64_t)x << d) * 2 + Q) / (2 * Q) & ((1u << d) - 1));
}

static void compression(void)
{
    int16_t poly[256], again[256];
    uint8_t out[320], message[32];
    unsigned wrong = 0;

    for (int start = 0; start < Q; start += 256) {
        for (int i = 0; i < 256; i++) {
            poly[i] = (int16_t)(modulo(start + i) - Q * (i % 3));
        }
        selo_mlkem_compress_u(out, poly);
        selo_mlkem_decompress_u(again, out);
        for (int i = 0; i < 256; i++) {
            const unsigned y = compressed((uint32_t)modulo(poly[i]), 10);
            wrong += ((unsigned)again[i]) != (y * Q + 512) / 1024;
        }
        selo_mlkem_compress_v(out, poly);
        for (int i = 0; i < 256; i++) {
            wrong += (out[i / 2] >> 4 * (i % 2) & 15) != compressed((uint32_t)modulo(poly[i]), 4);
        }
        for (unsigned v = 0; v < 16; v++) {
            memset(out, (int)(v * 17), 128);
            selo_mlkem_message(message, poly, out);
            for (int i = 0; i < 256; i++) {
                const int32_t whole = (int32_t)((v * 2 * Q + 16) / 32); /* Decompress4 */
                wrong += (message[i / 8] >> i % 8 & 1u) !=
                         compressed((uint32_t)modulo(whole - poly[i]), 1);
            }
        }
    }
    CHECK(wrong == 0);
}

/* a * b modulo X^256 + 1, by the transforms and by the definition. */
static void products(void)
{
    int16_t a[256], b[256], sum[256];
    int32_t expected[256];
    uint8_t packed_a[384], packed_b[384];
    unsigned wrong = 0;

    memset(expected, 0, sizeof expected);
    for (int i = 0; i < 256; i++) {
        a[i] = (int16_t)(check_random() % (2 * Q + 1) - Q);
        b[i] = (int16_t)(check_random() % 7 - 3);
    }
    for (int i = 0; i < 256; i++) {
        for (int j = 0; j < 256; j++) {
            int32_t *place = &expected[(i + j) % 256];
            *place = modulo(*place + (int64_t)(i + j < 256 ? 1 : -1) * a[i] * b[j]);
        }
    }
    selo_mlkem_ntt(a);
    selo_mlkem_ntt(b);
    selo_mlkem_pack(packed_a, a);
    selo_mlkem_pack(packed_b, b);
    CHECK(selo_mlkem_in_range(packed_a, 384));
    memset(sum, 0, sizeof sum);
    for (uint8_t quad = 0; quad < 64; quad++) {
        selo_mlkem_multiply_add(sum + 4 * quad, packed_a + 6 * quad, packed_b + 6 * quad, quad);
    }
    selo_mlkem_inverse_ntt(sum);
    for (int i = 0; i < 256; i++) {
        wrong += modulo(sum[i]) != expected[i];
    }
    CHECK(wrong == 0);
}

/* The extremes of the bounds that native/api.h states. */
static void bounds(void)
{
    int16_t poly[256];
    int wrong = 0;

    for (int round = 0; round < 400; round++) {
        for (int i = 0; i < 256; i++) {
            poly[i] = check_random() & 0x80000 ? Q : -Q;
        }
        selo_mlkem_ntt(poly);
        for (int i = 0; i < 256; i++) {
            wrong += poly[i] > 96 * Q / 10 || poly[i] < -96 * Q / 10;
        }
        for (int i = 0; i < 256; i++) {
            poly[i] = (int16_t)((check_random() & 0x80000 ? 33 : -33) * Q / 10);
        }
        selo_mlkem_inverse_ntt(poly);
        for (int i = 0; i < 256; i++) {
            wrong += poly[i] > 13 * Q / 10 || poly[i] < -13 * Q / 10;
        }
    }
    CHECK(wrong == 0);
}

/* In a list of all bytes and nonces, noise has the distribution's sum of bits [FIPS203, algorithm 8]. */
static void noise(void)
{
    static const uint8_t seed[32] = {7};
    for (uint8_t eta = 2; eta <= 3; eta++) {
        for (uint8_t nonce = 0; nonce < 20; nonce++) {
            uint8_t small[256], stream[192];
            int16_t poly[256];
            struct selo_shake sponge;
            unsigned wrong = 0;

            selo_shake256_start(&sponge);
            selo_shake_update(&sponge, seed, sizeof seed);
            selo_shake_update(&sponge, &nonce, 1);
            selo_shake_read(&sponge, stream, sizeof stream);
            selo_mlkem_noise(small, &sponge, seed, nonce, eta);
            selo_mlkem_expand(poly, small);
            for (int i = 0; i < 256; i++) {
                int sum = 0;
                for (int bit = 0; bit < 2 * eta; bit++) {
                    const int place = 2 * eta * i + bit;
                    sum += (bit < eta ? 1 : -1) * (stream[place / 8] >> place % 8 & 1);
                }
                wrong += poly[i] != sum;
            }
            CHECK(wrong == 0);
        }
    }
}

int main(void)
{
    reductions();
    compression();
    for (int i = 0; i < CHECK_SAMPLE(200, 10); i++) {
        products();
    }
    bounds();
    noise();
    return check_report("mlkem arithmetic");
}
