/*
 * Keccak-f[1600] [FIPS202, 3.3] with the 25 lanes in variables, for CPUs with words of 64 bits.
 * Every index is a constant. AArch64 has 31 registers, so few lanes go through memory; x86-64 has
 * 15, and its caches hide the others.
 */
#include <string.h>

#include "sha3.h"

#if SELO_KECCAK_WIDE

static inline uint64_t rol(uint64_t x, uint8_t n)
{
    return x << n | x >> ((64 - n) & 63);
}

/* theta adds term[x] to lane (x, y) [FIPS202, 3.2.1]. rho turns it by n, and pi moves it to its place
 * [FIPS202, 3.2.2, 3.2.3]. */
#define MOVED(lane, x, n) rol(a[lane] ^ term[x], n)

/* Row y of the next state from five lanes that pi brings into it: chi [FIPS202, 3.2.4]. */
#define ROW(y, l0, x0, n0, l1, x1, n1, l2, x2, n2, l3, x3, n3, l4, x4, n4) \
    do { \
        const uint64_t p = MOVED(l0, x0, n0), q = MOVED(l1, x1, n1), r = MOVED(l2, x2, n2); \
        const uint64_t s = MOVED(l3, x3, n3), t = MOVED(l4, x4, n4); \
        b[5 * (y)] = p ^ (~q & r); \
        b[5 * (y) + 1] = q ^ (~r & s); \
        b[5 * (y) + 2] = r ^ (~s & t); \
        b[5 * (y) + 3] = s ^ (~t & p); \
        b[5 * (y) + 4] = t ^ (~p & q); \
    } while (0)

/* b = the state a after one round. Unrolled: each ROW names five lanes, the x of their columns and
 * the distances of rho. */
SELO_INLINE void round_of(uint64_t b[25], const uint64_t a[25], uint64_t constant)
{
    uint64_t parity[5], term[5];

#define PARITY(x) parity[x] = a[x] ^ a[(x) + 5] ^ a[(x) + 10] ^ a[(x) + 15] ^ a[(x) + 20]
    PARITY(0), PARITY(1), PARITY(2), PARITY(3), PARITY(4);
#undef PARITY
    term[0] = parity[4] ^ rol(parity[1], 1);
    term[1] = parity[0] ^ rol(parity[2], 1);
    term[2] = parity[1] ^ rol(parity[3], 1);
    term[3] = parity[2] ^ rol(parity[4], 1);
    term[4] = parity[3] ^ rol(parity[0], 1);
    ROW(0, 0, 0, 0, 6, 1, 44, 12, 2, 43, 18, 3, 21, 24, 4, 14);
    ROW(1, 3, 3, 28, 9, 4, 20, 10, 0, 3, 16, 1, 45, 22, 2, 61);
    ROW(2, 1, 1, 1, 7, 2, 6, 13, 3, 25, 19, 4, 8, 20, 0, 18);
    ROW(3, 4, 4, 27, 5, 0, 36, 11, 1, 10, 17, 2, 15, 23, 3, 56);
    ROW(4, 2, 2, 62, 8, 3, 55, 14, 4, 39, 15, 0, 41, 21, 1, 2);
    b[0] ^= constant; /* iota [FIPS202, 3.2.5] */
}

void selo_keccak_f1600_wide(uint64_t lanes[25])
{
    uint64_t a[25], b[25];

    memcpy(a, lanes, sizeof a);
    for (uint8_t round = 0; round < 24; round += 2) {
        round_of(b, a, selo_keccak_constants[round]);
        round_of(a, b, selo_keccak_constants[round + 1]);
    }
    memcpy(lanes, a, sizeof a);
}

#endif
