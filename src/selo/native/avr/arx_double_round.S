#ifdef __AVR__ /* other targets compile nothing */
; selo_avr_double_round: four columns and four diagonals of a 4 x 4 matrix of 32-bit words,
; as ChaCha20 [RFC8439, 2.3] and BLAKE2s [RFC7693, 3.2] walk it. Not for C.
;
;   in   Y    the matrix, 64 bytes, rows one after the other, words little-endian
;        Z    the step on four words, as the address for icall (gs): takes a in A0 to A3, b in
;             B0 to B3, c in C0 to C3, d in D0 to D3 (arx.inc); leaves a and c there, b in
;             N3, N0, N1, N2, d in D1, D2, D3, D0, each from its lowest byte on, and keeps
;             Y, Z and r24
;   out  Y, Z as before; r24 is used
;
; 8 x 67 cycles, 26 more and the steps'; 342 bytes of flash, which a program with both
; algorithms has once. One load and store of each word a step; what differs between the two
; algorithms is the step, whose rotations by whole bytes are the order of its registers.
; Proved by tests/avr/test_chacha20.c and test_blake2s.c.

#include "../api.h"

#if SELO_BACKEND_AVR && (SELO_NATIVE_CHACHA20 || SELO_NATIVE_BLAKE2S)

#include "kernel.inc"
#include "arx.inc"

.macro load a, b, c, d, at
    ldd \a, Y+\at
    ldd \b, Y+\at+1
    ldd \c, Y+\at+2
    ldd \d, Y+\at+3
.endm

.macro store a, b, c, d, at
    std Y+\at, \a
    std Y+\at+1, \b
    std Y+\at+2, \c
    std Y+\at+3, \d
.endm

; the step on the words at these bytes of the matrix
.macro step a, b, c, d
    load A0, A1, A2, A3, \a
    load B0, B1, B2, B3, \b
    load C0, C1, C2, C3, \c
    load D0, D1, D2, D3, \d
    icall
    store A0, A1, A2, A3, \a
    store N3, N0, N1, N2, \b
    store C0, C1, C2, C3, \c
    store D1, D2, D3, D0, \d
.endm

kernel selo_avr_double_round
    ldi r24, 4
1:
    step 0, 16, 32, 48
    adiw r28, 4
    dec r24
    brne 1b
    sbiw r28, 16
    step 0, 20, 40, 60
    step 4, 24, 44, 48
    step 8, 28, 32, 52
    step 12, 16, 36, 56
    ret
kernel_end selo_avr_double_round

#endif
#endif
