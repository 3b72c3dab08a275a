/*
 * Noise of ML-KEM from the bytes of its stream on ARM cores with the DSP extension.
 *
 *   void selo_mlkem_expand_words(int16_t poly[256], const uint8_t small[256], uint8_t eta);
 *   void selo_mlkem_add_small(int16_t sum[256], const uint8_t small[256]);
 *
 * poly = the noise of eta 2 or 3 whose 64 eta bytes are in small; sum += that of eta 2 [FIPS203,
 * algorithm 8]. poly and sum are aligned to 4 bytes. small may begin where poly begins, so
 * selo_mlkem_expand_words works from the end; it is loaded from any address.
 *
 * Bits are added in fields of a word, and fields subtracted with an offset that avoids a borrow. Bytes
 * of both signs then go to halves of words (SXTB16), and two halves to one.
 *
 * Cost of selo_mlkem_add_small: 1,333 cycles on Cortex-M4 as modelled, 1,189 instructions, 32 bytes
 * of stack, 640 bytes of flash for both (tests/arm/run.sh --figures).
 * Cost of selo_mlkem_expand_words: 1,390 cycles on Cortex-M4 as modelled for eta 3, 1,323
 * instructions, 32 bytes of stack (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_MLKEM_PAIRS

#include "../arm/kernel.inc"

poly .req r0
small .req r1
left .req r2
offset .req r3
pair0 .req r4
pair1 .req r5
pair2 .req r6
pair3 .req r7
even .req r8
odd .req r9
mask .req r12

/* Eight numbers of noise from the bits in pair0 to the pairs pair0 to pair3. */
.macro noise_of_2
    and even, pair0, #0x55555555
    and odd, mask, pair0, lsr #1
    add even, even, odd                 /* sums of two bits, in fields of two */
    and odd, even, #0xcccccccc
    and even, even, #0x33333333
    sub even, even, odd, lsr #2
    add even, even, #0x44444444         /* differences plus 4, in fields of four */
    and odd, even, #0xf0f0f0f0
    and even, even, #0x0f0f0f0f
    lsr odd, odd, #4
    ssub8 even, even, offset
    ssub8 odd, odd, offset
    sxtb16 pair0, even
    sxtb16 pair2, odd
    sxtb16 pair1, even, ror #8
    sxtb16 pair3, odd, ror #8
    pkhbt even, pair0, pair2, lsl #16         /* numbers 0 and 1 */
    pkhtb pair2, pair2, pair0, asr #16           /* 4 and 5 */
    pkhbt odd, pair1, pair3, lsl #16          /* 2 and 3 */
    pkhtb pair3, pair3, pair1, asr #16           /* 6 and 7 */
    mov pair0, even
    mov pair1, odd
.endm

.macro constants_of_2
    mov offset, #0x04040404
    mov mask, #0x55555555
.endm

kernel selo_mlkem_add_small
    push {r4-r10, lr}
    constants_of_2
    mov left, #32
1:
    ldr pair0, [small], #4
    noise_of_2
    ldr even, [poly]
    ldr odd, [poly, #4]
    ldr r10, [poly, #8]
    ldr lr, [poly, #12]
    uadd16 pair0, pair0, even
    uadd16 pair1, pair1, odd
    uadd16 pair2, pair2, r10
    uadd16 pair3, pair3, lr
    str pair0, [poly], #4
    str pair1, [poly], #4
    str pair2, [poly], #4
    str pair3, [poly], #4
    subs left, #1
    bne 1b
    pop {r4-r10, pc}
kernel_end selo_mlkem_add_small

/* Four numbers of noise from the lower 24 bits of \bits, to the pair \bits and the pair \second. */
.macro noise_of_3 bits, second
    and even, mask, \bits
    and odd, mask, \bits, lsr #1
    add even, even, odd
    and odd, mask, \bits, lsr #2
    add even, even, odd                 /* sums of three bits, in fields of three */
    and odd, r10, even, lsr #3
    and even, even, r10
    add even, even, offset
    sub even, even, odd                 /* differences plus 3, in fields of six */
    pkhbt \bits, even, even, lsl #10
    lsr even, even, #12
    and \bits, \bits, #0x00070007
    pkhbt \second, even, even, lsl #10
    and \second, \second, #0x00070007
    usub16 \bits, \bits, lr
    usub16 \second, \second, lr
.endm

.macro put_back pair
    str \pair, [poly, #-4]!
.endm

kernel selo_mlkem_expand_words
    push {r4-r10, lr}
    add poly, #512
    cmp r2, #3
    beq 3f
    constants_of_2
    add small, #128
    mov left, #32
1:
    ldr pair0, [small, #-4]!
    noise_of_2
    put_back pair3
    put_back pair2
    put_back pair1
    put_back pair0
    subs left, #1
    bne 1b
    pop {r4-r10, pc}
3:
    ldr mask, =0x249249
    ldr r10, =0x1c71c7
    ldr offset, =0x0c30c3
    mov lr, #0x00030003
    add small, #192
    mov left, #16
4:
    ldr pair3, [small, #-4]!
    ldr pair2, [small, #-4]!
    ldr pair0, [small, #-4]!
    lsr pair1, pair3, #8
    noise_of_3 pair1, odd
    put_back odd
    put_back pair1
    lsr pair1, pair2, #16
    orr pair1, pair1, pair3, lsl #16
    noise_of_3 pair1, odd
    put_back odd
    put_back pair1
    lsr pair1, pair0, #24
    orr pair1, pair1, pair2, lsl #8
    noise_of_3 pair1, odd
    put_back odd
    put_back pair1
    noise_of_3 pair0, odd
    put_back odd
    put_back pair0
    subs left, #1
    bne 4b
    pop {r4-r10, pc}
    .ltorg
kernel_end selo_mlkem_expand_words

#endif
