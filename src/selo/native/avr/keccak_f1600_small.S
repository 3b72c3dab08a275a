#ifdef __AVR__ /* other targets compile nothing */
; selo_keccak_f1600: the permutation Keccak-f[1600] in place [FIPS202, 3.3], the small one.
;
;   void selo_keccak_f1600(uint64_t lanes[25])
;                          r25:r24
;
; 130,669 cycles, call and return included. 1,154 bytes of flash, 244 less than C: with
; SELO_KECCAK_SMALL=1 it takes the place of keccak_f1600_fast.S. 102 bytes of stack with the
; return address, wiped.
;
; As keccak_f1600_bytewise.c: theta's second half, rho and pi are one pass along the cycle of
; pi, against its direction, so that a lane is loaded and stored once and nothing but the
; first has to be kept; chi makes the column parities for the next theta on the way.
; A lane's step is five instructions that name what is public about it, and three
; subroutines: one adds theta's term to it while it is loaded, one rotates it by up to four
; bits in either direction, one stores it with its bytes rotated.
; Merging the three steps is of [KECCAKIMPL]; the walk and the subroutines are written here.
;
; Time: no branch and no address depends on the state.
; Proved by tests/avr/test_keccak.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_KECCAK && SELO_KECCAK_SMALL

#include "kernel.inc"

#define L 2   /* eight registers from here on: a lane */
#define BASE r10   /* a pair: the lanes */
#define TARGET r12 /* a pair: where the next lane goes, or parities or terms */
#define SOURCE r14 /* a pair: where this lane came from */
#define FIRST r16
#define SECOND r17
#define ROUND r23
#define TERMS 40 /* bytes on the stack: theta's terms, then the parities of the columns */

; Lane \from goes on: rotated by 8 \bytes + \bits, to where the one before came from.
.macro lane from, bytes, bits
    ldi FIRST, 8 * \from
    ldi SECOND, 8 * (\from % 5)
    rcall load
    rotate \bits
    rcall store_\bytes
.endm

.macro rotate bits
    .if \bits > 0
    rcall left_\bits
    .endif
    .if \bits == -1
    rcall right_1
    .endif
    .if \bits == -2
    rcall right_2
    .endif
    .if \bits == -3
    rcall right_3
    .endif
.endm

.macro left
    lsl L
    .irp n, 1,2,3,4,5,6,7
    rol L + \n
    .endr
    adc L, r1
.endm

.macro right
    bst L, 0
    lsr L + 7
    .irp n, 6,5,4,3,2,1,0
    ror L + \n
    .endr
    bld L + 7, 7
.endm

; the lane to TARGET, byte n from register n - \bytes modulo 8; its source is the next target
.macro store bytes
store_\bytes:
    movw r26, TARGET
    .irp n, 0,1,2,3,4,5,6,7
    st X+, L + ((\n - \bytes) & 7)
    .endr
    movw TARGET, SOURCE
    ret
.endm

kernel selo_keccak_f1600
    frame_enter 2 * TERMS       ; Y: terms, behind them parities
    movw BASE, r24

    movw r26, r28               ; the parities of the columns
    adiw r26, TERMS
    ldi FIRST, TERMS
1:
    movw r30, r24
    adiw r24, 1
    clr r0
    ldi SECOND, 5
2:
    ld L, Z
    eor r0, L
    adiw r30, 40
    dec SECOND
    brne 2b
    st X+, r0
    dec FIRST
    brne 1b
    clr ROUND

round:
    movw TARGET, r28            ; theta's terms: the column before + the one after <<< 1
    ldi FIRST, TERMS + 8
    ldi SECOND, TERMS + 32
    rcall term
    ldi FIRST, TERMS + 16
    ldi SECOND, TERMS + 0
    rcall term
    ldi FIRST, TERMS + 24
    ldi SECOND, TERMS + 8
    rcall term
    ldi FIRST, TERMS + 32
    ldi SECOND, TERMS + 16
    rcall term
    ldi FIRST, TERMS + 0
    ldi SECOND, TERMS + 24
    rcall term

    movw TARGET, BASE           ; lane 0 stays where it is
    ldi FIRST, 0
    ldi SECOND, 0
    rcall load
    rcall store_0
    ldi FIRST, 8                ; lane 1 is kept, with its term, where the parities were
    ldi SECOND, 8
    rcall load
    movw TARGET, r28
    ldi FIRST, TERMS
    add r12, FIRST
    adc r13, r1
    rcall store_0               ; and is the first target: SOURCE was lane 1
    lane 6, 5, 4                  ; 44
    lane 9, 2, 4                  ; 20
    lane 22, 0, -3                ; 61
    lane 14, 5, -1                ; 39
    lane 20, 2, 2                 ; 18
    lane 2, 0, -2                 ; 62
    lane 12, 5, 3                 ; 43
    lane 13, 3, 1                 ; 25
    lane 19, 1, 0                 ; 8
    lane 23, 7, 0                 ; 56
    lane 15, 5, 1                 ; 41
    lane 4, 3, 3                  ; 27
    lane 24, 2, -2                ; 14
    lane 21, 0, 2                 ; 2
    lane 8, 7, -1                 ; 55
    lane 16, 6, -3                ; 45
    lane 5, 4, 4                  ; 36
    lane 3, 3, 4                  ; 28
    lane 18, 3, -3                ; 21
    lane 17, 2, -1                ; 15
    lane 11, 1, 2                 ; 10
    lane 7, 1, -2                 ; 6
    lane 10, 0, 3                 ; 3
    movw r26, r28               ; the one that was kept
    adiw r26, TERMS
    .irp n, 0,1,2,3,4,5,6,7
    ld L + \n, X+
    .endr
    rotate 1
    rcall store_0

    movw TARGET, r28            ; chi, byte by byte through the rows, and parities
    ldi FIRST, TERMS
    add r12, FIRST
    adc r13, r1
    movw r26, BASE
    ldi FIRST, 8
