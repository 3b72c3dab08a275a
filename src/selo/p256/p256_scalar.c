/*
 * Numbers modulo n, the order of the base point of P-256 [SP800-186, 3.2.1.3], in bytes: a signature
 * needs only a few products of them.
 */
#include <string.h>

#include "../common/flash.h"
#include "p256.h"

static const struct selo_p256_modulus order SELO_FLASH = {
    { /* n */
        0x51, 0x25, 0x63, 0xfc, 0xc2, 0xca, 0xb9, 0xf3, 0x84, 0x9e, 0x17, 0xa7, 0xad, 0xfa, 0xe6, 0xbc,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff},
    { /* 2^256 modulo n */
        0xaf, 0xda, 0x9c, 0x03, 0x3d, 0x35, 0x46, 0x0c, 0x7b, 0x61, 0xe8, 0x58, 0x52, 0x05, 0x19, 0x43,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00},
    49};

static const uint8_t square_of_radix[32] SELO_FLASH = { /* 2^512 modulo n */
    0xa2, 0xee, 0x79, 0xbe, 0x95, 0x4c, 0x24, 0x83, 0xa6, 0x6f, 0xbd, 0x49, 0x9c, 0x79, 0x99, 0x46,
    0x59, 0xec, 0x6b, 0x2b, 0x39, 0xb2, 0x45, 0x28, 0x20, 0x56, 0xd9, 0xf3, 0x94, 0x2d, 0xe1, 0x66};

enum { MINUS_INVERSE = 0x4f }; /* -1 / n modulo 256 */

/* less = a - n; returns 1 if a is below n, else 0. */
static uint8_t subtract(uint8_t less[32], const uint8_t a[32])
{
    uint16_t borrow = 0;

    for (uint8_t i = 0; i < 32; i++) {
        const uint16_t difference =
            (uint16_t)((uint16_t)a[i] - selo_flash_u8(order.modulus + i) - borrow);
        less[i] = (uint8_t)difference;
        borrow = difference >> 15;
    }
    return (uint8_t)borrow;
}

/* a -= n, if it is not below n or there is a carry above it. */
static void subtract_if(uint8_t a[32], uint8_t carry)
{
    uint8_t less[32];
    const uint8_t keep = (uint8_t)(0u - (subtract(less, a) & (carry ^ 1u)));

    for (uint8_t i = 0; i < 32; i++) {
        a[i] = (uint8_t)((a[i] & keep) | (less[i] & (uint8_t)~keep));
    }
    selo_wipe(less, sizeof less);
}

uint8_t selo_p256_is_scalar(const uint8_t a[32])
{
    uint8_t less[32];
    uint8_t any = 0;

    for (uint8_t i = 0; i < 32; i++) {
        any |= a[i];
    }
    const uint8_t below = subtract(less, a);
    selo_wipe(less, sizeof less);
    return (uint8_t)(below & (1u ^ (uint16_t)(any - 1u) >> 15));
}

void selo_p256_scalar_canonical(uint8_t a[32])
{
    subtract_if(a, 0);
}

void selo_p256_scalar_multiply(uint8_t r[32], const uint8_t a[32], const uint8_t b[32])
{
    uint8_t sum[34] = {0}; /* below n + 2^256 after each byte of a [MONTGOMERY1985] */

    for (uint8_t i = 0; i < 32; i++) {
        const uint8_t m = (uint8_t)((uint8_t)(sum[0] + (unsigned)b[i] * a[0]) * (unsigned)MINUS_INVERSE);
        uint32_t carry = 0;
        for (uint8_t j = 0; j < 32; j++) {
            carry += (uint32_t)sum[j] + (uint16_t)(a[j] * (uint16_t)b[i]) +
                     (uint16_t)(m * (uint16_t)selo_flash_u8(order.modulus + j));
            if (j != 0) {
                sum[j - 1] = (uint8_t)carry;
            }
            carry >>= 8;
        }
        carry += sum[32];
        sum[31] = (uint8_t)carry;
        sum[32] = (uint8_t)(carry >> 8);
    }
    subtract_if(sum, sum[32]);
    memcpy(r, sum, 32);
    selo_wipe(sum, sizeof sum);
}

void selo_p256_scalar_enter(uint8_t r[32], const uint8_t a[32])
{
    uint8_t factor[32];

    for (uint8_t i = 0; i < 32; i++) {
        factor[i] = selo_flash_u8(square_of_radix + i);
    }
    selo_p256_scalar_multiply(r, factor, a);
}

void selo_p256_scalar_add(uint8_t r[32], const uint8_t a[32], const uint8_t b[32])
{
    uint16_t carry = 0;

    for (uint8_t i = 0; i < 32; i++) {
        carry = (uint16_t)(carry + a[i] + b[i]);
        r[i] = (uint8_t)carry;
        carry >>= 8;
    }
    subtract_if(r, (uint8_t)carry);
}

uint8_t selo_p256_scalar_next(uint8_t a[32])
{
    uint8_t below[32];
    uint16_t carry = 0;

    for (uint8_t i = 0; i < 32; i++) {
        carry = (uint16_t)(carry + a[i] + selo_flash_u8(order.modulus + i));
        a[i] = (uint8_t)carry;
        carry >>= 8;
    }
    memcpy(below, a, 32);
    selo_p256_canonical(below);
    return carry == 0 && selo_equal(below, a, 32);
}

void selo_p256_scalar_invert(uint8_t r[32], const uint8_t a[32])
{
    struct selo_p256_division s;

    selo_p256_divide(r, a, &order, &s);
}

uint8_t selo_p256_signs(uint8_t scalar[33])
{
    /* An odd number below 2^256 is the sum of +-2^i for i from 0 to 255 with plus for the bits i of
     * (M - 1) / 2 + 2^255 [HEDABOU2005]. */
    const uint8_t even = (uint8_t)((scalar[0] & 1) - 1);
    uint16_t borrow = 0;

    for (uint8_t i = 0; i < 32; i++) {
        const uint16_t negative =
            (uint16_t)((uint16_t)selo_flash_u8(order.modulus + i) - scalar[i] - borrow);
        borrow = negative >> 15;
        scalar[i] = (uint8_t)((scalar[i] & (uint8_t)~even) | ((uint8_t)negative & even));
    }
    scalar[32] = 0;
    for (uint8_t i = 0; i < 32; i++) {
        scalar[i] = (uint8_t)(scalar[i] >> 1 | (uint8_t)(scalar[i + 1] << 7));
    }
    return even;
}
