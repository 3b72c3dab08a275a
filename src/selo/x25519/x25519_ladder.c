/*
 * The Montgomery ladder on Curve25519 [RFC7748, 5], then one inversion.
 *
 * A clamped scalar begins with a 1 and ends with 000, so that of its 255 steps the first and
 * the last three are only doublings. Between them are 251 equal steps, each with 5
 * multiplications, 4 squarings and one multiplication by a constant. What is doubled is
 * chosen by masks, so neither a branch nor an address depends on the scalar.
 *
 * On AVR: the kernels of native/avr/, as [DUELL2015] first did it in less than 14 million
 * cycles. On ARM: those of native/armv6m/, native/armv7m/ or native/armv7em/. On RV32: those of
 * native/riscv32/. On Xtensa: those of native/xtensa/. On ARM and Xtensa one call makes all equal
 * steps.
 */
#include <string.h>

#include "../../selo.h"
#include "../common/compiler.h"
#include "field.h"
#include "x25519_base.h"
#include "x25519_ladder.h"

/* All values of one scalar multiplication, in one piece so that one call wipes them. */
struct ladder {
    _Alignas(SELO_FIELD25519_ALIGNMENT) uint8_t u[32];
    struct point { uint8_t x[32], z[32]; } p2; /* n P as x / z, and p3 is (n + 1) P, or */
    union {                                    /* the other way round: see run */
        struct { struct point p3, d; };
        uint8_t scratch[3][32]; /* of the inversion, when p3 has done its work */
    };
};

/*
 * p = 2 q, from d = (A, B), the sum and difference of the coordinates of q, which is
 * altered. The letters are those of [RFC7748, 5]; AA + 121665 E is BB + 121666 E.
 */
static void finish_double(struct point *p, struct point *d)
{
    selo_field25519_square(d->x, d->x);             /* AA */
    selo_field25519_square(d->z, d->z);             /* BB */
    selo_field25519_multiply(p->x, d->x, d->z);
    selo_field25519_subtract(d->x, d->x, d->z);     /* E */
    selo_field25519_add_121666(d->z, d->x);
    selo_field25519_multiply(p->z, d->x, d->z);
}

/* r = p, or q where choice is 1. */
static void choose(struct point *r, const struct point *p, const struct point *q, uint8_t choice)
{
    selo_field25519_select((uint8_t *)r, (const uint8_t *)p, (const uint8_t *)q, choice);
}

#if SELO_NATIVE_X25519 && SELO_BACKEND_ARM
#define all_steps selo_x25519_steps_arm
_Static_assert(sizeof(struct ladder) == 224, "u, p2, p3 and d follow each other");
#elif SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA
#define all_steps selo_x25519_steps_xtensa
_Static_assert(sizeof(struct ladder) == 224, "u, p2, p3 and d follow each other");
#elif SELO_NATIVE_X25519 && SELO_BACKEND_RISCV32
#define step(l, choice) selo_x25519_step_riscv32((uint8_t *)(l), choice)
_Static_assert(sizeof(struct ladder) == 224, "u, p2, p3 and d follow each other");
#else

/*
 * (p2, p3) = (2 q, p2 + p3), where q is p3 if choice is 1, else p2, given that the
 * difference of p2 and p3 has the coordinate u. Everything but what is doubled is
 * symmetric in p2 and p3: with them, DA and CB change places.
 */
static void step(struct ladder *l, uint8_t choice)
{
    uint8_t *const x3 = l->p3.x, *const z3 = l->p3.z;

    selo_field25519_butterfly(l->p2.x, l->p2.z);    /* A, B */
    selo_field25519_butterfly(x3, z3);              /* C, D */
    choose(&l->d, &l->p2, &l->p3, choice);
    selo_field25519_multiply(z3, z3, l->p2.x);      /* DA */
    selo_field25519_multiply(x3, x3, l->p2.z);      /* CB */
    selo_field25519_butterfly(x3, z3);              /* CB + DA, CB - DA */
    selo_field25519_square(x3, x3);
    selo_field25519_square(z3, z3);
    selo_field25519_multiply(z3, z3, l->u);
    finish_double(&l->p2, &l->d);
}

#endif

/* The steps for bits 253 to 3. Returns the last bit. */
static uint8_t steps(struct ladder *l, const uint8_t scalar[32])
{
#ifdef all_steps
    all_steps((uint8_t *)l, scalar);
    return scalar[0] >> 3 & 1;
#else
    uint8_t last = 0;
    for (uint8_t bit = 253; bit > 2; bit--) {
        const uint8_t now = scalar[bit >> 3] >> (bit & 7) & 1;
        step(l, now ^ last);
        last = now;
    }
    return last;
#endif
}

static void run(struct ladder *l, const uint8_t scalar[32])
{
    /* Bit 254 is 1: p2 = P, p3 = 2 P. */
    memcpy(&l->d, &l->p2, sizeof l->d);
    selo_field25519_butterfly(l->d.x, l->d.z);
    finish_double(&l->p3, &l->d);

    /* A step leaves what it doubled in p2: n P after a 0, (n + 1) P after a 1. */
    const uint8_t last = steps(l, scalar);
    choose(&l->d, &l->p2, &l->p3, last);
    for (uint8_t times = 3; times != 0; times--) {
        selo_field25519_butterfly(l->d.x, l->d.z);
        finish_double(&l->p2, &l->d);
        memcpy(&l->d, &l->p2, sizeof l->d);
    }
}

/*
 * Wipes the stack below the caller, where the field functions kept products and
 * registers. C knows no stack and promises nothing; with the compilers in use a
 * function of its own has its frame where theirs were. SCRATCH covers the deepest
 * of them, an inversion's multiplication: about 230 bytes on AVR, 290 with the
 * kernels for Cortex-M4, 624 with the steps for Xtensa; and otherwise an inversion's
 * division steps, about 300 bytes, 370 on Cortex-M0.
 */
#if SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA
#define SCRATCH 656
#else
#define SCRATCH                                                          \
    (SELO_NATIVE_X25519 && SELO_BACKEND_THUMB1                     ? 384 \
     : (SELO_NATIVE_X25519 && SELO_BACKEND_ARM) || SELO_X25519_DIVSTEPS ? 320 \
                                                                   : 256)
#endif

SELO_STACK_APART void selo_x25519_wipe_scratch(void)
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
    memcpy(l.p2.x, l.u, 32);
    l.p2.z[0] = 1;

    run(&l, scalar);

    selo_field25519_invert(l.u, l.p2.z, l.scratch);
    uint8_t *const result = SELO_FIELD25519_ALIGNMENT == 1 ? out : l.u;
    selo_field25519_multiply(result, l.p2.x, l.u);
    selo_field25519_canonical(result);
    if (SELO_FIELD25519_ALIGNMENT != 1) {
        memcpy(out, result, 32);
    }

    selo_wipe(&l, sizeof l);
    selo_x25519_wipe_scratch();
}
