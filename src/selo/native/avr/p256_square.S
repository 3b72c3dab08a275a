/*
 * Field squaring for P-256 on AVR with a hardware multiplier.
 *
 *   void selo_p256_square_avr(uint8_t r[32], const uint8_t a[32]);
 *
 * r = a^2 2^-256 modulo p, any a, r < 2^256. r may be a. Without it, where SELO_P256_SMALL is 1,
 * p256_multiply.S squares.
 *
 * Cost of selo_p256_square_avr: 4,005 cycles, 137 bytes of stack.
 *
 * The square is that of x25519_square_16.inc [HUTTER2014]. No branch, no address and no cycle depends on
 * a. The stack is not wiped: the callers of selo_p256_wipe_scratch do that once.
 *
 * Proved by tests/avr/p256.sh and by the official vectors (selo lab check).
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_P256 && !SELO_P256_SMALL

#define SQUARE_16 selo_p256_square_16

    .section .text.selo_p256_square_avr, "ax", @progbits

#include "x25519_square_16.inc"

/* selo_p256_reduce is in p256_multiply.S. */
entry selo_p256_square_avr
    square_32 selo_p256_reduce
kernel_end selo_p256_square_avr

#endif
