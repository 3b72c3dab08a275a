#ifdef __AVR__ /* other targets compile nothing */
/*
 * An entry of one of X25519's smaller tables of multiples on AVR.
 *
 *   void selo_x25519_lookup_few_avr(uint8_t entry[96], uint8_t index, const uint8_t *table,
 *                                   uint8_t entries);
 *
 * entry = entry `index` of the table, which is in flash. Every byte of the table is read and
 * masked, in the same order for each index: in chunks of 4 bytes, which stay in registers
 * while all entries pass.
 *
 * Cost of selo_x25519_lookup_few_avr, small: 5,363 cycles, 1 bytes of stack.
 * That is with 8 entries; with 4 it is 2,867 cycles. 70 bytes of flash.
 *
 * Proved by tests/avr/field.sh, against the arithmetic of tools/x25519-table.py.
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_X25519

#include "kernel.inc"

kernel selo_x25519_lookup_few_avr
    push r28
    movw r26, r24               ; X: entry
    movw r30, r20               ; Z: table
    ldi r19, 24                 ; chunks
1:
    clr r20
    clr r21
    movw r24, r20
    mov r23, r22                ; how far the entry is
    mov r28, r18
2:
    cpi r23, 1                  ; carry: this is it
    sbc r1, r1
    dec r23
    .irp n, 20,21,24,25
    lpm r0, Z+
    and r0, r1
    or r\n, r0
    .endr
    dec r28
    brne 2b
    st X+, r20
    st X+, r21
    st X+, r24
    st X+, r25
    dec r19
    brne 1b
    clr r1
    pop r28
    ret
kernel_end selo_x25519_lookup_few_avr

#endif
#endif
