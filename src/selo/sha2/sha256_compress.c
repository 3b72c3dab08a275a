/*
 * The compression function of SHA-256 [FIPS180-4, 6.2.2].
 *
 * The eight working variables are a window of eight words that slides down by one word each round.
 * The new a is written before the window, and b to h keep their places under new names. After 16
 * rounds the window returns to the upper end.
 */
#include <string.h>

#include "../common/flash.h"
#include "sha2.h"
#include "sha256_functions.h"

#if !SELO_NATIVE_SHA256

/* Converts words from big-endian bytes, in place. */
static void to_words(uint32_t w[16])
{
    uint8_t *p = (uint8_t *)w;
    for (uint8_t i = 0; i < 16; i++, p += 4) {
#if SELO_BYTEWISE
        uint8_t outer = p[0], inner = p[1];
        p[0] = p[3], p[1] = p[2], p[2] = inner, p[3] = outer;
#else
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
#endif
    }
}

/* Computes w[t] for the next 16 rounds, in the slots of w[t - 16]. Indices are modulo 16. */
static SELO_APART void schedule(uint32_t w[16])
{
    for (uint8_t t = 0; t < 16; t++) {
        uint32_t sum = sha256_small_sigma0(w[(uint8_t)(t + 1) & 15]);
        sum += w[t] + w[(uint8_t)(t + 9) & 15];
        w[t] = sum + sha256_small_sigma1(w[(uint8_t)(t + 14) & 15]);
    }
}

/* v: the window, a to h in v[0] to v[7]; it ends 16 words further down. */
static SELO_APART void rounds(uint32_t *v, const uint32_t w[16], const uint32_t *k)
{
    uint8_t n = 16;
    do {
        uint32_t sum, x, y, z;
        SELO_BASE(v);
        x = v[4]; /* e */
        sum = v[7];
        sum += *w++;
        sum += selo_flash_u32(k++);
        SELO_OPAQUE(sum); /* finish each step before the next, or the registers run out */
        z = v[6];         /* Ch = g ^ (e & (f ^ g)) */
        y = v[5] ^ z;
        y &= x;
        sum += y ^ z;
        SELO_OPAQUE(sum);
        sum += sha256_big_sigma1(x);
        SELO_OPAQUE(sum);
        v[3] += sum; /* d becomes e */
        x = v[0];    /* a */
        sum += sha256_big_sigma0(x);
        SELO_OPAQUE(sum);
        y = v[1]; /* Maj = (a & b) | (c & (a | b)) */
        z = x | y;
        y &= x;
        SELO_OPAQUE(y);
        z &= v[2];
        sum += y | z;
        *--v = sum;
        n--;
        SELO_OPAQUE(n);
    } while (n != 0);
}

void selo_sha256_compress(uint32_t state[8], uint32_t block[16])
{
    uint32_t window[8 + 16];
    const uint32_t *k = selo_sha256_constants;

    to_words(block);
    memcpy(window, state, 32);
    for (;;) {
        memcpy(window + 16, window, 32);
        rounds(window + 16, block, k);
        k += 16;
        if (k == selo_sha256_constants + 64) {
            break;
        }
        schedule(block);
    }
    for (uint8_t i = 0; i < 8; i++) {
        state[i] += window[i];
    }
}

#endif
