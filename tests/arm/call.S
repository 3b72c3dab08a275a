/*
 * Calls a kernel on a Cortex-M: fills the registers that a callee must keep, and stores them
 * afterwards. Two copies of it: one has the marks that the emulator's plugin counts between
 * (lab/firmware/ports/bare/mark.h).
 *
 *   void kernel_call_checked(void *function, const uint32_t arguments[4], struct kept *kept);
 *   void kernel_call_marked(the same);
 *
 * struct kept (chip.c) has r4 to r11 before, the same after, and the stack pointer before and
 * after.
 */
.syntax unified
.thumb

.macro caller name, marked
    .section .text.\name, "ax", %progbits
    .balign 4
    .global \name
    .type \name, %function
    .thumb_func
\name:
    push {r4-r7, lr}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    push {r0, r2, r4-r7}
    mov r12, r0
    mov lr, r1
    mov r3, sp
    str r3, [r2, #64]
    ldm r2!, {r4-r7}
    ldm r2!, {r0, r1, r3}
    mov r8, r0
    mov r9, r1
    mov r10, r3
    ldr r0, [r2]
    mov r11, r0
    mov r0, lr
    ldm r0, {r0-r3}
    .if \marked
    mark 1
    blx r12
    mark 2
    .else
    blx r12
    .endif
    ldr r0, [sp, #4]
    adds r0, r0, #32
    stm r0!, {r4-r7}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    stm r0!, {r4-r7}
    mov r3, sp
    str r3, [r0, #4]
    pop {r0, r2, r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    pop {r4-r7, pc}
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
    .thumb_func
kernel_nothing:
    bx lr
    .size kernel_nothing, . - kernel_nothing
