#ifdef __AVR__ /* other targets compile nothing */
; selo_aes_fast_decrypt: one block with a ready key schedule, the straight inverse cipher
; [FIPS197, 5.3].
;
;   void selo_aes_fast_decrypt(const uint8_t *round_keys, uint8_t out[16],
;                              const uint8_t in[16], uint8_t rounds)
;                              r25:r24, r23:r22, r21:r20, r18
;
; out may be in. Through selo_aes128_fast_decrypt, 192 and 256, call and return included:
; 2,805, 3,361 and 3,917 cycles. 576 bytes of flash, 512 of multiples, beside the inverse
; S-box; 15 bytes of stack with the return address.
;
; The state stays in registers. A round: InvShiftRows and InvSubBytes in place, row by row,
; with the round key; then, for all columns, 4(a+c) and 4(b+d) by a table of multiples, and
; the differences doubled by another, so that ZH changes three times a round.
; InvMixColumns: with w = a+b+c+d, e = 4(a+c)+w and o = 4(b+d)+w are added to a, c and b, d;
; w falls out of the differences, and 2(a+b), 2(c+d), 2(b+c) do the rest as in MixColumns.
; Multiples by tables instead of doubling are known from [KIMSEO2021]; adding w with e
; and o, which makes it free of the doubled terms, is worked out here.
;
; Time: no branch depends on the block or the key. All three tables stand at 256-byte
; boundaries, so lpm takes 3 cycles for every index; the chip has no cache.
; Proved by tests/avr/test_aes.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_AES

#include "kernel.inc"

#define S0  r0
#define S1  r1
#define S2  r2
#define S3  r3
#define S4  r4
#define S5  r5
#define S6  r6
#define S7  r7
#define S8  r8
#define S9  r9
#define S10 r10
#define S11 r11
#define S12 r12
#define S13 r19
#define S14 r20
#define S15 r21
#define T   r22
#define U   r23
#define V   r24
#define W   r25
#define ROUNDS r18

; to = inverse S-box(from) + byte `index` of the round key
.macro look to, from, index
    mov r30, \from
    look_up \to
    ldd T, Y+\index
    eor \to, T
.endm

; the same for what would overwrite a byte that is still needed: first half, second half
.macro early to, from
    mov r30, \from
    look_up \to
.endm
.macro late to, kept, index
    ldd \to, Y+\index
    eor \to, \kept
.endm

.macro inverse_substitute_and_shift
    look S0, S0, 0
    look S4, S4, 4
    look S8, S8, 8
    look S12, S12, 12
    early U, S13
    look S13, S9, 13
    look S9, S5, 9
    look S5, S1, 5
    late S1, U, 1
    early U, S2
    look S2, S10, 2
    late S10, U, 10
    early U, S6
    look S6, S14, 6
    late S14, U, 14
    early U, S3
    look S3, S7, 3
    look S7, S11, 7
    look S11, S15, 11
    late S15, U, 15
.endm

; e and o of a column; ZH: multiples of 4
.macro even_and_odd a, b, c, d
    mov r30, \a
    eor r30, \c
    mov W, r30
    lpm T, Z
    mov r30, \b
    eor r30, \d
    eor W, r30
    lpm U, Z
    eor T, W
    eor U, W
    eor \a, T
    eor \c, T
    eor \b, U
    eor \d, U
.endm

; the doubled differences of a column; ZH: multiples of 2
.macro differences a, b, c, d
    mov r30, \a
    eor r30, \b
    lpm T, Z
    mov r30, \c
    eor r30, \d
    lpm U, Z
    mov r30, \b
    eor r30, \c
    lpm V, Z
    eor \a, T
    eor \c, U
    eor \b, V
    eor \d, T
    eor \d, U
    eor \d, V
.endm

.macro first to, index
    ldd \to, Z+\index
    ldd T, Y+\index
    eor \to, T
.endm

kernel selo_aes_fast_decrypt
    push_range 2, 12
    push r28
    push r29
    movw r26, r22               ; X: out
    movw r30, r20               ; Z: in
    ldi r19, 16
    mul r18, r19                ; the last round key first
    movw r28, r24
    add r28, r0
    adc r29, r1                 ; Y: round keys
    first S0, 0
    first S1, 1
    first S2, 2
    first S3, 3
    first S4, 4
    first S5, 5
    first S6, 6
    first S7, 7
    first S8, 8
    first S9, 9
    first S10, 10
    first S11, 11
    first S12, 12
    first S13, 13
    first S14, 14
    first S15, 15
    ldi r31, hi8(selo_aes_inverse_sbox)
1:
    sbiw r28, 16
    inverse_substitute_and_shift
    dec ROUNDS
    brne .+2
    rjmp 2f
    ldi r31, hi8(selo_aes_multiples)
    even_and_odd S0, S1, S2, S3
    even_and_odd S4, S5, S6, S7
    even_and_odd S8, S9, S10, S11
    even_and_odd S12, S13, S14, S15
    inc r31
    differences S0, S1, S2, S3
    differences S4, S5, S6, S7
    differences S8, S9, S10, S11
    differences S12, S13, S14, S15
    ldi r31, hi8(selo_aes_inverse_sbox)
    rjmp 1b
2:
    st X+, S0
    st X+, S1
    st X+, S2
    st X+, S3
    st X+, S4
    st X+, S5
    st X+, S6
    st X+, S7
    st X+, S8
    st X+, S9
    st X+, S10
    st X+, S11
    st X+, S12
    st X+, S13
    st X+, S14
    st X+, S15
    pop r29
    pop r28
    pop_range 2, 12
    clr r1
    ret
kernel_end selo_aes_fast_decrypt

; Multiples in GF(2^8) [FIPS197, 4.2]: of 4, then of 2.
.section .progmem.data.selo_aes_multiples, "a", @progbits
.global selo_aes_multiples
.type selo_aes_multiples, @object
.balign 256
selo_aes_multiples:
.set x, 0
.rept 256
    .byte ((x << 2) ^ (((x >> 7) & 1) * 0x36) ^ (((x >> 6) & 1) * 0x1b)) & 0xff
    .set x, x + 1
.endr
.set x, 0
.rept 256
    .byte ((x << 1) ^ (((x >> 7) & 1) * 0x1b)) & 0xff
    .set x, x + 1
.endr
.size selo_aes_multiples, 512

#endif
#endif
