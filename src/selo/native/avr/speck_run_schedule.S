#ifdef __AVR__ /* other targets compile nothing */
; selo_speck_run_schedule: the material of Speck128's last round from that of the first
; [SPECK2013, 4.2].
;
;   void selo_speck_run_schedule(uint8_t *material, uint8_t words)
;                                r25:r24, r22
;
; words is 2, 3 or 4. 2,662 cycles for 2, 2,828 for 4, call and return included.
; 228 bytes of flash; 12 bytes of stack with the return address.
;
; The round key is held in registers and stored at the end (schedule_step in speck.inc).
;
; Time: branches depend on the number of words only.
; Proved by tests/avr/test_speck.c and by the official vectors (selo lab check).

#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_SPECK

#include "kernel.inc"
#include "speck.inc"

kernel selo_speck_run_schedule
    push_range 8, 17
    movw r26, r24
    schedule_counts
    load_key
    movw r30, r26               ; l
    add r15, r30
1:
    schedule_step
    cpse r30, r15
    rjmp 2f
    movw r30, r26               ; the first again
2:
    cpse r17, r16
    rjmp 1b
    .irp n, 25,24,23,22,21,20,19,18
    st -X, r\n
    .endr
    pop_range 8, 17
    ret
kernel_end selo_speck_run_schedule

#endif
#endif
