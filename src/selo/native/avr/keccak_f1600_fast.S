#ifdef __AVR__ /* other targets compile nothing */
; selo_keccak_f1600: the permutation Keccak-f[1600] in place [FIPS202, 3.3], the fast one.
;
;   void selo_keccak_f1600(uint64_t lanes[25])
;                          r25:r24
;
; 91,669 cycles, call and return included. 3,284 bytes of flash; SELO_KECCAK_SMALL=1 takes
; keccak_f1600_small.S in its place. 73 bytes of stack with the return address, wiped.
;
; Two passes a round. The first is theta's second half, rho and pi along the cycle of pi,
; against its direction: a lane is loaded, gets its column's term, is rotated and stored
; where the lane before it came from; whole bytes of a rotation are the order of the
; stores, and of bits there are at most four to do in either direction. It is written out, and
; begins where the fewest terms have to be read: two of the five are in registers at a time,
; and 16 of the 25 lanes find theirs there. The second pass is chi, iota and theta's first
; half, byte by byte through all five rows: the parities of the columns stay in registers,
; become the next terms there and are never stored.
; Six lanes stand as their complements from the first round to the last, which takes four of the
; five complements out of a row of chi. Merging the steps and the complements are of
; [KECCAKIMPL]; passes and registers are worked out here.
;
; Of a round's cycles 1,761 are the first pass and 1,972 the second.
;
; Time: no branch and no address depends on the state.
; Proved by tests/avr/test_keccak.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_KECCAK && !SELO_KECCAK_SMALL

#include "kernel.inc"

/* On the stack, from Y on: byte i of the term of column x at 5 i + x; a lane; the round. */
#define KEPT 40
#define ROUND 48
#define FRAME 49

/* ---- The first pass ---- */

.set L, 2  /* eight registers from here on: a lane */
.set F, 10 /* and a term */
.set G, 18 /* and another one */

; The term of column \x to the registers from \at on.
.macro term x, at
    .irp n, 0,1,2,3,4,5,6,7
    ldd \at + \n, Y+5*\n+\x
    .endr
.endm

; X to byte \place of the lanes, from byte AT.
.macro go_to place
    .set BY, (\place) - AT
    .if BY > 63 || BY < -63
    subi r26, lo8(-(BY))
    sbci r27, hi8(-(BY))
    .elseif BY > 0
    adiw r26, BY
    .elseif BY < 0
    sbiw r26, -(BY)
    .endif
    .set AT, \place
.endm

; Lane \from with its term, which is F or G, or a column whose term is not in registers.
.macro load from, term
    go_to 8 * \from
    .irp n, 0,1,2,3,4,5,6,7
    ld L + \n, X+
    .if \term < 5
    ldd r0, Y+5*\n+\term
    eor L + \n, r0
    .else
    eor L + \n, \term + \n
    .endif
    .endr
    .set AT, AT + 8
.endm

; The lane by \bits to the left, or to the right if they are negative.
.macro rotate bits
    .if \bits > 0
    .rept \bits
    lsl L
    .irp n, 1,2,3,4,5,6,7
    rol L + \n
    .endr
    adc L, r1
    .endr
    .elseif \bits < 0
    mov r0, L
    .rept -(\bits)
    lsr r0
    .irp n, 7,6,5,4,3,2,1,0
    ror L + \n
    .endr
    .endr
    .endif
.endm

; The lane before Z, by \bytes to the left: byte n is in register n - \bytes modulo 8.
.macro store bytes
    .irp n, 7,6,5,4,3,2,1,0
    st -Z, L + ((\n - \bytes) & 7)
    .endr
.endm

; Lane \from goes on: rotated by 8 \bytes + \bits, to where the one before came from.
.macro lane from, term, bytes, bits
    movw r30, r26
    load \from, \term
    rotate \bits
    store \bytes
.endm

/* ---- The second pass: byte i of every lane ---- */

#define A 2  /* a row, in five registers */
#define T 8  /* what chi adds to it */
#define C 14 /* the parities of the columns */
#define P 19 /* and those of byte i - 1 */
#define COUNT r24

; Five lanes where \a to \e say.
.macro load_row a, b, c, d, e
    ldd A, \a
    ldd A + 1, \b
    ldd A + 2, \c
    ldd A + 3, \d
    ldd A + 4, \e
    movw T, A
    movw T + 2, A + 2
    mov T + 4, A + 4
.endm

; The row with what was made of the copies, which stand for the lanes \a to \e.
.macro add_to_row a, b, c, d, e
    eor A, T + \a
    eor A + 1, T + \b
    eor A + 2, T + \c
    eor A + 3, T + \d
    eor A + 4, T + \e
