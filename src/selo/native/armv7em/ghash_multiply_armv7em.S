/*
 * The multiplication of GHASH on ARM cores with 32-bit Thumb instructions whose UMULL takes the same
 * time for all numbers: Cortex-M4 and later.
 *
 *   void selo_ghash_multiply(uint8_t product[16], const uint8_t key[16]);
 *
 * product = product * key in GF(2^128) [SP800-38D, 6.3]. Both have any alignment.
 *
 * Polynomials are multiplied with the integer multiplier, as ghash_multiply.c explains: every fourth
 * bit of a factor may be set. UMULL gives all 64 bits of a product, so nothing is mirrored. Two
 * products may be added before they are combined if their columns never have more than 15 ones
 * together: that of bits 0 and 0, and that of bits 1 and 3, have 8 ones in their fullest columns,
 * 28 and 32, and 7 in each other's.
 *
 * Nine products of 32 bits, by Karatsuba twice. Words read as big-endian numbers have the
 * coefficient of x^0 on top, so the product of 255 bits moves up by one, and its lower half is
 * reduced.
 *
 * Cost of selo_ghash_multiply: 808 cycles on Cortex-M4 as modelled, 729 instructions, 116 bytes of
 * stack, 760 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_GHASH && SELO_BACKEND_UMAAL

/* The stack: nine pairs of factors, whose places their products take; the next pair; what is
 * pushed: the product first. */
#define NEXT 72
#define FRAME 76

#include "../arm/ghash_thumb2.inc"

.macro every_fourth a0, a1, a2, a3, of
    and \a0, \of, #0x11111111
    and \a1, \of, #0x22222222
    and \a2, \of, #0x44444444
    and \a3, \of, #0x88888888
.endm

/* r10 and r11 += a b. Uses r12 and lr. */
.macro add_product a, b
    umull r12, lr, \a, \b
    eor r10, r10, r12
    eor r11, r11, lr
.endm

/* The same with a b + c d, integers. */
.macro add_products a, b, c, d
    umull r12, lr, \a, \b
    umlal r12, lr, \c, \d
    eor r10, r10, r12
    eor r11, r11, lr
.endm

/* The bits of r10 and r11 that mask selects, to the product. */
.macro keep mask
    and r10, r10, #\mask
    and r11, r11, #\mask
    orr r0, r0, r10
    orr r1, r1, r11
.endm

/* (r0, r1) = the product of the polynomials r0 and r1. Uses r2 to r12 and lr. */
.macro multiply
    every_fourth r2, r3, r4, r5, r0
    every_fourth r6, r7, r8, r9, r1
    umull r10, r11, r2, r6
    umlal r10, r11, r3, r9
    add_product r4, r8
    add_product r5, r7
    and r0, r10, #0x11111111
    and r1, r11, #0x11111111
    umull r10, r11, r2, r7
    umlal r10, r11, r4, r9
    add_products r3, r6, r5, r8
    keep 0x22222222
    umull r10, r11, r2, r8
    umlal r10, r11, r5, r9
    add_product r3, r7
    add_product r4, r6
    keep 0x44444444
    umull r10, r11, r2, r9
    add_product r3, r8
    add_product r4, r7
    add_product r5, r6
    keep 0x88888888
.endm

kernel selo_ghash_multiply
    push {r0, r4-r11, lr}
    sub sp, #FRAME
    factors 0
    mov r0, r1
    factors 4
    mov lr, sp
1:
    str lr, [sp, #NEXT]
    ldr r0, [lr]
    ldr r1, [lr, #4]
    multiply
    ldr lr, [sp, #NEXT]
    str r0, [lr]
    str r1, [lr, #4]
    add lr, lr, #8
    add r2, sp, #NEXT
    cmp lr, r2
    bne.w 1b

    combine_and_reduce
    /* The products would give away the key. */
    mov r0, #0
    mov r1, #0
    mov r2, #0
    mov r3, #0
    mov r4, #0
    mov r5, #0
    mov r12, sp
    .rept 3
    stm r12!, {r0-r5}
    .endr
    add sp, #FRAME + 4
    pop {r4-r11, pc}
kernel_end selo_ghash_multiply

#endif
