/*
 * The compression function of SHA-512 [FIPS180-4, 6.4.2] for CPUs with a shifter.
 * The working variables are a window that slides down, as in sha256_compress.c.
 */
#include <string.h>

#include "../common/bytewise.h"
#include "../common/flash.h"
#include "../common/sum64.h"
#include "sha2.h"

#if !SELO_BYTEWISE && !SELO_NATIVE_SHA512

static inline uint64_t ror(uint64_t x, uint8_t n)
{
    return x >> n | x << (64 - n);
}

/* Computes w[t] for the next 16 rounds in the slots of w[t - 16]. Indices are modulo 16. */
static void schedule(uint64_t w[16])
{
    for (uint8_t t = 0; t < 16; t++) {
        uint64_t x = w[(t + 1) & 15], y = w[(t + 14) & 15];
        x = selo_sum64(ror(x, 1) ^ ror(x, 8) ^ x >> 7, ror(y, 19) ^ ror(y, 61) ^ y >> 6);
        w[t] = selo_sum64(w[t], selo_sum64(w[(t + 9) & 15], x));
    }
}

/* v: the window, a to h in v[0] to v[7]; it ends 16 words further down. */
static void rounds(uint64_t *v, const uint64_t w[16], const uint64_t *k)
{
    for (uint8_t t = 0; t < 16; t++, v--) {
        uint64_t a = v[0], b = v[1], c = v[2], e = v[4], f = v[5], g = v[6];
        uint64_t sum = selo_sum64(selo_sum64(v[7], w[t]), selo_flash_u64(k + t));
        sum = selo_sum64(sum, g ^ (e & (f ^ g)));
        sum = selo_sum64(sum, ror(e, 14) ^ ror(e, 18) ^ ror(e, 41));
        v[3] = selo_sum64(v[3], sum);
        sum = selo_sum64(sum, ror(a, 28) ^ ror(a, 34) ^ ror(a, 39));
        v[-1] = selo_sum64(sum, (a & b) | (c & (a | b)));
    }
}

void selo_sha512_compress(uint64_t state[8], uint64_t block[16])
{
    uint64_t window[8 + 16];
    const uint64_t *k = selo_sha512_constants;

    for (uint8_t t = 0; t < 16; t++) { /* words from big-endian bytes, in place */
        const uint8_t *p = (const uint8_t *)(block + t);
        uint64_t word = 0;
        for (uint8_t i = 0; i < 8; i++) {
            word = word << 8 | p[i];
        }
        block[t] = word;
    }
    memcpy(window, state, 64);
    for (;;) {
        memcpy(window + 16, window, 64);
        rounds(window + 16, block, k);
        k += 16;
        if (k == selo_sha512_constants + 80) {
            break;
        }
        schedule(block);
    }
    for (uint8_t i = 0; i < 8; i++) {
        state[i] = selo_sum64(state[i], window[i]);
    }
}

#endif
