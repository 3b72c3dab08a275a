/* The Ascon permutation [SP800-232, 3] for CPUs that shift words. */
#include "../common/bytewise.h"
#include "ascon.h"

#if !SELO_BYTEWISE && !SELO_NATIVE_ASCON

static inline uint64_t ror(uint64_t x, uint8_t n)
{
    return x >> n | x << (64 - n);
}

void selo_ascon_permute(uint64_t state[5], uint8_t rounds)
{
    uint64_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    /* f0, e1, d2, ... 4b; fewer rounds use the last ones [SP800-232, 3.2] */
    uint8_t constant = (uint8_t)(0x3c + rounds * 0x0f);

    while (rounds-- != 0) {
        uint64_t first, second;
        c ^= constant;
        constant = (uint8_t)(constant - 0x0f);
        a ^= e; /* the substitution layer, in words [SP800-232, 3.3] */
        e ^= d;
        c ^= b;
        first = ~a & b;
        second = ~b & c;
        a ^= second;
        b ^= ~c & d;
        c ^= ~d & e;
        d ^= ~e & (a ^ second);
        e ^= first;
        b ^= a;
        a ^= e;
        d ^= c;
        c = ~c;
        a ^= ror(a, 19) ^ ror(a, 28); /* the linear layer [SP800-232, 3.4] */
        b ^= ror(b, 61) ^ ror(b, 39);
        c ^= ror(c, 1) ^ ror(c, 6);
        d ^= ror(d, 10) ^ ror(d, 17);
        e ^= ror(e, 7) ^ ror(e, 41);
    }
    state[0] = a, state[1] = b, state[2] = c, state[3] = d, state[4] = e;
}

#endif