3:
    movw r30, r26
    adiw r26, 1
    clr r18
    clr r19
    clr r20
    clr r21
    clr r22
    ldi SECOND, 5
4:
    ld r2, Z
    ldd r3, Z+8
    ldd r4, Z+16
    ldd r5, Z+24
    ldd r6, Z+32
    movw r8, r2
    movw r24, r4
    mov r7, r6
    com r9                      ; a: not b and c
    and r9, r4
    com r24                     ; b: not c and d
    and r24, r5
    com r25                     ; c: not d and e
    and r25, r6
    com r7                      ; d: not e and a
    and r7, r2
    com r8                      ; e: not a and b
    and r8, r3
    eor r2, r9
    eor r3, r24
    eor r4, r25
    eor r5, r7
    eor r6, r8
    eor r18, r2
    eor r19, r3
    eor r20, r4
    eor r21, r5
    eor r22, r6
    st Z, r2
    std Z+8, r3
    std Z+16, r4
    std Z+24, r5
    std Z+32, r6
    adiw r30, 40
    dec SECOND
    brne 4b
    movw r30, TARGET
    st Z, r18
    std Z+8, r19
    std Z+16, r20
    std Z+24, r21
    std Z+32, r22
    sec
    adc r12, r1
    adc r13, r1
    dec FIRST
    brne 3b

    ldi r30, lo8(constants)     ; iota, on the lane and on its column's parity
    ldi r31, hi8(constants)
    add r30, ROUND
    adc r31, r1
    lpm FIRST, Z
    movw r30, BASE
    rcall iota
    movw r30, r28
    adiw r30, TERMS
    rcall iota
    inc ROUND
    cpi ROUND, 24
    breq 5f
    rjmp round
5:
    ldi FIRST, 2 * TERMS
6:
    st Y+, r1
    dec FIRST
    brne 6b
    frame_leave

; The bits of the constant [FIPS202, 3.2.5] at 0, 1, 3 and 7 as they are; 15, 31 and 63, which
; stand at 4, 5 and 6.
iota:
    mov r18, FIRST
    andi r18, 0x8b
    ld r0, Z
    eor r0, r18
    st Z, r0
    mov r18, FIRST
    lsl r18
    mov r19, r18
    andi r19, 0x80
    ldd r0, Z+7
    eor r0, r19
    std Z+7, r0
    lsl r18
    mov r19, r18
    andi r19, 0x80
    ldd r0, Z+3
    eor r0, r19
    std Z+3, r0
    lsl r18
    andi r18, 0x80
    ldd r0, Z+1
    eor r0, r18
    std Z+1, r0
    ret

; the lane at BASE + FIRST, with the term at SECOND
load:
    movw r26, BASE
    add r26, FIRST
    adc r27, r1
    movw SOURCE, r26
    movw r30, r28
    add r30, SECOND
    adc r31, r1
    .irp n, 0,1,2,3,4,5,6,7
    ld L + \n, X+
    ld r0, Z+
    eor L + \n, r0
    .endr
    ret

; to TARGET, which moves on: the column at FIRST rotated by a bit, and that at SECOND
term:
    movw r26, r28
    add r26, FIRST
    adc r27, r1
    .irp n, 0,1,2,3,4,5,6,7
    ld L + \n, X+
    .endr
    left
    movw r30, r28
    add r30, SECOND
    adc r31, r1
    movw r26, TARGET
    .irp n, 0,1,2,3,4,5,6,7
    ld r0, Z+
    eor r0, L + \n
    st X+, r0
    .endr
    movw TARGET, r26
    ret

left_4:
    left
left_3:
    left
left_2:
    left
left_1:
    left
    ret

right_3:
    right
right_2:
    right
right_1:
    right
    ret

    store 0
    store 1
    store 2
    store 3
    store 4
    store 5
    store 6
    store 7
kernel_end selo_keccak_f1600

.section .progmem.data.selo_keccak_f1600, "a", @progbits
constants:
    .byte 0x01, 0x92, 0xda, 0x70, 0x9b, 0x21, 0xf1, 0x59, 0x8a, 0x88, 0x39, 0x2a
    .byte 0xbb, 0xcb, 0xd9, 0x53, 0x52, 0xc0, 0x1a, 0x6a, 0xf1, 0xd0, 0x21, 0x78

#endif
#endif
