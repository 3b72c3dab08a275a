/*
 * The compression function of SHA-512 on Xtensa with the call0 ABI.
 *
 *   void selo_sha512_compress(uint64_t state[8], uint64_t block[16]);
 *
 * state = the next hash value [FIPS180-4, 6.4.2]. block has the bytes of the message, and is
 * destroyed: it becomes the message schedule.
 *
 * The core has no carry, and a branch on one would take a time that depends on the data: the carry out
 * of a + b is the highest bit of sum xor ((sum xor a) or (a xor b)). Rotations are
 * funnel shifts whose distance is in SAR; a sum of three rotations is nested. The working variables
 * are on the stack and change names instead of places, so eight rounds are unrolled; a, e and a + b are
 * in registers too. Maj(a, b, c) is b + ((a + b) and (b + c)), and a + b is the next round's b + c. The
 * schedule is four loops, because its indices wrap at three places.
 *
 * Cost of selo_sha512_compress: 13,661 instructions, 96 bytes of stack, 3,432 bytes of flash
 * (tests/xtensa/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_SHA512 && SELO_BACKEND_XTENSA

#include "kernel.inc"

/* The frame above what `enter` saves: a to h, where they are before round 0; the rest. */
#define VARIABLES 20
#define STATE 84
#define BLOCK 88
#define CONSTANT 92
#define FRAME 96

#define E a4
#define EH a5
#define A a6 /* a; in the schedule, a word of it */
#define AH a7
#define BEFORE a8 /* b + c, and then a + b */
#define BEFOREH a9
#define T a10
#define TH a11
#define U a13
#define X a0
#define K a14 /* the constants of the next rounds */
#define W a15 /* the words of the next rounds; in the schedule, 120 bytes before a word */
/* The sum of a round is a2 or a12, and a3. */

/* (n, sh) = (s, sh) + (x, xh). s is lost; t may be x, and is lost. */
.macro add_pair n, s, sh, x, xh, t
    add \n, \s, \x
    add \sh, \sh, \xh
    xor \t, \s, \x
    xor \s, \s, \n
    or \s, \s, \t
    xor \s, \s, \n
    extui \s, \s, 31, 1
    add \sh, \sh, \s
.endm

/* (X, TH) = Sigma of x [FIPS180-4, 4.1.3]: it is rotated by r, r + by1 and r + by1 + by2. Uses T and U. */
.macro sigma x, xh, by2, by1, r
    ssai \by2
    src T, \xh, \x
    src TH, \x, \xh
    xor T, T, \x
    xor TH, TH, \xh
    ssai \by1
    src X, TH, T
    src TH, T, TH
    xor T, X, \x
    xor TH, TH, \xh
    ssai \r
    src X, TH, T
    src TH, T, TH
.endm

/* Variable \index of a to h in round \t. */
.macro load_variable low, high, t, index
    l32i \low, a1, VARIABLES + 8 * ((\index + 8 - (\t)) % 8)
    l32i \high, a1, VARIABLES + 8 * ((\index + 8 - (\t)) % 8) + 4
.endm

.macro store_variable low, high, t, index
    s32i \low, a1, VARIABLES + 8 * ((\index + 8 - (\t)) % 8)
    s32i \high, a1, VARIABLES + 8 * ((\index + 8 - (\t)) % 8) + 4
.endm

/* Round t modulo 8 [FIPS180-4, 6.4.2]. */
.macro round t
    load_variable a2, a3, \t, 7
    l32i T, W, 8 * (\t)
    l32i TH, W, 8 * (\t) + 4
    add_pair a12, a2, a3, T, TH, T
    l32i T, K, 8 * (\t)
    l32i TH, K, 8 * (\t) + 4
    add_pair a2, a12, a3, T, TH, T
    load_variable T, TH, \t, 5          /* Ch */
    load_variable U, X, \t, 6
    xor T, T, U
    xor TH, TH, X
    and T, T, E
    and TH, TH, EH
    xor T, T, U
    xor TH, TH, X
    add_pair a12, a2, a3, T, TH, T
    sigma E, EH, 23, 4, 14              /* by 14, 18 and 41 */
    add_pair a2, a12, a3, X, TH, X
    load_variable T, EH, \t, 3
    add_pair E, T, EH, a2, a3, U
    store_variable E, EH, \t, 3
    sigma A, AH, 5, 6, 28               /* by 28, 34 and 39 */
    add_pair a12, a2, a3, X, TH, X
    load_variable T, TH, \t, 1          /* Maj */
    xor A, A, T
    xor AH, AH, TH
    and BEFORE, BEFORE, A
    and BEFOREH, BEFOREH, AH
    xor T, BEFORE, T
    xor TH, BEFOREH, TH
    mov BEFORE, A
    mov BEFOREH, AH
    add_pair A, a12, a3, T, TH, T
    mov AH, a3
    store_variable A, AH, \t, 7
