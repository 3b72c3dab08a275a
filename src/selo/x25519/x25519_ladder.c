/*
 * The Montgomery ladder on Curve25519 [RFC7748, 5]: 255 equal steps, each with
 * 5 multiplications, 4 squarings and one by a constant; then one inversion.
 *
 * The pair of points is swapped by masks, so neither a branch nor an address
 * depends on the scalar.
 */
#include <string.h>

#include "../../selo.h"
#include "field.h"
#include "x25519_ladder.h"

/* All values of one scalar multiplication, in one piece so that one call wipes them. */
struct ladder {
    uint8_t u[32];
    struct point { uint8_t x[32], z[32]; } p2; /* n P as x / z, and p3 is (n + 1) P */
    union {
        struct { struct point p3; uint8_t e[32]; };
        uint8_t scratch[3][32]; /* of the inversion, when p3 and e have done their work */
    };
};

/* Swaps the points if mask is 0xff, and does the same work to no effect if it is 0. */
static void swap(struct point *p, struct point *q, uint8_t mask)
{
    uint8_t *a = p->x, *b = q->x;
    for (uint8_t i = 0; i < sizeof *p; i++) {
        const uint8_t change = (uint8_t)(mask & (a[i] ^ b[i]));
        a[i] ^= change;
        b[i] ^= change;
    }
}

/*
 * (p2, p3) = (2 p2, p2 + p3), given that p3 - p2 has the coordinate u. The
 * letters are those of [RFC7748, 5]; everything happens in place. z3 is made of
 * (CB - DA)^2, which is (DA - CB)^2; AA + 121665 E is BB + 121666 E.
 */
static void step(struct ladder *l)
{
    uint8_t *const x2 = l->p2.x, *const z2 = l->p2.z;
    uint8_t *const x3 = l->p3.x, *const z3 = l->p3.z;
    uint8_t *const e = l->e;

    selo_field25519_butterfly(x2, z2);          /* A, B */
    selo_field25519_butterfly(x3, z3);          /* C, D */
    selo_field25519_multiply(z3, z3, x2);       /* DA */
    selo_field25519_multiply(x3, x3, z2);       /* CB */
    selo_field25519_butterfly(x3, z3);          /* CB + DA, CB - DA */
    selo_field25519_square(x3, x3);
    selo_field25519_square(z3, z3);
    selo_field25519_multiply(z3, z3, l->u);
    selo_field25519_square(x2, x2);             /* AA */
    selo_field25519_square(z2, z2);             /* BB */
    selo_field25519_subtract(e, x2, z2);        /* E */
    selo_field25519_multiply(x2, x2, z2);
    selo_field25519_add_121666(z2, e);
    selo_field25519_multiply(z2, z2, e);
}

/* Bit `bit` of the scalar, clamped on the way: branches depend on the number of the bit only. */
static uint8_t clamped_bit(const uint8_t scalar[32], uint8_t bit)
{
    if (bit == 254) {
        return 1;
    }
    if (bit < 3) {
        return 0;
    }
    return scalar[bit >> 3] >> (bit & 7) & 1;
}

static void run(struct ladder *l, const uint8_t scalar[32])
{
    uint8_t swapped = 0;
    for (uint8_t bit = 255; bit-- != 0;) {
        const uint8_t mask = (uint8_t)-clamped_bit(scalar, bit);
        swap(&l->p2, &l->p3, mask ^ swapped);
        swapped = mask;
        step(l);
    }
    /* The lowest bit of a clamped scalar is 0: nothing is left to swap back. */
}

/*
 * Wipes the stack below the caller, where the field functions kept products and
 * registers. C knows no stack and promises nothing; with the compilers in use a
 * function of its own has its frame where theirs were. SCRATCH covers the deepest
 * of them on AVR (an inversion's multiplication, about 230 bytes) and the
 * products on other machines.
 */
#define SCRATCH 256

#ifdef __GNUC__
__attribute__((noinline))
#endif
static void wipe_scratch(void)
{
    uint8_t scratch[SCRATCH];
    selo_wipe(scratch, sizeof scratch);
}

void selo_x25519_ladder(uint8_t out[32], const uint8_t scalar[32], const uint8_t u[32])
{
    struct ladder l;

    memset(&l, 0, sizeof l);
    memcpy(l.u, u, 32);
    l.u[31] &= 127;
    l.p2.x[0] = 1;
    memcpy(l.p3.x, l.u, 32);
    l.p3.z[0] = 1;

    run(&l, scalar);

    selo_field25519_invert(l.u, l.p2.z, l.scratch);
    selo_field25519_multiply(out, l.p2.x, l.u);
    selo_field25519_canonical(out);

    selo_wipe(&l, sizeof l);
    wipe_scratch();
}