.endm

.macro store_row a, b, c, d, e
    std \a, A
    std \b, A + 1
    std \c, A + 2
    std \d, A + 3
    std \e, A + 4
.endm

.macro add_parities
    .irp n, 0,1,2,3,4
    eor C + \n, A + \n
    .endr
.endm

; Terms of byte i to X: the parity of the column before, and that of the column after rotated
; left by a bit, which comes from byte i - 1.
.macro make_terms
    .irp n, 0,1,2,3,4
    lsl P + \n
    mov P + \n, C + \n
    rol C + \n
    .endr
    eor C + 1, P + 4
    st X+, C + 1
    eor C + 2, P
    st X+, C + 2
    eor C + 3, P + 1
    st X+, C + 3
    eor C + 4, P + 2
    st X+, C + 4
    eor C, P + 3
    st X+, C
.endm

.macro clear_parities of
    .irp n, 0,1,2,3,4
    clr \of + \n
    .endr
.endm

kernel selo_keccak_f1600
    frame_enter FRAME
    movw r30, r24
    rcall complement
    std Y+ROUND, r1

    movw r26, r28               ; the first terms
    clear_parities P
    ldi r30, 8
    mov r2, r30
1:
    clear_parities C
    ldi r30, 5
    mov r3, r30
    movw r30, r24
2:
    .irp n, 0,1,2,3,4
    ldd r0, Z+8*\n
    eor C + \n, r0
    .endr
    adiw r30, 40
    dec r3
    brne 2b
    make_terms
    adiw r24, 1
    dec r2
    brne 1b
    subi r24, lo8(-64)
    sbci r25, hi8(-64)
    movw r26, r24

round:                          ; X: byte 72 of the lanes
    ldi r24, 2                  ; the highest bits of the parities come round to the lowest
    .irp n, 0,1,2,3,4
    mul P + (\n + 1) % 5, r24
    ldd r0, Y+\n
    eor r0, r1
    std Y+\n, r0
    .endr
    clr r1

    .set AT, 72
    term 4, F
    load 9, F                   ; the first target: it waits until the others are done
    .irp n, 0,1,2,3,4,5,6,7
    std Y+KEPT+\n, L + \n
    .endr
    term 2, G
    lane 22, G, 0, -3             ; 61
    lane 14, F, 5, -1             ; 39
    lane 20, 0, 2, 2              ; 18
    lane 2, G, 0, -2              ; 62
    lane 12, G, 5, 3              ; 43
    term 3, G
    lane 13, G, 3, 1              ; 25
    lane 19, F, 1, 0              ; 8
    lane 23, G, 7, 0              ; 56
    lane 15, 0, 5, 1              ; 41
    lane 4, F, 3, 3               ; 27
    lane 24, F, 2, -2             ; 14
    term 1, F
    lane 21, F, 0, 2              ; 2
    lane 8, G, 7, -1              ; 55
    lane 16, F, 6, -3             ; 45
    lane 5, 0, 4, 4               ; 36
    lane 3, G, 3, 4               ; 28
    lane 18, G, 3, -3             ; 21
    term 2, G
    lane 17, G, 2, -1             ; 15
    lane 11, F, 1, 2              ; 10
    lane 7, G, 1, -2              ; 6
    term 0, G
    lane 10, G, 0, 3              ; 3
    lane 1, F, 0, 1               ; 1
    lane 6, F, 5, 4               ; 44
    .irp n, 0,1,2,3,4,5,6,7
    ldd L + \n, Y+KEPT+\n
    .endr
    rotate 4                    ; 20
    movw r30, r26
    store 2
    sbiw r30, 48                ; lane 0 stays where it is
    .irp n, 0,1,2,3,4,5,6,7
    ldd r0, Z+\n
    eor r0, G + \n
    std Z+\n, r0
    .endr
    movw r26, r30

    ; iota's constant: its bytes where the second pass puts column 0's terms. The bits at 0,
    ; 1, 3 and 7 are as they are, 15, 31 and 63 stand at 4, 5 and 6.
    ldd r24, Y+ROUND
    ldi r30, lo8(constants)
    ldi r31, hi8(constants)
    add r30, r24
    adc r31, r1
    inc r24
    std Y+ROUND, r24
    lpm r24, Z
    mov r25, r24
    andi r25, 0x8b
    std Y+5*0, r25
    .irp n, 7,3,1
    lsl r24
    mov r25, r24
    andi r25, 0x80
    std Y+5*\n, r25
    .endr
    .irp n, 2,4,5,6
    std Y+5*\n, r1
    .endr
    movw r30, r26               ; Z: lanes 0 to 7, later 16 to 23 and 17 to 24
    movw r26, r28               ; X: terms
    movw r28, r30               ; Y: lanes 8 to 15
    subi r28, lo8(-64)
    sbci r29, hi8(-64)
    clear_parities P
    ldi COUNT, 8
