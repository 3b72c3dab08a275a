/*
 * The ChaCha20 block function on RV32.
 *
 *   void selo_chacha20_block(uint32_t stream[16], const uint32_t state[16]);
 *
 * The 64 bytes of key stream for a state [RFC8439, 2.3]. stream may be state.
 *
 * All sixteen words are in registers. With Zbb or Zbkb a rotation is one instruction.
 *
 * Cost of selo_chacha20_block: 1,698 instructions, 732 bytes of flash; with Zbb 1,058
 * instructions, 540 bytes of flash; 32 bytes of stack (tests/riscv/run.sh --figures).
 */
#include "../api.h"

#if SELO_NATIVE_CHACHA20 && SELO_BACKEND_RISCV32

#include "rotate.inc"

#define X0 a2
#define X1 a3
#define X2 a4
#define X3 a5
#define X4 a6
#define X5 a7
#define X6 t0
#define X7 t1
#define X8 t2
#define X9 t3
#define X10 t4
#define X11 t5
#define X12 s0
#define X13 s1
#define X14 s2
#define X15 s3
#define T t6
#define LEFT s4

.macro mix a, b, d, by
    add \a, \a, \b
    xor \d, \d, \a
    rotate_right \d, \by, T
.endm

/* The quarter round [RFC8439, 2.1]. */
.macro quarter a, b, c, d
    mix \a, \b, \d, 16
    mix \c, \d, \b, 20
    mix \a, \b, \d, 24
    mix \c, \d, \b, 25
.endm

.macro load_word word, others:vararg
    lw \word, AT(a1)
    .set AT, AT + 4
    .ifnb \others
    load_word \others
    .endif
.endm

.macro put_word word, others:vararg
    lw T, AT(a1)
    add \word, \word, T
    sw \word, AT(a0)
    .set AT, AT + 4
    .ifnb \others
    put_word \others
    .endif
.endm

kernel selo_chacha20_block
    save s0, s1, s2, s3, s4
    .set AT, 0
    load_word X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15
    li LEFT, 10
1:
    quarter X0, X4, X8, X12
    quarter X1, X5, X9, X13
    quarter X2, X6, X10, X14
    quarter X3, X7, X11, X15
    quarter X0, X5, X10, X15
    quarter X1, X6, X11, X12
    quarter X2, X7, X8, X13
    quarter X3, X4, X9, X14
    addi LEFT, LEFT, -1
    bnez LEFT, 1b
    .set AT, 0
    put_word X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15
    restore_and_return s0, s1, s2, s3, s4
kernel_end selo_chacha20_block

#endif
