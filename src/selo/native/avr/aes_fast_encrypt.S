#ifdef __AVR__ /* other targets compile nothing */
; selo_aes_fast_encrypt: one block with a ready key schedule [FIPS197, 5.1].
;
;   void selo_aes_fast_encrypt(const uint8_t *round_keys, uint8_t out[16],
;                              const uint8_t in[16], uint8_t rounds)
;                              r25:r24, r23:r22, r21:r20, r18
;
; out may be in. Through selo_aes128_fast_encrypt, 192 and 256, call and return included:
; 2,223, 2,651 and 3,079 cycles. 640 bytes of flash beside the S-box; 20 bytes of stack with
; the return address.
;
; The whole state stays in registers. A round key is added where the S-box's address is
; made: ldd ZL, eor ZL, lpm. SubBytes, ShiftRows and MixColumns are one pass, column by
; column; what a column overwrites and a later one still needs is looked up first, into a
; register of its own, so that nothing is ever moved.
; MixColumns: with w = a+b+c+d, T = 2(a+b)+w, U = 2(c+d)+w, V = 2(b+c)+w the column becomes
; a+T, b+V, c+U, d+T+U+V, because the four differences add up to nothing.
; The idea of merging the steps by columns is of [KIMSEO2021]; the doubling by a mask, the
; registers and the three terms are written here.
;
; Time: no branch depends on the block or the key. The S-box stands at a 256-byte boundary,
; so ZH never changes and lpm takes 3 cycles for every index (ld 2, from RAM: SELO_AES_SBOX_IN_RAM);
; the chip has no cache.
; Proved by tests/avr/test_aes.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_AES

#include "kernel.inc"

; The state, column by column. r14 to r17, r19 to r21 hold what was looked up too early.
#define S0  r0
#define S1  r2
#define S2  r3
#define S3  r1
#define S4  r4
#define S5  r6
#define S6  r7
#define S7  r5
#define S8  r8
#define S9  r10
#define S10 r11
#define S11 r9
#define S12 r12
#define S13 r22
#define S14 r23
#define S15 r13
#define B   r14 /* B and C, P and Q2, R and Q are pairs for movw */
#define C   r15
#define R   r16
#define Q   r17
#define P   r20
#define Q2  r21
#define D   r19
#define W   r24
#define REDUCE r25
#define ROUNDS r18

; to = S-box(from + its byte of the round key); index is the place of from
.macro look to, from, index
    ldd r30, Y+\index
    eor r30, \from
    look_up \to
.endm

; x = 2 x in GF(2^8), by a mask; ZL is free meanwhile
.macro double x
    lsl \x
    sbc r30, r30
    and r30, REDUCE
    eor \x, r30
.endm

; The column a, b, c, d: a in place, the others to v, u, t. (b, c) and (v, u) are pairs.
.macro mix a, b, c, d, v, u, t
    mov \t, \a
    movw \v, \b
    eor \t, \b
    eor \v, \c
    eor \u, \d
    mov W, \t
    eor W, \u
    double \t
    double \u
    double \v
    eor \t, W
    eor \u, W
    eor \v, W
    eor \a, \t
    eor \t, \u
    eor \t, \v
    eor \t, \d
    eor \u, \c
    eor \v, \b
.endm

; the last round: one byte to out
.macro last from, index, place
    look W, \from, \index
    ldd REDUCE, Y+16+\place
    eor W, REDUCE
    st X+, W
.endm

kernel selo_aes_fast_encrypt
    save_registers
    movw r28, r24               ; Y: round keys
    movw r26, r22               ; X: out
    movw r30, r20               ; Z: in
    ld S0, Z
    ldd S1, Z+1
    ldd S2, Z+2
    ldd S3, Z+3
    ldd S4, Z+4
    ldd S5, Z+5
    ldd S6, Z+6
    ldd S7, Z+7
    ldd S8, Z+8
    ldd S9, Z+9
    ldd S10, Z+10
    ldd S11, Z+11
    ldd S12, Z+12
    ldd S13, Z+13
    ldd S14, Z+14
    ldd S15, Z+15
    ldi r31, hi8(selo_aes_sbox)
    ldi REDUCE, 0x1b
    dec ROUNDS
1:
    look S0, S0, 0
    look P, S1, 1
    look Q, S2, 2
    look R, S3, 3
    look B, S5, 5
    look C, S10, 10
    look D, S15, 15
    mix S0, B, C, D, S1, S2, S3
    look S4, S4, 4
    look Q2, S6, 6
    look D, S7, 7
    look B, S9, 9
    look C, S14, 14
    mix S4, B, C, R, S5, S6, S7
    look S8, S8, 8
    look C, S11, 11
    look R, S13, 13
    mix S8, R, Q, D, S9, S10, S11
    look S12, S12, 12
    mix S12, P, Q2, C, S13, S14, S15
    adiw r28, 16
    dec ROUNDS
    breq 2f
    rjmp 1b
2:
    last S0, 0, 0
    last S5, 5, 1
    last S10, 10, 2
    last S15, 15, 3
    last S4, 4, 4
    last S9, 9, 5
    last S14, 14, 6
    last S3, 3, 7
    last S8, 8, 8
    last S13, 13, 9
    last S2, 2, 10
    last S7, 7, 11
    last S12, 12, 12
    last S1, 1, 13
    last S6, 6, 14
    last S11, 11, 15
    restore_registers
    clr r1
    ret
kernel_end selo_aes_fast_encrypt

#endif
#endif
