/* X25519: a whole scalar multiplication, with the steps of the ladder and the inversion. */
/* sources: x25519 */
/* figures: messages */
#include "kernel.h"

#include <string.h>

#include "selo.h"
#include "selo/x25519/field.h"
#include "selo/x25519/x25519_ladder.h"

KERNEL_BUFFER(scalar, 32);
KERNEL_BUFFER(u, 32);
KERNEL_BUFFER(out, 32);
KERNEL_BUFFER(points, 224);

/* [RFC7748, 5.2] */
static void vector(void)
{
    static const uint8_t k[32] = {
        0xa5, 0x46, 0xe3, 0x6b, 0xf0, 0x52, 0x7c, 0x9d, 0x3b, 0x16, 0x15, 0x4b, 0x82, 0x46, 0x5e, 0xdd,
        0x62, 0x14, 0x4c, 0x0a, 0xc1, 0xfc, 0x5a, 0x18, 0x50, 0x6a, 0x22, 0x44, 0xba, 0x44, 0x9a, 0xc4};
    static const uint8_t in[32] = {
        0xe6, 0xdb, 0x68, 0x67, 0x58, 0x30, 0x30, 0xdb, 0x35, 0x94, 0xc1, 0xa4, 0x24, 0xb1, 0x5f, 0x7c,
        0x72, 0x66, 0x24, 0xec, 0x26, 0xb3, 0x35, 0x3b, 0x10, 0xa9, 0x03, 0xa6, 0xd0, 0xab, 0x1c, 0x4c};
    static const uint8_t expected[32] = {
        0xc3, 0xda, 0x55, 0x37, 0x9d, 0xe9, 0xc6, 0x90, 0x8e, 0x94, 0xea, 0x4d, 0xf2, 0x8d, 0x08, 0x4f,
        0x32, 0xec, 0xcf, 0x03, 0x49, 0x1c, 0x71, 0xf7, 0x54, 0xb4, 0x07, 0x55, 0x77, 0xa2, 0x85, 0x52};
    memcpy(scalar.data, k, 32);
    memcpy(u.data, in, 32);
    KERNEL_CALL(selo_x25519_ladder, out.data, scalar.data, u.data);
    kernel_series(memcmp(out.data, expected, 32) == 0 ? "vector" : "vector-WRONG", 1);
}

/* Random u, and u near 0 and near the multiples of p. */
static void ladder(uint8_t i)
{
    kernel_fill(scalar.data, 32);
    kernel_fill(u.data, 32);
    if (i % 2 != 0) {
        memset(u.data + 1, i & 2 ? 0xff : 0, 31);
        u.data[0] = (uint8_t)(i & 4 ? 0xe8 + i : i);
    }
    KERNEL_CALL(selo_x25519_ladder, out.data, scalar.data, u.data);
    kernel_fold(out.data, 32);
}

#if !SELO_NATIVE_X25519
/* As x25519_ladder.c makes the steps without a kernel. */
void selo_x25519_steps_arm(uint8_t p[224], const uint8_t bits[32])
{
    uint8_t *const x2 = p + 32, *const z2 = p + 64, *const x3 = p + 96, *const z3 = p + 128;
    uint8_t *const x = p + 160, *const z = p + 192;
    uint8_t last = 0;
    for (uint8_t bit = 253; bit > 2; bit--) {
        const uint8_t now = bits[bit >> 3] >> (bit & 7) & 1;
        selo_field25519_butterfly(x2, z2);
        selo_field25519_butterfly(x3, z3);
        selo_field25519_select(x, x2, x3, now ^ last);
        selo_field25519_multiply(z3, z3, x2);
        selo_field25519_multiply(x3, x3, z2);
        selo_field25519_butterfly(x3, z3);
        selo_field25519_square(x3, x3);
        selo_field25519_square(z3, z3);
        selo_field25519_multiply(z3, z3, p);
        selo_field25519_square(x, x);
        selo_field25519_square(z, z);
        selo_field25519_multiply(x2, x, z);
        selo_field25519_subtract(x, x, z);
        selo_field25519_add_121666(z, x);
        selo_field25519_multiply(z2, x, z);
        last = now;
    }
}
#endif

/* Any points, whose coordinates differ in one word, or are near 2^255: a carry and a borrow of the
 * first sums go through all words below it. */
static void equal_steps(uint8_t i)
{
    kernel_fill(scalar.data, 32);
    kernel_fill(points.data, 224);
    for (uint8_t at = 0; at < 160; at = (uint8_t)(at + 32)) {
        points.data[at + 31] &= 0x7f;
    }
    for (uint8_t at = 32; at < 160; at = (uint8_t)(at + 64)) {
        uint8_t *const x = points.data + at, *const z = x + 32;
        if (i % 3 == 2) {
            memset(x + 2, 0, 29);
            x[31] = 0x80;
        } else if (i % 3 == 1) {
            x[4 * (i / 3 % 8)] &= 0xf0;
        }
        if (i % 3 != 0) {
            memcpy(z, x, 32);
            z[4 * (i / 3 % 8)] |= 0x0f;
        }
        if (i % 3 == 2) {
            /* The sum less 2^256 has ones in its lowest words, and a product may be that large. */
            memset(z, 0, 4);
            memset(x, 0xff, (size_t)4 * (1 + i / 3 % 7));
            x[28] = 38;
        }
    }
    KERNEL_CALL(selo_x25519_steps_arm, points.data, scalar.data);
    for (uint8_t at = 32; at < 160; at = (uint8_t)(at + 32)) {
        selo_field25519_canonical(points.data + at);
        kernel_fold(points.data + at, 32);
    }
}

int main(void)
{
    KERNEL_GUARD(points);
    KERNEL_GUARD(scalar);
    KERNEL_GUARD(u);
    KERNEL_GUARD(out);
    vector();
    for (uint8_t i = 0; i < 24; i++)
        ladder(i);
    kernel_series("ladder", 24);
    for (uint8_t i = 0; i < 48; i++)
        equal_steps(i);
    kernel_series("steps", 48);
    kernel_time_begin();
    for (uint8_t i = 0; i < 4; i++)
        ladder(i);
    kernel_time_end("x25519-ladder");
    kernel_end();
    return 0;
}
