#ifdef __AVR__ /* other targets compile nothing */
; selo_aes128_fast_setup, selo_aes192_fast_setup, selo_aes256_fast_setup: the key schedule
; in RAM [FIPS197, 5.2].
;
;   void selo_aes128_fast_setup(struct selo_aes128_fast *key, const uint8_t raw[16])
;                               r25:r24                       r23:r22
;
; and so for 192 and 256. Call and return included: 785, 881 and 1,162 cycles. 286, 288 and
; 394 bytes of flash, each in a section of its own, beside the S-box; 9, 17 and 20 bytes of
; stack with the return address.
;
; The last Nk words stay in registers, so that a byte of a word costs an addition and a
; store; of AES-256 six of the 32 bytes find no register and are read back. A looked up
; byte takes the place of its own address. AES-128 makes two round keys a turn; the turns
; of AES-192 begin with their fifth word, so that the carry of the eighth round constant
; ends the loop. Loads, stores, additions and look-ups alone are 714, 784 and 967 cycles.
;
; Time: branches depend on round constants only. The S-box stands at a 256-byte boundary, so
; lpm takes 3 cycles for every index; the chip has no cache.
; Proved by tests/avr/test_aes.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_AES

#include "kernel.inc"

; to += S-box(from)
.macro add_substituted to, from
    mov r30, \from
    look_up r30
    eor \to, r30
.endm

; a byte of X's schedule += the one before it in its row
.macro add_next to, before
    eor \to, \before
    st X+, \to
.endm

; the bytes of raw, in their registers and in X's schedule
.macro take registers:vararg
    .irp n, \registers
    ld \n, Z+
    st X+, \n
    .endr
.endm

; ---- AES-128 ------------------------------------------------------------------------

#define CONSTANT r25

.macro round_key_128
    add_substituted r11, r22
    eor r11, CONSTANT
    st X+, r11
    add_substituted r12, r23
    st X+, r12
    add_substituted r13, r24
    st X+, r13
    add_substituted r14, r21
    st X+, r14
    add_next r15, r11
    add_next r16, r12
    add_next r17, r13
    add_next r0, r14
    add_next r1, r15
    add_next r18, r16
    add_next r19, r17
    add_next r20, r0
    add_next r21, r1
    add_next r22, r18
    add_next r23, r19
    add_next r24, r20
.endm

kernel selo_aes128_fast_setup
    push_range 11, 17
    movw r26, r24               ; X: to the schedule
    movw r30, r22               ; Z: raw
    take r11,r12,r13,r14,r15,r16,r17,r0,r1,r18,r19,r20,r21,r22,r23,r24
    ldi r31, hi8(selo_aes_sbox)
    ldi CONSTANT, 1
    clt
1:
    round_key_128
    lsl CONSTANT
    round_key_128
    brts 2f
    lsl CONSTANT
    brcs .+2
    rjmp 1b
    ldi CONSTANT, 0x1b          ; after 0x80, and 0x36 is the last
    set
    rjmp 1b
2:
    pop_range 11, 17
    clr r1
    ret
kernel_end selo_aes128_fast_setup

; ---- AES-192 ------------------------------------------------------------------------

kernel selo_aes192_fast_setup
    push_range 3, 17
    movw r26, r24
    movw r30, r22
    take r3,r4,r5,r6,r7,r8,r9,r10,r11,r12,r13,r14,r15,r16,r17,r0,r1,r18,r19,r20,r21,r22,r23,r24
    ldi r31, hi8(selo_aes_sbox)
    ldi CONSTANT, 1
    rjmp 2f
1:
    add_next r1, r15
    add_next r18, r16
    add_next r19, r17
    add_next r20, r0
    add_next r21, r1
    add_next r22, r18
    add_next r23, r19
    add_next r24, r20
2:
    add_substituted r3, r22
    eor r3, CONSTANT
    st X+, r3
    add_substituted r4, r23
    st X+, r4
    add_substituted r5, r24
    st X+, r5
    add_substituted r6, r21
    st X+, r6
    add_next r7, r3
    add_next r8, r4
    add_next r9, r5
    add_next r10, r6
    add_next r11, r7
    add_next r12, r8
    add_next r13, r9
    add_next r14, r10
    add_next r15, r11
    add_next r16, r12
    add_next r17, r13
    add_next r0, r14
    lsl CONSTANT
    brcc 1b                     ; 0x80 is the last
    pop_range 3, 17
    clr r1
    ret
kernel_end selo_aes192_fast_setup

; ---- AES-256 ------------------------------------------------------------------------

#undef CONSTANT
#define CONSTANT r24
#define TEMPORARY r25

; a byte of raw, in its register, if it has one, and in Y's schedule
.macro take_byte to, index
    ld \to, Z+
    std Y+\index, \to
.endm

; a byte += the one before it in its row, and stored; 32 bytes from where it was
.macro add_256 to, before, index
    eor \to, \before
    std Y+32+\index, \to
.endm

; the same for a byte that has no register; the byte before it is in r30, and so is the sum
.macro add_stored index
    ldd TEMPORARY, Y+\index
    eor r30, TEMPORARY
    std Y+32+\index, r30
.endm

.macro look_256 from
    mov r30, \from
    look_up r30
.endm

; The words, a byte a row: 0: r2 to r5, 1: r6 to r9, 2: r10 to r13, 3: r14 to r17,
; 4: stored, 5: stored, stored, r0, r1, 6: r18 to r21, 7: r22, r23, r26, r27
kernel selo_aes256_fast_setup
    save_registers
    movw r28, r24               ; Y: w[i - 8]
    movw r30, r22
    .irp n, 2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
    take_byte \n, \n-2
    .endr
    .irp n, 16,17,18,19,20,21
    take_byte TEMPORARY, \n
    .endr
    take_byte r0, 22
    take_byte r1, 23
    take_byte r18, 24
    take_byte r19, 25
    take_byte r20, 26
    take_byte r21, 27
    take_byte r22, 28
    take_byte r23, 29
    take_byte r26, 30
    take_byte r27, 31
    ldi r31, hi8(selo_aes_sbox)
    ldi CONSTANT, 1
1:
    look_256 r23
    eor r30, CONSTANT
    add_256 r2, r30, 0
    look_256 r26
    add_256 r3, r30, 1
    look_256 r27
    add_256 r4, r30, 2
    look_256 r22
    add_256 r5, r30, 3
    .irp n, 6,7,8,9,10,11,12,13,14,15,16,17
    add_256 \n, (\n-4), (\n-2)
    .endr
    lsl CONSTANT
    brmi 2f                     ; 0x40 is the last
    look_256 r14
    add_stored 16
    add_stored 20
    add_256 r18, r30, 24
    add_256 r22, r18, 28
    look_256 r15
    add_stored 17
    add_stored 21
    add_256 r19, r30, 25
    add_256 r23, r19, 29
    look_256 r16
    add_stored 18
    add_256 r0, r30, 22
    add_256 r20, r0, 26
    add_256 r26, r20, 30
    look_256 r17
    add_stored 19
    add_256 r1, r30, 23
    add_256 r21, r1, 27
    add_256 r27, r21, 31
    adiw r28, 32
    rjmp 1b
2:
    restore_registers
    clr r1
    ret
kernel_end selo_aes256_fast_setup

#endif
#endif
