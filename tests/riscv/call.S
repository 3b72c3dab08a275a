/*
 * Calls a kernel on RV32: fills the registers that a callee must keep, and stores them afterwards.
 * Two copies of it, as in tests/arm/call.S.
 *
 *   void kernel_call_checked(void *function, const uint32_t arguments[4], struct kept *kept);
 *   void kernel_call_marked(the same);
 *
 * struct kept (tests/arm/chip.c) has s0 to s11 before, the same after, and the stack pointer before
 * and after. gp and tp must not change either; they stand at the end of s0 to s11.
 */

.macro move_kept instruction, at
    \instruction s0, \at(a2)
    \instruction s1, \at + 4(a2)
    \instruction s2, \at + 8(a2)
    \instruction s3, \at + 12(a2)
    \instruction s4, \at + 16(a2)
    \instruction s5, \at + 20(a2)
    \instruction s6, \at + 24(a2)
    \instruction s7, \at + 28(a2)
    \instruction s8, \at + 32(a2)
    \instruction s9, \at + 36(a2)
    \instruction s10, \at + 40(a2)
    \instruction s11, \at + 44(a2)
.endm

.macro move_saved instruction
    \instruction s0, 0(sp)
    \instruction s1, 4(sp)
    \instruction s2, 8(sp)
    \instruction s3, 12(sp)
    \instruction s4, 16(sp)
    \instruction s5, 20(sp)
    \instruction s6, 24(sp)
    \instruction s7, 28(sp)
    \instruction s8, 32(sp)
    \instruction s9, 36(sp)
    \instruction s10, 40(sp)
    \instruction s11, 44(sp)
    \instruction ra, 48(sp)
    \instruction a2, 52(sp)
.endm

.macro caller name, marked
    .section .text.\name, "ax", %progbits
    .balign 4
    .global \name
    .type \name, %function
\name:
    addi sp, sp, -64
    move_saved sw
    sw gp, 48(a2)
    sw tp, 52(a2)
    sw sp, 112(a2)
    move_kept lw, 0
    mv t0, a0
    mv t1, a1
    lw a0, 0(t1)
    lw a1, 4(t1)
    lw a2, 8(t1)
    lw a3, 12(t1)
    .if \marked
    mark 1
    jalr t0
    mark 2
    .else
    jalr t0
    .endif
    lw a2, 52(sp)
    move_kept sw, 56
    sw gp, 104(a2)
    sw tp, 108(a2)
    sw sp, 116(a2)
    move_saved lw
    addi sp, sp, 64
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
    .section .text.kernel_nothing, "ax", %progbits
    .global kernel_nothing
    .type kernel_nothing, %function
kernel_nothing:
    ret
    .size kernel_nothing, . - kernel_nothing
