/*
 * The compression function of SHA-256 on ARM cores with 16-bit Thumb instructions only.
 *
 *   void selo_sha256_compress(uint32_t state[8], uint32_t block[16]);
 *
 * state = the next hash value [FIPS180-4, 6.2.2]. block has the bytes of the message, and keeps
 * them. The schedule is on the stack, and wiped.
 *
 * a and e are in low registers, where logic works; the others are in high registers, which can be
 * copied and added. After a round the names of b, c, d and of f, g, h have moved on by one
 * register. A sum of three rotations is three nested ones, the distance of each in a register.
 * Maj(a, b, c) is b + ((a + b) and (b + c)), and a + b is the next round's b + c.
 *
 * Cost of selo_sha256_compress: 4,349 cycles on Cortex-M0 as modelled, 3,858 instructions, 108
 * bytes of stack, 2,268 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_SHA256 && SELO_BACKEND_THUMB1

#include "../arm/kernel.inc"

/* The stack: the schedule, the end of the constants, state, what is pushed. */
#define END 64
#define STATE 68

/* r1 = x, rotated by n0 and added to x, rotated by n1 and added to x, rotated by n2. Uses r2. */
.macro nested x, n0, n1, n2
    mov r1, \x
    movs r2, #\n0
    rors r1, r1, r2
    eors r1, r1, \x
    movs r2, #\n1
    rors r1, r1, r2
    eors r1, r1, \x
    movs r2, #\n2
    rors r1, r1, r2
.endm

/* Round t modulo 16 [FIPS180-4, 6.2.2]; a in r4, e in r5. `before` is b + c; `next` becomes a + b.
 * b goes where d was, and f where h was. */
.macro round t, b, c, d, f, g, h, next, before
    ldm r7!, {r0}
    ldr r1, [sp, #4 * (\t)]
    adds r0, r0, r1
    add r0, r0, \h
    nested r5, 14, 5, 6     /* Sigma1: by 6, 11 and 25 */
    adds r0, r0, r1
    mov r1, \f              /* Ch */
    mov r2, \g
    eors r1, r1, r2
    ands r1, r1, r5
    eors r1, r1, r2
    adds r0, r0, r1
    mov \h, r5
    mov r5, \d
    adds r5, r5, r0
    nested r4, 9, 11, 2     /* Sigma0: by 2, 13 and 22 */
    adds r0, r0, r1
    mov r1, \b              /* Maj */
    mov \next, r4
    eors \next, \next, r1
    ands \before, \before, \next
    eors \before, \before, r1
    mov \d, r4
    adds r4, r0, \before
.endm

.macro three_rounds t, next, before
    round \t, r8, r9, r10, r11, r12, lr, \next, \before
    round \t + 1, r10, r8, r9, lr, r11, r12, \before, \next
    round \t + 2, r9, r10, r8, r12, lr, r11, \next, \before
.endm

/* Word t + 16 of the schedule in the place of word t. Uses r0 to r3. */
.macro schedule t
    ldr r0, [sp, #4 * (((\t) + 1) % 16)]
    movs r2, #11            /* sigma0: by 7 and 18, and a shift by 3 */
    movs r1, r0
    rors r1, r1, r2
    eors r1, r1, r0
    movs r2, #7
    rors r1, r1, r2
    lsrs r0, r0, #3
    eors r1, r1, r0
    ldr r0, [sp, #4 * (((\t) + 14) % 16)]
    movs r3, #2             /* sigma1: by 17 and 19, and a shift by 10 */
    movs r2, r0
    rors r2, r2, r3
    eors r2, r2, r0
    movs r3, #17
    rors r2, r2, r3
    lsrs r0, r0, #10
    eors r2, r2, r0
    adds r1, r1, r2
    ldr r0, [sp, #4 * (\t)]
    ldr r2, [sp, #4 * (((\t) + 9) % 16)]
    adds r1, r1, r0
    adds r1, r1, r2
    str r1, [sp, #4 * (\t)]
.endm

/* Four words of the message, from big-endian bytes. */
.macro load_four
    ldm r1!, {r2-r5}
    rev r2, r2
    rev r3, r3
    rev r4, r4
    rev r5, r5
    stm r6!, {r2-r5}
.endm

.macro settle word
    ldr r2, [r1]
    add r2, r2, \word
    stm r1!, {r2}
.endm

kernel selo_sha256_compress
    push {r4-r7, lr}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    push {r0, r4-r7}
    ldr r7, =selo_sha256_constants
    movs r6, #255
    adds r6, r6, #1
    adds r6, r6, r7
    push {r6}
    sub sp, #END
    mov r6, sp
    load_four
    load_four
    load_four
    load_four
    ldm r0!, {r3-r6}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    eors r5, r5, r4
    mov r2, r5
    mov r4, r3
    ldm r0!, {r3, r5, r6}
    mov r11, r5
    mov r12, r6
    mov r5, r3
    ldr r0, [r0]
    mov lr, r0
    mov r6, r2
    b 2f
    .ltorg
1:
    .set AT, 0
    .rept 16
        schedule AT
        .set AT, AT + 1
    .endr
    b 2f
3:  b 1b                    /* the way back, in reach of both ends */
2:
    three_rounds 0, r3, r6
    three_rounds 3, r6, r3
    three_rounds 6, r3, r6
    three_rounds 9, r6, r3
    three_rounds 12, r3, r6
    round 15, r8, r9, r10, r11, r12, lr, r6, r3
    /* The names back to where the loop begins. */
    mov r0, r10
    mov r10, r9
    mov r9, r8
    mov r8, r0
    mov r0, lr
    mov lr, r12
    mov r12, r11
    mov r11, r0
    ldr r0, [sp, #END]
    cmp r7, r0
    beq 4f
    b 3b
4:
    ldr r1, [sp, #STATE]
    settle r4
    settle r8
    settle r9
    settle r10
    settle r5
    settle r11
    settle r12
    settle lr
    movs r0, #0
    movs r1, #0
    movs r2, #0
    movs r3, #0
    mov r7, sp
    .rept 4
        stm r7!, {r0-r3}
    .endr
    add sp, #(STATE + 4)
    pop {r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    pop {r4-r7, pc}
kernel_end selo_sha256_compress

#endif
