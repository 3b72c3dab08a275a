/*
 * The permutation of Ascon on ARM cores with 16-bit Thumb instructions only.
 *
 *   void selo_ascon_permute(uint64_t state[5], uint8_t rounds);
 *
 * state = Ascon-p[rounds](state) [SP800-232, 3]; rounds is 8 or 12.
 *
 * A lane is two words. The five words of one half are in low registers, those of the other in high
 * registers. The substitution layer works on one half, then they change places and it works on the
 * other. So a round ends with the halves exchanged, and the loop has two rounds. Bit-interleaved
 * words would save nothing, because a rotation would still take its distance from a register.
 *
 * Cost of selo_ascon_permute: 1,330 cycles for 8 rounds and 1,954 for 12 on Cortex-M0 as modelled,
 * 1,278 and 1,898 instructions, 40 bytes of stack, 700 bytes of flash (tests/arm/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_ASCON && SELO_BACKEND_THUMB1

#include "../arm/kernel.inc"

/* The substitution layer on half of the lanes, r0 to r4 [SP800-232, 3.3]. */
.macro substitute
    eors r0, r0, r4
    eors r4, r4, r3
    eors r2, r2, r1
    movs r5, r1
    bics r5, r5, r0
    movs r6, r2
    bics r6, r6, r1
    movs r7, r0
    bics r7, r7, r4
    eors r0, r0, r6
    movs r6, r3
    bics r6, r6, r2
    eors r1, r1, r6
    movs r6, r4
    bics r6, r6, r3
    eors r2, r2, r6
    eors r3, r3, r7
    eors r4, r4, r5
    eors r1, r1, r0
    eors r0, r0, r4
    eors r3, r3, r2
    mvns r2, r2
.endm

.macro exchange low, high
    mov r5, \high
    mov \high, \low
    mov \low, r5
.endm

.macro exchange_halves
    exchange r0, r8
    exchange r1, r9
    exchange r2, r10
    exchange r3, r11
    exchange r4, r12
.endm

/* The two parts of a word after a rotation of its lane to the right by \by: from the word itself,
 * and from the other word of the lane. */
.macro from_near to, near, by
    .if \by < 32
    lsrs \to, \near, #\by
    .else
    lsls \to, \near, #(64 - \by)
    .endif
.endm

.macro from_far to, far, by
    .if \by < 32
    lsls \to, \far, #(32 - \by)
    .else
    lsrs \to, \far, #(\by - 32)
    .endif
.endm

/* r6 = the sum of a word of a lane rotated by n0 and by n1. */
.macro rotations near, far, n0, n1
    from_near r6, \near, \n0
    from_far r7, \far, \n0
    eors r6, r6, r7
    from_near r7, \near, \n1
    eors r6, r6, r7
    from_far r7, \far, \n1
    eors r6, r6, r7
.endm

/* A lane ^= the lane rotated to the right by n0 and by n1 [SP800-232, 3.4]. */
.macro diffuse_lane low, high, n0, n1
    mov r5, \high
    rotations r5, \low, \n0, \n1
    eors r6, r6, r5
    mov \high, r6
    rotations \low, r5, \n0, \n1
    eors \low, \low, r6
.endm

.macro diffuse
    diffuse_lane r0, r8, 19, 28
    diffuse_lane r1, r9, 61, 39
    diffuse_lane r2, r10, 1, 6
    diffuse_lane r3, r11, 10, 17
    diffuse_lane r4, r12, 7, 41
.endm

/* Adds the round constant to lane 2, whose low half is in r2 [SP800-232, 3.2]. */
.macro add_constant
    mov r5, lr
    eors r2, r2, r5
    subs r5, r5, #0x0f
    mov lr, r5
.endm

kernel selo_ascon_permute
    push {r4-r7, lr}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    push {r0, r4-r7}
    movs r2, #0x0f
    muls r1, r1, r2
    adds r1, r1, #0x3c
    mov lr, r1
    movs r7, r0
    ldm r7!, {r0-r6}
    mov r8, r1
    mov r9, r3
    mov r10, r5
    movs r1, r2
    movs r2, r4
    movs r3, r6
    ldm r7!, {r4-r6}
    mov r11, r4
    mov r12, r6
    movs r4, r5
1:
    add_constant            /* low halves in low registers */
    substitute
    exchange_halves
    substitute
    diffuse
    substitute              /* high halves in low registers */
    exchange_halves
    add_constant
    substitute
    diffuse
    mov r5, lr
    cmp r5, #0x3c
    beq 2f
    b 1b
2:
    ldr r7, [sp]
    mov r5, r8
    stm r7!, {r0, r5}
    mov r5, r9
    stm r7!, {r1, r5}
    mov r5, r10
    stm r7!, {r2, r5}
    mov r5, r11
    stm r7!, {r3, r5}
    mov r5, r12
    stm r7!, {r4, r5}
    pop {r0, r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    pop {r4-r7, pc}
kernel_end selo_ascon_permute

#endif
