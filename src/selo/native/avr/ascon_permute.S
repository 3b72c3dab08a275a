#ifdef __AVR__ /* other targets compile nothing */
; selo_ascon_permute: Ascon-p[8] and Ascon-p[12] [SP800-232, 3].
;
;   void selo_ascon_permute(uint64_t state[5], uint8_t rounds)
;                           r25:r24, r22
;
; rounds is 1 to 12. 5,013 cycles for 8 rounds, 7,437 for 12, call and return included.
; 1,216 bytes of flash, 56 less than C; 20 bytes of stack with the return address.
;
; The substitution layer goes byte by byte through the five words, the diffusion layer word
; by word. Two words never reach memory between the layers that use them: e has its eight
; registers throughout, and eight others hold a from its diffusion to the substitution, which
; leaves d in them byte by byte, for the diffusion of d. Half of c has the registers that are
; left. A rotation by whole bytes is another name for the registers of a copy; of the bits
; that remain, the two rotations of a word share what they can: x + (x >>> 19) + (x >>> 28)
; is x + ((x >>> 16 + x >>> 25) >>> 3). The five steps of the substitution by
; [SP800-232, 3.3], with b and d complemented in between, which saves instructions on a CPU
; that cannot complement in an AND.
;
; Time: branches depend on the number of rounds only.
; Proved by tests/avr/test_ascon.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_ASCON

#include "kernel.inc"

#define A 2  /* eight registers from here on: a, later d */
#define E 10 /* e */
#define W 18 /* a copy that is rotated; bytes of the others in the substitution */
#define C4 r28 /* the upper half of c */
#define C5 r29
#define C6 r27
#define C7 r0
#define CONSTANT r26

#define b r18
#define d r20
#define t r21
#define u r22
#define v r23

; Byte \i of each word; that of c is held in \c, if it is named.
.macro substitute i, c=r19
    ldd b, Z+8+\i
    .ifc \c, r19
    ldd \c, Z+16+\i
    .endif
    ldd d, Z+24+\i
    .if \i == 0
    eor \c, CONSTANT
    .endif
    eor A + \i, E + \i
    eor E + \i, d
    eor \c, b
    com b
    com d
    mov u, A + \i               ; a or not b
    or u, b
    mov t, b                    ; a, now t, += not b and c
    and t, \c
    eor t, A + \i
    com A + \i                  ; d, now here, += not e and a, all complemented twice
    or A + \i, E + \i
    eor A + \i, d
    mov v, \c                   ; b += not c and d, likewise
    or v, d
    eor b, v
    and d, E + \i               ; c += not d and e
    eor \c, d
    eor E + \i, u               ; e += not a and b
    com E + \i
    eor b, t
    eor t, E + \i
    eor A + \i, \c
    com \c
    std Z+\i, t
    std Z+8+\i, b
    .ifc \c, r19
    std Z+16+\i, \c
    .endif
.endm

; Eight registers from \to on = those from \from on
.macro copy to, from
    .irp n, 0,2,4,6
    movw \to + \n, \from + \n
    .endr
.endm

.macro load to, place
    .irp n, 0,1,2,3,4,5,6,7
    ldd \to + \n, Z+\place+\n
    .endr
.endm

.macro store from, place
    .irp n, 0,1,2,3,4,5,6,7
    std Z+\place+\n, \from + \n
    .endr
.endm

; The word whose byte n is register \x + (n + \m modulo 8), rotated right or left by a bit.
.macro right x, m
    bst \x + (\m & 7), 0
    lsr \x + ((\m + 7) & 7)
    .irp n, 6,5,4,3,2,1,0
    ror \x + ((\m + \n) & 7)
    .endr
    bld \x + ((\m + 7) & 7), 7
.endm

.macro left x, m
    lsl \x + (\m & 7)
    .irp n, 1,2,3,4,5,6,7
    rol \x + ((\m + \n) & 7)
    .endr
    adc \x + (\m & 7), r1
.endm

; x += y, whose byte n is register \x + (n + \l modulo 8), \y + (n + \m modulo 8)
.macro sum x, l, y, m
    .irp n, 0,1,2,3,4,5,6,7
    eor \x + ((\n + \l) & 7), \y + ((\n + \m) & 7)
    .endr
.endm

; The same of c, whose lower half is in A, and its copy, with m = 1.
.macro sum_c what
    .irp n, 0,1,2,3
    \what \n, A+\n
    .endr
    \what 4, C4
    \what 5, C5
    \what 6, C6
    \what 7, C7
.endm

.macro to_copy n, byte
    eor W + ((\n + 1) & 7), \byte
.endm

.macro from_copy n, byte
    eor \byte, W + ((\n + 1) & 7)
.endm

kernel selo_ascon_permute
    save_registers
    movw r30, r24               ; Z: state
    ldi CONSTANT, 15            ; f0, e1, d2, ... 4b; with fewer rounds those at the end
    mul r22, CONSTANT
    ldi CONSTANT, 0x3c
    add CONSTANT, r0
    clr r1
    load A, 0
    load E, 32
    ldd C4, Z+20
    ldd C5, Z+21
    ldd C6, Z+22
    ldd C7, Z+23
1:
    substitute 0
    substitute 1
    substitute 2
    substitute 3
    substitute 4, C4
    substitute 5, C5
    substitute 6, C6
    substitute 7, C7

    copy W, A                   ; d: 10 and 17 = 16 + 1, 8 + 1 + 1
    right W, 1
    sum W, 1, A, 2
    right W, 1
    sum A, 0, W, 1
    store A, 24

    load A, 8                   ; b: 61 = -3 and 39 = 40 - 1
    copy W, A
    left W, 0
    left W, 0
    sum W, 0, A, 5
    left W, 0
    sum A, 0, W, 0
    store A, 8

    .irp n, 0,1,2,3             ; c: 1 and 6 = 1 + 8 - 3
    ldd A + \n, Z+16+\n
    .endr
    movw W, A
    movw W + 2, A + 2
    movw W + 4, C4
    mov W + 6, C6
    mov W + 7, C7
    left W, 1
    left W, 1
    left W, 1
    sum_c to_copy
    right W, 1
    sum_c from_copy
    .irp n, 0,1,2,3
    std Z+16+\n, A + \n
    .endr

    copy W, E                   ; e: 7 = 8 - 1 and 41 = 40 + 1
    copy A, E
    left W, 1
    right A, 5
    sum E, 0, W, 1
    sum E, 0, A, 5

    load A, 0                   ; a: 19 = 16 + 3 and 28 = 24 + 1 + 3
    copy W, A
    right W, 3
    sum W, 3, A, 2
    right W, 3
    right W, 3
    right W, 3
    sum A, 0, W, 3

    subi CONSTANT, 15
    cpi CONSTANT, 0x3c
    breq 2f
    rjmp 1b
2:
    store A, 0
    store E, 32
    std Z+20, C4
    std Z+21, C5
    std Z+22, C6
    std Z+23, C7
    restore_registers
    ret
kernel_end selo_ascon_permute

#endif
#endif