slice:
    load_row Z+0, Z+8, Z+16, Z+24, Z+32 ; a, c and d are complements
    or T + 1, A + 2             ; a: b or c
    com T + 2
    or T + 2, A + 3             ; b: not c or d
    and T + 3, A + 4            ; c: d and e
    or T + 4, A                 ; d: e or a
    and T, A + 1                ; e: a and b
    add_to_row 1, 2, 3, 4, 0
    ld r0, X
    eor A, r0
    store_row Z+0, Z+8, Z+16, Z+24, Z+32
    movw C, A
    movw C + 2, A + 2
    mov C + 4, A + 4

    load_row Z+40, Z+48, Z+56, Y+0, Y+8 ; a and c
    or T + 2, A + 1             ; a: b or c
    and T + 3, A + 2            ; b: c and d
    com T + 4
    or T + 4, A + 3             ; c: d or not e
    or T, A + 4                 ; d: e or a
    and T + 1, A                ; e: a and b
    add_to_row 2, 3, 4, 0, 1
    store_row Z+40, Z+48, Z+56, Y+0, Y+8
    add_parities

    load_row Y+16, Y+24, Y+32, Y+40, Y+48 ; a and c
    or T + 2, A + 1             ; a: b or c
    and T + 3, A + 2            ; b: c and d
    com A + 3
    and T + 4, A + 3            ; c: not d and e
    or T, A + 4                 ; d, a complement too: e or a
    and T + 1, A                ; e: a and b
    add_to_row 2, 3, 4, 0, 1
    store_row Y+16, Y+24, Y+32, Y+40, Y+48
    add_parities

    subi r30, lo8(-128)
    sbci r31, hi8(-128)
    load_row Y+56, Z+0, Z+8, Z+16, Z+24 ; b, d and e
    and T + 2, A + 1            ; a: b and c
    or T + 3, A + 2             ; b: c or d
    com A + 3
    or T + 4, A + 3             ; c: not d or e
    and T, A + 4                ; d, a complement too: e and a
    or T + 1, A                 ; e: a or b
    add_to_row 2, 3, 4, 0, 1
    store_row Y+56, Z+0, Z+8, Z+16, Z+24
    add_parities

    adiw r30, 8
    load_row Z+24, Z+32, Z+40, Z+48, Z+56 ; a and d
    and T, A + 1                ; e: a and b
    com A + 1
    mov T + 1, A + 1
    and T + 1, A + 2            ; a: not b and c
    or T + 2, A + 3             ; b, a complement too: c or d
    and T + 3, A + 4            ; c: d and e
    or T + 4, A                 ; d: e or a
    add_to_row 1, 2, 3, 4, 0
    store_row Z+24, Z+32, Z+40, Z+48, Z+56
    add_parities

    make_terms
    subi r30, 135
    sbci r31, 0
    adiw r28, 1
    dec COUNT
    breq 3f
    rjmp slice
3:
    movw r24, r28
    movw r28, r26
    sbiw r28, 40
    movw r26, r24
    ldd r24, Y+ROUND
    cpi r24, 24
    breq 4f
    rjmp round
4:
    movw r30, r26
    subi r30, 72
    sbci r31, 0
    rcall complement
    ldi r24, FRAME
5:
    st Y+, r1
    dec r24
    brne 5b
    frame_leave

; Z: the lanes, of which 1, 2, 8, 12, 17 and 20 change between themselves and complements.
complement:
    adiw r30, 8
    rcall complement_lane
    rcall complement_lane
    adiw r30, 40
    rcall complement_lane
    adiw r30, 24
    rcall complement_lane
    adiw r30, 32
    rcall complement_lane
    adiw r30, 16
complement_lane:
    .rept 8
    ld r0, Z
    com r0
    st Z+, r0
    .endr
    ret
kernel_end selo_keccak_f1600

.section .progmem.data.selo_keccak_f1600, "a", @progbits
constants:
    .byte 0x01, 0x92, 0xda, 0x70, 0x9b, 0x21, 0xf1, 0x59, 0x8a, 0x88, 0x39, 0x2a
    .byte 0xbb, 0xcb, 0xd9, 0x53, 0x52, 0xc0, 0x1a, 0x6a, 0xf1, 0xd0, 0x21, 0x78

#endif
#endif
