/*
 * An entry of the table of multiples for X25519 on ARM.
 *
 *   void selo_x25519_lookup_arm(uint8_t entry[96], uint8_t index);
 *
 * entry = entry `index` of selo_x25519_table, which has 16 entries in chunks of 24 bytes
 * (SELO_X25519_TEETH is 5). entry is aligned to 4 bytes. The whole table is read, in the same
 * order for each index, and all but one entry masked away.
 *
 * Cost of selo_x25519_lookup_arm: 2,701 cycles on Cortex-M0 and 2,700 cycles on Cortex-M3 as
 * modelled, 2,027 instructions, 24 bytes of stack, 128 bytes of flash (tests/arm/run.sh
 * --figures).
 */
#include "../../x25519/x25519_base.h"

#if SELO_NATIVE_X25519 && SELO_BACKEND_ARM && SELO_X25519_TEETH == 5

#include "../arm/kernel.inc"

.macro masked word
    ldm r2!, {r7}
    ands r7, r7, r6
    orrs \word, \word, r7
.endm

/* Three words of the entry, from those at r2 of each entry of a chunk. lr is the index. */
.macro half_chunk
    movs r3, #0
    movs r4, #0
    movs r5, #0
    mov r1, lr
    movs r6, #192
    lsls r6, r6, #1
    adds r6, r6, r2
    mov r12, r6
1:
    subs r6, r1, #1         /* borrows where r1 is 0, which is at the chosen entry */
    sbcs r6, r6, r6         /* the mask */
    masked r3
    masked r4
    masked r5
    subs r1, r1, #1
    adds r2, r2, #12
    cmp r2, r12
    bne 1b
    stm r0!, {r3-r5}
.endm

kernel selo_x25519_lookup_arm
    push {r4-r7, lr}
    ldr r2, =selo_x25519_table
    movs r3, #96
    adds r3, r3, r0
    push {r3}
    mov lr, r1
2:
    half_chunk
    movs r3, #186           /* back to the second half of the first entry */
    subs r2, r2, r3
    subs r2, r2, r3
    half_chunk
    subs r2, r2, #12
    ldr r3, [sp]
    cmp r0, r3
    bne 2b
    pop {r3-r7, pc}
kernel_end selo_x25519_lookup_arm

#endif
