/*
 * An entry of P-256's table of multiples on AVR.
 *
 *   void selo_p256_lookup_avr(uint8_t entry[64], uint8_t index);
 *
 * entry = entry `index` of selo_p256_table, which is in flash. Every byte of the table is read and masked, in
 * the same order for each index: in four chunks of 16 bytes, which stay in registers while all entries
 * pass.
 *
 * Cost of selo_p256_lookup_avr: 5,796 cycles, 18 bytes of stack.
 * Cost of selo_p256_lookup_avr, small: 3,044 cycles, 18 bytes of stack.
 *
 * Proved by tests/avr/p256.sh, against the arithmetic of tools/p256-table.py.
 */
#include "../api.h"
#include "../../p256/p256_base.h"

#if SELO_BACKEND_AVR && SELO_NATIVE_P256

#include "x25519_product.inc"

kernel selo_p256_lookup_avr
    save_registers
    movw YL, r24
    mov r24, r22                /* how far the entry is */
    ldi ZL, lo8(selo_p256_table)
    ldi ZH, hi8(selo_p256_table)
    ldi r27, 64 / SELO_P256_CHUNK
1:
    .set I, 2
    .rept SELO_P256_CHUNK
        clr I
        .set I, I + 1
    .endr
    ldi r23, SELO_P256_ENTRIES
2:
    cpi r24, 1                  /* carry: this is it */
    sbc r25, r25
    .set I, 2
    .rept SELO_P256_CHUNK
        lpm r26, Z+
        and r26, r25
        or I, r26
        .set I, I + 1
    .endr
    dec r24
    dec r23
    brne 2b
    subi r24, -SELO_P256_ENTRIES
    .set I, 2
    .rept SELO_P256_CHUNK
        st Y+, I
        .set I, I + 1
    .endr
    dec r27
    breq 3f
    rjmp 1b
3:
    restore_registers
    ret
kernel_end selo_p256_lookup_avr

#endif
