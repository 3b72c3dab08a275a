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

#if SELO_MLKEM_WORDS

/* 17 to the power of i with its 7 bits in reverse order [FIPS203, appendix A]. */
static uint32_t zeta(unsigned i)
{
    uint32_t power = 1;
    for (unsigned n = (i & 1) << 6 | (i & 2) << 4 | (i & 4) << 2 | (i & 8) | (i & 16) >> 2 |
                      (i & 32) >> 4 | (i & 64) >> 6; n != 0; n--) {
        power = power * 17 % Q;
    }
    return power;
}

/* The constant of a factor: x 2^32 / q, rounded. */
static uint32_t constant(uint32_t x)
{
    return (uint32_t)((((uint64_t)x << 33) + Q) / (2 * Q));
}

static unsigned constants(void)
{
    const uint32_t *z = selo_mlkem_zeta_words, scale = modulo(512);
    unsigned wrong = modulo((int64_t)scale * 128) != modulo(65536);

    for (unsigned i = 1; i < 8; i++) {
        wrong += *z++ != constant(zeta(i));
    }
    for (unsigned group = 0; group < 8; group++) {
        wrong += *z++ != constant(zeta(8 + group));
        for (unsigned i = 0; i < 2; i++) {
            wrong += *z++ != constant(zeta(16 + 2 * group + i));
        }
        for (unsigned i = 0; i < 4; i++) {
            wrong += *z++ != constant(zeta(32 + 4 * group + i));
        }
    }
    for (unsigned i = 64; i < 128; i++) {
        wrong += *z++ != constant(zeta(i));
    }
    wrong += z != selo_mlkem_zeta_words + 127;
    wrong += SELO_MLKEM_Z_OF_1 != constant(1);
    wrong += SELO_MLKEM_Z_OF_MONTGOMERY != constant(65536 % Q);
    wrong += SELO_MLKEM_Z_OF_SCALE != constant(scale);
    wrong += SELO_MLKEM_Z_OF_LAST != constant(scale * zeta(1) % Q);
    return wrong;
}

/* Every product of a number of 16 bits and a factor; every sum of products that comes near a bound. */
static void reductions(void)
{
    unsigned wrong = constants();

    for (int32_t x = -32768; x < 32768; x++) {
        wrong += selo_mlkem_canonical_word(x) != (uint32_t)modulo(x);
        for (unsigned i = 0; i < CHECK_SAMPLE(128u, 4u); i++) {
            const uint32_t factor = i == 0 ? 1 : zeta(i);
            const int32_t product = selo_mlkem_times(x, constant(factor));
            wrong += modulo(product) != modulo((int64_t)x * (int32_t)factor);
            wrong += product > 1664 || product < -1664;
        }
    }
    for (uint32_t i = 0; i < CHECK_SAMPLE(2000000u, 100000u); i++) {
        const int32_t most = 2 * 14981 * 4095, random = (int32_t)(check_random() % (2 * most + 1u)) - most;
        const int32_t inward = random % 70000 * (random < 0 ? -1 : 1); /* from a bound */
        const int32_t t = i & 1 ? random : i & 2 ? most - inward : inward - most;
        const int32_t r = selo_mlkem_reduce_word(t);
        wrong += modulo((int64_t)r * 65536) != modulo(t) || r > 3538 || r < -3538;
    }
    CHECK(wrong == 0);
}

/* Numbers of 12 bits below q pass the sampler in order, after those that are there. */
static void draws(void)
{
    unsigned wrong = 0;

    for (unsigned round = 0; round < 4000; round++) {
        struct selo_mlkem_drawn drawn;
        uint8_t stream[24]; /* what is there is overwritten */
        uint32_t filled = round % 4;
        const uint32_t limit = round % 3 == 0 ? 2 : 200; /* some near q only */

        drawn.filled = filled;
        memset(&drawn.of, 0x55, sizeof drawn.of);
        for (unsigned i = 0; i < 24; i += 3) {
            const uint32_t a = (Q - limit / 2 + check_random() % (limit * 2)) & 4095, b = check_random() >> 20;
            stream[i] = (uint8_t)a;
            stream[i + 1] = (uint8_t)(a >> 8 | b << 4);
            stream[i + 2] = (uint8_t)(b >> 4);
        }
        memcpy(drawn.of.bytes.stream, stream, sizeof stream);
        selo_mlkem_draw(&drawn);
        for (unsigned i = 0; i < 16; i++) {
            const uint8_t *three = stream + i / 2 * 3;
            const int x = i & 1 ? three[1] >> 4 | three[2] << 4 : three[0] | (three[1] & 15) << 8;
            if (x < Q) {
                wrong += drawn.of.coefficients[filled++] != x;
            }
        }
        wrong += drawn.filled != filled;
        for (unsigned i = 0; i < round % 4; i++) {
            wrong += drawn.of.coefficients[i] != 0x5555;
        }
    }
    CHECK(wrong == 0);
}

enum { NTT_MOST = 14977, INVERSE_MOST = 1664 };

#else

enum { NTT_MOST = 96 * Q / 10, INVERSE_MOST = 13 * Q / 10 };

static void draws(void)
{
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

#endif

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

    for (int start = -2 * Q; start <= 2 * Q; start += 256) { /* every number from -2 q to 2 q */
        for (int i = 0; i < 256; i++) {
            poly[i] = (int16_t)(start + i <= 2 * Q ? start + i : 2 * Q);
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
    int16_t poly[256], small[256];
    int wrong = 0;

    for (int round = 0; round < 400; round++) {
        for (int i = 0; i < 256; i++) {
            poly[i] = check_random() & 0x80000 ? Q : -Q;
        }
        selo_mlkem_ntt(poly);
        for (int i = 0; i < 256; i++) {
            wrong += poly[i] > NTT_MOST || poly[i] < -NTT_MOST;
        }
        for (int i = 0; i < 256; i++) { /* runs of one sign come furthest */
            const int sign = round & 1 ? check_random() & 0x80000 : i >> (round / 2 % 7 + 1) & 1;
            poly[i] = (int16_t)((sign ? 33 : -33) * Q / 10);
            small[i] = (int16_t)modulo(poly[i]);
        }
        selo_mlkem_inverse_ntt(poly);
        selo_mlkem_inverse_ntt(small);
        for (int i = 0; i < 256; i++) {
            wrong += modulo(poly[i]) != modulo(small[i]);
            wrong += poly[i] > INVERSE_MOST || poly[i] < -INVERSE_MOST;
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
            selo_mlkem_expand(poly, small, eta);
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
    draws();
    compression();
    for (int i = 0; i < CHECK_SAMPLE(200, 10); i++) {
        products();
    }
    bounds();
    noise();
    return check_report("mlkem arithmetic");
}
