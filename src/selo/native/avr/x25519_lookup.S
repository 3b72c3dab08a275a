/*
 * An entry of X25519's table of multiples on AVR.
 *
 *   void selo_x25519_lookup_avr(uint8_t entry[96], uint8_t index);
 *
 * entry = entry `index`, 0 to 15, of selo_x25519_table, which is in flash. Every byte of the
 * table is read and masked, in the same order for each index: in four chunks of 24
 * bytes, which stay in registers while all entries pass.
 *
 * Cost of selo_x25519_lookup_avr: 8,533 cycles, 19 bytes of stack.
 *
 * Proved by tests/avr/field.sh, against the arithmetic of tools/x25519-table.py.
 */
#include "../api.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_X25519

#include "x25519_product.inc"

kernel selo_x25519_lookup_avr
    save_registers
    movw YL, r24
    mov r24, r22                /* how far the entry is */
    ldi ZL, lo8(selo_x25519_table)
    ldi ZH, hi8(selo_x25519_table)
    ldi r27, 4                  /* chunks */
1:
    .set I, 0
    .rept 24
        clr I
        .set I, I + 1
    .endr
    push r27
    ldi r27, 16                 /* entries */
2:
    cpi r24, 1                  /* carry: this is it */
    sbc r25, r25
    .set I, 0
    .rept 24
        lpm r26, Z+
        and r26, r25
        or I, r26
        .set I, I + 1
    .endr
    dec r24
    dec r27
    breq 3f
    rjmp 2b
3:
    subi r24, -16
    .set I, 0
    .rept 24
        st Y+, I
        .set I, I + 1
    .endr
    pop r27
    dec r27
    breq 4f
    rjmp 1b
4:
    clr r1
    restore_registers
    ret
kernel_end selo_x25519_lookup_avr

#endif
