/*
 * The packed form of a polynomial of ML-KEM on ARM cores with the DSP extension.
 *
 *   void selo_mlkem_pack(uint8_t packed[384], const int16_t poly[256]);
 *
 * ByteEncode12 of the coefficients modulo q [FIPS203, 4.2.1]. poly is aligned to 4 bytes, packed may begin
 * where poly begins, and words are stored at any address.
 *
 * selo_mlkem_canonical_word of mlkem_words.h for each coefficient; eight make three words.
 *
 * Cost of selo_mlkem_pack: 1,976 cycles on Cortex-M4 as modelled, 1,863 instructions, 32 bytes of
 * stack, 252 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_MLKEM_PAIRS

#include "../arm/kernel.inc"

packed .req r0
poly .req r1
pair0 .req r2
pair1 .req r3
pair2 .req r4
pair3 .req r5
odd .req r6
left .req r7
factor .req r8
addend .req r9
modulus .req r10
rounding .req r12

.macro canonical word
    mla \word, \word, factor, addend
    lsr \word, \word, #16
    mla \word, \word, modulus, rounding
    lsr \word, \word, #16
.endm

.macro pack_pair pair
    asr odd, \pair, #16
    sxth \pair, \pair
    canonical odd
    canonical \pair
    orr \pair, \pair, odd, lsl #12
.endm

kernel selo_mlkem_pack
    push {r4-r10, lr}
    ldr factor, =1290167
    movw addend, #13530
    movw modulus, #3329
    mov rounding, #8192
    mov left, #32
1:
    ldr pair0, [poly], #4
    ldr pair1, [poly], #4
    ldr pair2, [poly], #4
    ldr pair3, [poly], #4
    pack_pair pair0
    pack_pair pair1
    pack_pair pair2
    pack_pair pair3
    orr pair0, pair0, pair1, lsl #24
    lsr pair1, pair1, #8
    orr pair1, pair1, pair2, lsl #16
    lsr pair2, pair2, #16
    orr pair2, pair2, pair3, lsl #8
    str pair0, [packed], #4
    str pair1, [packed], #4
    str pair2, [packed], #4
    subs left, #1
    bne 1b
    pop {r4-r10, pc}
    .ltorg
kernel_end selo_mlkem_pack

#endif
