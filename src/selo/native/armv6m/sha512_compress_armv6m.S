/*
 * The compression function of SHA-512 on ARM cores with 16-bit Thumb instructions only.
 *
 *   void selo_sha512_compress(uint64_t state[8], uint64_t block[16]);
 *
 * state = the next hash value [FIPS180-4, 6.4.2]. block has the bytes of the message, and is
 * destroyed: it becomes the message schedule.
 *
 * The working variables are a window on the stack: a round pushes the next a, so that the stack
 * pointer renames them all, and after 16 rounds the window moves back. a + b stays in two high
 * registers: Maj(a, b, c) is b + ((a + b) and (b + c)), and a + b is the next round's b + c. A round
 * is a loop. The schedule is four of them, because its indices wrap at three places.
 *
 * Cost of selo_sha512_compress: 15,550 cycles on Cortex-M0 as modelled, 12,479 instructions, 236
 * bytes of stack, 900 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_SHA512 && SELO_BACKEND_THUMB1

#include "../arm/kernel.inc"

/* The stack above the 16 words of the window that are not yet pushed: a to h, and what is pushed: the
 * state and the block, the registers. */
#define WINDOW 64
#define STATE WINDOW
#define BLOCK (WINDOW + 4)

/* to = x moved down by n + y moved up by 32 - n, or that is added to it. Uses r5. */
.macro turned to, x, y, n
    lsrs \to, \x, #\n
    lsls r5, \y, #(32 - \n)
    eors \to, \to, r5
.endm

.macro add_turned to, x, y, n
    lsrs r5, \x, #\n
    eors \to, \to, r5
    lsls r5, \y, #(32 - \n)
    eors \to, \to, r5
.endm

/* r0 and r1 += (r4, r12): the halves of a term. */
.macro add_term
    adds r0, r0, r4
    mov r4, r12
    adcs r1, r1, r4
.endm

/* r0 and r1 += Sigma of r2 and r3 [FIPS180-4, 4.1.3]: it is rotated by n0, n1 and n2; \up1 and \up2
 * are 1 for a rotation by 32 more. Uses r4, r5 and r12. */
.macro add_sigma n0, n1, up1, n2, up2
    turned r4, r3, r2, \n0
    .if \up1
    add_turned r4, r2, r3, \n1
    .else
    add_turned r4, r3, r2, \n1
    .endif
    .if \up2
    add_turned r4, r2, r3, \n2
    .else
    add_turned r4, r3, r2, \n2
    .endif
    mov r12, r4
    turned r4, r2, r3, \n0
    .if \up1
    add_turned r4, r3, r2, \n1
    .else
    add_turned r4, r2, r3, \n1
    .endif
    .if \up2
    add_turned r4, r3, r2, \n2
    .else
    add_turned r4, r2, r3, \n2
    .endif
    add_term
.endm

/* The same with sigma, which is rotated by n0 and n1 and moved down by n2. */
.macro add_small_sigma n0, n1, up1, n2
    turned r4, r3, r2, \n0
    .if \up1
    add_turned r4, r2, r3, \n1
    .else
    add_turned r4, r3, r2, \n1
    .endif
    lsrs r5, r3, #\n2
    eors r4, r4, r5
    mov r12, r4
    turned r4, r2, r3, \n0
    .if \up1
    add_turned r4, r3, r2, \n1
    .else
    add_turned r4, r2, r3, \n1
    .endif
    add_turned r4, r2, r3, \n2
    add_term
.endm

