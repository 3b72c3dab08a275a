/*
 * The Ascon permutation on ARM cores with 32-bit Thumb instructions.
 *
 *   void selo_ascon_permute(uint64_t state[5], uint8_t rounds);
 *
 * state = Ascon-p[rounds](state) [SP800-232, 3]. rounds is 8 or 12.
 *
 * The whole state is in registers. Each half of a word passes the substitution layer alone. In the
 * linear layer the second rotation is relative to the first: x + (x + x by b - a) by a, so that each
 * half changes in its place, and every shift is part of an addition. Words of interleaved bits
 * would halve the linear layer, but to interleave two words and back costs more than the eight
 * rounds of a block save.
 *
 * Cost of selo_ascon_permute with 8 rounds: 663 cycles on Cortex-M3 and 663 cycles on Cortex-M4 as
 * modelled, 619 instructions, 40 bytes of stack, 1,252 bytes of flash (tests/arm/run.sh
 * --figures).
 */
#include "../api.h"

#if SELO_NATIVE_ASCON && SELO_BACKEND_THUMB2

#include "../arm/kernel.inc"

/* The substitution layer on a half of the five words [SP800-232, 3.3]. Uses r10 to r12. */
.macro substitute a, b, c, d, e
    eor \a, \a, \e
    eor \e, \e, \d
    eor \c, \c, \b
    bic r10, \b, \a
    bic r11, \a, \e
    bic r12, \c, \b
    eor \a, \a, r12
    bic r12, \d, \c
    eor \b, \b, r12
    bic r12, \e, \d
    eor \c, \c, r12
    eor \d, \d, r11
    eor \e, \e, r10
    eor \b, \b, \a
    eor \a, \a, \e
    eor \d, \d, \c
    mvn \c, \c
.endm

/* low and high += those of x, which rotates to the right by \by. */
.macro add_rotated low, high, from_low, from_high, x_low, x_high, by
    .if \by < 32
    eor \low, \from_low, \x_low, lsr #\by
    eor \high, \from_high, \x_high, lsr #\by
    eor \low, \low, \x_high, lsl #(32 - \by)
    eor \high, \high, \x_low, lsl #(32 - \by)
    .else
    eor \low, \from_low, \x_high, lsr #(\by - 32)
    eor \high, \from_high, \x_low, lsr #(\by - 32)
    eor \low, \low, \x_low, lsl #(64 - \by)
    eor \high, \high, \x_high, lsl #(64 - \by)
    .endif
.endm

/* The linear layer on a word [SP800-232, 3.4]: rotations by \first and by \first + \more. Uses r10
 * and r11. */
.macro diffuse low, high, first, more
    add_rotated r10, r11, \low, \high, \low, \high, \more
    add_rotated \low, \high, \low, \high, r10, r11, \first
.endm

.macro round
    eor r4, r4, lr
    substitute r0, r2, r4, r6, r8
    substitute r1, r3, r5, r7, r9
    diffuse r0, r1, 19, 9
    diffuse r2, r3, 39, 22
    diffuse r4, r5, 1, 5
    diffuse r6, r7, 10, 7
    diffuse r8, r9, 7, 34
    sub lr, lr, #0x0f
.endm

kernel selo_ascon_permute
    push {r0, r4-r11, lr}
    /* The round constant: f0, e1, ... 4b, or the last 8 of them [SP800-232, 3.2]. */
    rsb r1, r1, r1, lsl #4
    add lr, r1, #0x3c
    ldm r0, {r0-r9}
1:
    round
    round
    round
    round
    cmp lr, #0x3c
    bne.w 1b
    pop {r10}
    stm r10, {r0-r9}
    pop {r4-r11, pc}
kernel_end selo_ascon_permute

#endif
