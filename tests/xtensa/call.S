/*
 * Calls a kernel on Xtensa with the call0 ABI: fills the registers that a callee must keep, and
 * stores them afterwards. Two copies of it, as in tests/arm/call.S.
 *
 *   void kernel_call_checked(void *function, const uint32_t arguments[4], struct kept *kept);
 *   void kernel_call_marked(the same);
 *
 * struct kept (tests/arm/chip.c) has a12 to a15 before, the same after, and the stack pointer
 * before and after.
 */

.macro caller name, marked
    .section .text.\name, "ax", @progbits
    .balign 4
    .global \name
    .type \name, @function
\name:
    addi a1, a1, -32
    s32i a0, a1, 0
    s32i a12, a1, 4
    s32i a13, a1, 8
    s32i a14, a1, 12
    s32i a15, a1, 16
    s32i a4, a1, 20
    s32i a1, a4, 32
    l32i a12, a4, 0
    l32i a13, a4, 4
    l32i a14, a4, 8
    l32i a15, a4, 12
    mov a8, a2
    mov a9, a3
    l32i a2, a9, 0
    l32i a3, a9, 4
    l32i a4, a9, 8
    l32i a5, a9, 12
    .if \marked
    mark 1
    callx0 a8
    mark 2
    .else
    callx0 a8
    .endif
    l32i a4, a1, 20
    s32i a12, a4, 16
    s32i a13, a4, 20
    s32i a14, a4, 24
    s32i a15, a4, 28
    s32i a1, a4, 36
    l32i a0, a1, 0
    l32i a12, a1, 4
    l32i a13, a1, 8
    l32i a14, a1, 12
    l32i a15, a1, 16
    addi a1, a1, 32
    ret
    .size \name, . - \name
.endm

.macro mark number
0:  nop
    .pushsection .selo.mark\number, "R"
    .4byte 0b
    .popsection
.endm

caller kernel_call_checked, 0
caller kernel_call_marked, 1

/* What a call costs without a kernel. */
    .section .text.kernel_nothing, "ax", @progbits
    .balign 4
    .global kernel_nothing
    .type kernel_nothing, @function
kernel_nothing:
    ret
    .size kernel_nothing, . - kernel_nothing