.endm

/* Word t + 16 of the schedule in the place of word t. Words t + 1, t + 9 and t + 14 are at offsets
 * from W. */
.macro schedule one, nine, past
    l32i A, W, \one
    l32i AH, W, \one + 4
    l32i a12, W, 120
    l32i a3, W, 124
    ssai 7                              /* by 1 and 8, and moved down by 7 */
    src U, AH, A
    src TH, A, AH
    xor T, U, A
    xor TH, TH, AH
    ssai 1
    src X, TH, T
    src TH, T, TH
    xor X, X, U
    srli U, AH, 7
    xor TH, TH, U
    add_pair a2, a12, a3, X, TH, X
    l32i T, W, \nine
    l32i TH, W, \nine + 4
    add_pair a12, a2, a3, T, TH, T
    l32i A, W, \past
    l32i AH, W, \past + 4
    ssai 10                             /* by 19 and 61, and moved down by 6 */
    src T, A, AH
    src TH, AH, A
    xor T, T, A
    xor TH, TH, AH
    ssai 19
    src X, TH, T
    src TH, T, TH
    ssai 6
    src U, AH, A
    xor X, X, U
    srli U, AH, 6
    xor TH, TH, U
    add_pair a2, a12, a3, X, TH, X
    s32i a2, W, 120
    s32i a3, W, 124
    addi W, W, 8
.endm

kernel selo_sha512_compress
    enter FRAME
    s32i a2, a1, STATE
    s32i a3, a1, BLOCK
    movi a4, 128
    add a4, a4, a3
    ssai 8
1:                                      /* words from big-endian bytes */
    l32i T, a3, 0
    l32i TH, a3, 4
    srli U, T, 16
    src U, U, T
    src U, U, U
    src U, T, U
    s32i U, a3, 4
    srli U, TH, 16
    src U, U, TH
    src U, U, U
    src U, TH, U
    s32i U, a3, 0
    addi a3, a3, 8
    bne a3, a4, 1b
    .set AT, 0
    .rept 16
        l32i T, a2, AT
        s32i T, a1, VARIABLES + AT
        .set AT, AT + 4
    .endr
    movi K, selo_sha512_constants
2:
    load_variable A, AH, 0, 0
    load_variable BEFORE, BEFOREH, 0, 1
    load_variable T, TH, 0, 2
    load_variable E, EH, 0, 4
    xor BEFORE, BEFORE, T
    xor BEFOREH, BEFOREH, TH
    l32i W, a1, BLOCK
3:
    round 0
    round 1
    round 2
    round 3
    round 4
    round 5
    round 6
    round 7
    addi W, W, 64
    addi K, K, 64
    l32i T, a1, BLOCK
    addi T, T, 127
    addi T, T, 1
    bne W, T, 3b
    movi T, selo_sha512_constants + 640
    beq K, T, 8f
    s32i K, a1, CONSTANT
    l32i W, a1, BLOCK
    addi W, W, -120
    addi K, W, 16
4:
    schedule 128, 192, 232
    bne W, K, 4b
    addi K, W, 40
5:
    schedule 128, 192, 104
    bne W, K, 5b
    addi K, W, 64
6:
    schedule 128, 64, 104
    bne W, K, 6b
    schedule 0, 64, 104
    l32i K, a1, CONSTANT
    j 2b
8:
    l32i K, a1, STATE
    addi W, a1, VARIABLES
    addi a8, K, 64
9:
    l32i a2, K, 0
    l32i a3, K, 4
    l32i T, W, 0
    l32i TH, W, 4
    add_pair a12, a2, a3, T, TH, T
    s32i a12, K, 0
    s32i a3, K, 4
    addi K, K, 8
    addi W, W, 8
    bne K, a8, 9b
    leave FRAME
kernel_end selo_sha512_compress

#endif
