/* The base point of Ed25519 times a secret scalar, with the comb of X25519 (x25519_base.c). */
#include "ed25519.h"

#include "../x25519/x25519_comb.inc"

/* out = the encoding of c's point [RFC8032, 5.1.2]. Uses all of c. */
static void encode(uint8_t out[32], struct comb *c)
{
    uint8_t *const inverse = c->t, *const cube = c->entry.dxy;

    selo_ed25519_power(inverse, c->z, c->scratch);       /* 1 / z is z^(p - 2): */
    selo_field25519_square(cube, c->z);
    selo_field25519_multiply(cube, cube, c->z);          /* 3, and 8 times 2^252 - 3 */
    selo_field25519_square(inverse, inverse);
    selo_field25519_square(inverse, inverse);
    selo_field25519_square(inverse, inverse);
    selo_field25519_multiply(inverse, inverse, cube);
    selo_field25519_multiply(c->x, c->x, inverse);
    selo_field25519_multiply(c->y, c->y, inverse);
    selo_field25519_canonical(c->x);
    selo_field25519_canonical(c->y);
    memcpy(out, c->y, 32);
    out[31] = (uint8_t)(out[31] | c->x[0] << 7);
}

/* The comb multiplies 8 B. B has order L, so scalar * B is (scalar / 8 modulo L) * 8 B. */
void selo_ed25519_base(uint8_t out[32], const uint8_t scalar[32])
{
    struct comb c;

    selo_ed25519_eighth(c.x, scalar);
    selo_ed25519_signs(c.signs, c.x);
    c.signs[31] = (uint8_t)(c.signs[31] | 1 << (TEETH * COLUMNS - 1) % 8);
    choose(&c, COLUMNS - 1); /* the highest sign is always plus */
    memcpy(c.y, c.entry.sum, 32);
    memcpy(c.x, c.entry.difference, 32);
    selo_field25519_butterfly(c.y, c.x);
    memset(c.z, 0, 32);
    c.z[0] = 1;
    for (uint8_t column = COLUMNS - 1; column-- != 0;) {
        twice(&c, 1);
        add(&c, choose(&c, column), 0);
    }
    encode(out, &c);
    selo_wipe(&c, sizeof c);
    selo_x25519_wipe_scratch();
}
