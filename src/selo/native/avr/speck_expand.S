#ifdef __AVR__ /* other targets compile nothing */
; selo_speck_expand: all round keys of Speck128 from the first and the words l
; [SPECK2013, 4.2].
;
;   void selo_speck_expand(uint8_t *round_keys, uint8_t words)
;                          r25:r24, r22
;
; words is 2, 3 or 4; the words l stand where the last round keys will be. 3,153 cycles for
; 2, 3,351 for 4, call and return included.
; 242 bytes of flash; 14 bytes of stack with the return address.
;
; As speck_run_schedule.S, with every round key stored.
;
; Time: branches depend on the number of words only.
; Proved by tests/avr/test_speck.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_SPECK

#include "kernel.inc"
#include "speck.inc"

kernel selo_speck_expand
    save_registers 8
    movw r26, r24
    schedule_counts
    movw r30, r26               ; l: round key 31
    subi r30, lo8(-8 * 31)
    sbci r31, hi8(-8 * 31)
    movw r28, r30
    add r15, r30
    load_key
1:
    schedule_step
    .irp n, 18,19,20,21,22,23,24,25
    st X+, r\n
    .endr
    cpse r30, r15
    rjmp 2f
    movw r30, r28               ; the first again
2:
    cpse r17, r16
    rjmp 1b
    restore_registers 8
    ret
kernel_end selo_speck_expand

#endif
#endif
