/* Keccak-f[1600] [FIPS202, 3.3] in place, for CPUs that shift words. */
#include "../common/bytewise.h"
#include "sha3.h"

#if !SELO_BYTEWISE && !SELO_NATIVE_KECCAK

static inline uint64_t rol(uint64_t x, uint8_t n)
{
    return x << n | x >> (64 - n);
}

/* pi moves 24 lanes along one cycle, starting at lane 1 [FIPS202, 3.2.3]: the target of each step,
 * and the distance by which rho has rotated the lane [FIPS202, 3.2.2]. */
static const struct {
    uint8_t to, rotation;
} cycle[24] = {
    {10, 1}, {7, 3}, {11, 6}, {17, 10}, {18, 15}, {3, 21}, {5, 28}, {16, 36},
    {8, 45}, {21, 55}, {24, 2}, {4, 14}, {15, 27}, {23, 41}, {19, 56}, {13, 8},
    {12, 25}, {2, 43}, {20, 62}, {14, 18}, {22, 39}, {9, 61}, {6, 20}, {1, 44},
};

const uint64_t selo_keccak_constants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

void selo_keccak_f1600(uint64_t lanes[25])
{
    uint64_t *a = lanes;

    for (uint8_t round = 0; round < 24; round++) {
        uint64_t parity[5], moving;
        for (uint8_t x = 0; x < 5; x++) { /* theta [FIPS202, 3.2.1] */
            parity[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        }
        for (uint8_t x = 0; x < 5; x++) {
            uint64_t term = parity[(x + 4) % 5] ^ rol(parity[(x + 1) % 5], 1);
            for (uint8_t row = 0; row < 25; row += 5) {
                a[x + row] ^= term;
            }
        }
        moving = a[1]; /* rho and pi */
        for (uint8_t t = 0; t < 24; t++) {
            uint64_t next = a[cycle[t].to];
            a[cycle[t].to] = rol(moving, cycle[t].rotation);
            moving = next;
        }
        for (uint8_t row = 0; row < 25; row += 5) { /* chi [FIPS202, 3.2.4] */
            uint64_t *p = a + row, first = p[0], second = p[1];
            p[0] ^= ~p[1] & p[2];
            p[1] ^= ~p[2] & p[3];
            p[2] ^= ~p[3] & p[4];
            p[3] ^= ~p[4] & first;
            p[4] ^= ~first & second;
        }
        a[0] ^= selo_keccak_constants[round]; /* iota [FIPS202, 3.2.5] */
    }
}

#endif
