/*
 * A scalar as a quotient of two numbers of half its size modulo 8 L [ABGLSV2005]: Euclid's algorithm
 * on 8 L and k, stopped in the middle. Nothing here is secret.
 */
#include <string.h>

#include "../common/flash.h"
#include "ed25519.h"

enum { HALF = 128 };

/* A remainder, and the size of the factor of k that gives it; their signs alternate. */
struct pair { uint8_t rest[32], factor[32]; };

static uint16_t bits_of(const uint8_t number[32])
{
    for (uint8_t i = 32; i-- != 0;) {
        if (number[i] != 0) {
            uint16_t bits = (uint16_t)(8u * i);
            for (uint8_t byte = number[i]; byte != 0; byte >>= 1) {
                bits++;
            }
            return bits;
        }
    }
    return 0;
}

/* Byte i of number * 2^(8 bytes + bits). */
static uint8_t shifted(const uint8_t number[32], uint8_t i, uint8_t bytes, uint8_t bits)
{
    const uint8_t low = i > bytes ? number[i - bytes - 1] : 0;
    const uint8_t high = i >= bytes ? number[i - bytes] : 0;
    return (uint8_t)((uint16_t)(high << 8 | low) << bits >> 8);
}

/* 1 if a is below b * 2^shift, which has no more bits than a. */
static uint8_t is_below(const uint8_t a[32], const uint8_t b[32], uint8_t shift)
{
    for (uint8_t i = 32; i-- != 0;) {
        const uint8_t byte = shifted(b, i, shift >> 3, shift & 7);
        if (a[i] != byte) {
            return a[i] < byte;
        }
    }
    return 0;
}

/* The rest of a becomes smaller by that of b times 2^shift, its factor larger. */
static void take(struct pair *a, const struct pair *b, uint8_t shift)
{
    const uint8_t bytes = shift >> 3, bits = shift & 7;
    uint16_t borrow = 0, carry = 0;

    for (uint8_t i = bytes; i < 32; i++) {
        borrow = (uint16_t)((uint16_t)a->rest[i] - shifted(b->rest, i, bytes, bits) - borrow);
        a->rest[i] = (uint8_t)borrow;
        borrow >>= 15;
        carry = (uint16_t)(carry + a->factor[i] + shifted(b->factor, i, bytes, bits));
        a->factor[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

/* Neighbouring factors have no common divisor, so one of two is odd. A factor times the rest before
 * it is at most 8 L. */
uint8_t selo_ed25519_halve(uint8_t first[32], uint8_t second[32], const uint8_t k[32])
{
    struct pair pairs[2];
    uint8_t turn = 0; /* pairs[turn] is the larger one, and gets smaller */

    memset(pairs, 0, sizeof pairs);
    selo_ed25519_eight_orders(pairs[0].rest);
    memcpy(pairs[1].rest, k, 32);
    pairs[1].factor[0] = 1;
    for (;;) {
        struct pair *const large = &pairs[turn], *const small = &pairs[turn ^ 1];
        const uint16_t small_bits = bits_of(small->rest);
        if (small_bits <= HALF && (small->factor[0] & 1)) {
            memcpy(first, small->rest, 32);
            memcpy(second, small->factor, 32);
            return turn;
        }
        for (uint16_t bits = bits_of(large->rest); bits >= small_bits; bits = bits_of(large->rest)) {
            uint8_t shift = (uint8_t)(bits - small_bits);
            if (is_below(large->rest, small->rest, shift)) {
                if (shift == 0) {
                    break;
                }
                shift--;
            }
            take(large, small, shift);
        }
        turn ^= 1;
    }
}