.macro load_pair low, high, base, at
    ldr \low, [\base, #\at]
    ldr \high, [\base, #\at + 4]
.endm

/* Word t + 16 of the schedule in the place of word t, which is at r6; r7 is 56 bytes lower. Words t + 1,
 * t + 9 and t + 14 are at offsets from registers. */
.macro schedule one, one_at, nine, nine_at, past, past_at
    load_pair r2, r3, \one, \one_at
    load_pair r0, r1, r6, 0
    add_small_sigma 1, 8, 0, 7
    load_pair r2, r3, \nine, \nine_at
    adds r0, r0, r2
    adcs r1, r1, r3
    load_pair r2, r3, \past, \past_at
    add_small_sigma 19, 29, 1, 6
    stm r6!, {r0, r1}
    adds r7, #8
.endm

/* A round [FIPS180-4, 6.4.2]. r6 is the message schedule, r7 the constants, r8 and r9 b + c. */
.macro round
    load_pair r0, r1, sp, 56
    ldm r6!, {r2, r3}
    adds r0, r0, r2
    adcs r1, r1, r3
    ldm r7!, {r2, r3}
    adds r0, r0, r2
    adcs r1, r1, r3
    load_pair r2, r3, sp, 32
    add_sigma 14, 18, 0, 9, 1   /* by 14, 18 and 41 */
    ldr r4, [sp, #40]           /* Ch */
    ldr r5, [sp, #48]
    eors r4, r4, r5
    ands r4, r4, r2
    eors r4, r4, r5
    ldr r2, [sp, #44]
    ldr r5, [sp, #52]
    eors r2, r2, r5
    ands r2, r2, r3
    eors r2, r2, r5
    adds r0, r0, r4
    adcs r1, r1, r2
    load_pair r2, r3, sp, 24
    adds r2, r2, r0
    adcs r3, r3, r1
    str r2, [sp, #24]
    str r3, [sp, #28]
    load_pair r2, r3, sp, 0
    add_sigma 28, 2, 1, 7, 1    /* by 28, 34 and 39 */
    ldr r4, [sp, #8]            /* Maj */
    eors r2, r2, r4
    mov r5, r8
    mov r8, r2
    ands r2, r2, r5
    eors r2, r2, r4
    ldr r4, [sp, #12]
    eors r3, r3, r4
    mov r5, r9
    mov r9, r3
    ands r3, r3, r5
    eors r3, r3, r4
    adds r0, r0, r2
    adcs r1, r1, r3
    push {r0, r1}
.endm

kernel selo_sha512_compress
    push {r4-r7, lr}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    push {r4-r7}
    push {r0, r1}
    movs r6, #8
1:  ldr r2, [r1]                /* words from big-endian bytes */
    ldr r3, [r1, #4]
    ldr r4, [r1, #8]
    ldr r5, [r1, #12]
    rev r2, r2
    rev r3, r3
    rev r4, r4
    rev r5, r5
    mov r7, r2
    mov r2, r3
    mov r3, r7
    mov r7, r4
    mov r4, r5
    mov r5, r7
    stm r1!, {r2-r5}
    subs r6, #1
    bne 1b
    mov r10, r1                 /* the end of the block */
    sub sp, #WINDOW
    mov r6, sp
    .rept 4
    ldm r0!, {r1-r4}
    stm r6!, {r1-r4}
    .endr
    ldr r7, =selo_sha512_constants
    b 2f
    .ltorg
2:
    ldr r2, [sp, #8]
    ldr r3, [sp, #12]
    ldr r4, [sp, #16]
    ldr r5, [sp, #20]
    eors r2, r2, r4
    eors r3, r3, r5
    mov r8, r2
    mov r9, r3
    ldr r6, [sp, #BLOCK]
3:
    round
    cmp r6, r10
    beq 7f
    b 3b
7:
    mov r0, sp                  /* the window moves back, */
    add sp, #128
    mov r1, sp
    .rept 4
    ldm r0!, {r2-r5}
    stm r1!, {r2-r5}
    .endr
    ldr r2, =selo_sha512_constants + 640
    cmp r7, r2
    bne 1f
    b 8f
1:  mov r11, r7
    ldr r6, [sp, #BLOCK]
    mov r7, r6
    subs r7, #56
    movs r0, #2
4:  mov lr, r0
    schedule r6, 8, r6, 72, r6, 112
    mov r0, lr
    subs r0, #1
    bne 4b
    movs r0, #5
5:  mov lr, r0
    schedule r6, 8, r6, 72, r7, 40
    mov r0, lr
    subs r0, #1
    bne 5b
    movs r0, #8
6:  mov lr, r0
    schedule r6, 8, r7, 0, r7, 40
    mov r0, lr
    subs r0, #1
    bne 6b
    ldr r0, [sp, #BLOCK]
    schedule r0, 0, r7, 0, r7, 40
    mov r7, r11
    b 2b
8:
    ldr r6, [sp, #STATE]
    mov r7, sp
    movs r0, #8
    mov r12, r0
9:
    ldm r7!, {r2, r3}
    ldr r4, [r6]
    ldr r5, [r6, #4]
    adds r4, r4, r2
    adcs r5, r5, r3
    stm r6!, {r4, r5}
    mov r0, r12
    subs r0, #1
    mov r12, r0
    bne 9b
    add sp, #WINDOW + 8
    pop {r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    pop {r4-r7, pc}
    .ltorg
kernel_end selo_sha512_compress

#endif
