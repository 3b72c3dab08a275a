/*
 * Field squaring for X25519 on AVR with a hardware multiplier.
 *
 *   void selo_field25519_square_avr(uint8_t r[32], const uint8_t a[32]);
 *
 * r = a^2 modulo 2^255 - 19, any a, r < 2^255 + 2^136. r may be a. Without it, where
 * SELO_X25519_SMALL is 1, x25519_multiply.S squares.
 *
 * Cost of selo_field25519_square_avr: 3,700 cycles, 137 bytes of stack.
 *
 * The square is that of x25519_square_16.inc [HUTTER2014]. No branch, no address and no cycle depends on
 * a. The stack is not wiped: x25519_ladder.c does that once.
 *
 * Proved by tests/avr/field.sh and by the official vectors (selo lab check).
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_X25519 && !SELO_X25519_SMALL

#define SQUARE_16 selo_x25519_square_16

    .section .text.selo_field25519_square_avr, "ax", @progbits

#include "x25519_square_16.inc"

/* selo_x25519_reduce is in x25519_multiply.S. */
entry selo_field25519_square_avr
    square_32 selo_x25519_reduce
kernel_end selo_field25519_square_avr

#endif
