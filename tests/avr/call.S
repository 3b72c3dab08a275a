; kernel_call_checked(function r25:r24, arguments r23:r22)
;
; Calls the function with up to six arguments, the registers that it must keep (r2 to r17
; and Y) filled from kernel_before, and leaves what they hold afterwards in kernel_after;
; r1, the stack pointer, SREG and the cycles in the variables of kernel.c.
; r14 to r17 are filled by the fifth and the sixth argument.
#include <avr/io.h>

.macro each_kept what
    .irp n, 2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,28,29
    \what \n
    .endr
.endm
.macro push_one n
    push r\n
.endm
.macro fill_one n
    lds r\n, kernel_before + at
    .set at, at + 1
.endm
.macro save_one n
    sts kernel_after + at, r\n
    .set at, at + 1
.endm

.section .text.kernel_call_checked, "ax", @progbits
.global kernel_call_checked
.type kernel_call_checked, @function
kernel_call_checked:
    each_kept push_one
    movw r30, r24
    movw r26, r22
    .set at, 0
    each_kept fill_one
    ld r24, X+
    ld r25, X+
    ld r22, X+
    ld r23, X+
    ld r20, X+
    ld r21, X+
    ld r18, X+
    ld r19, X+
    ld r16, X+
    ld r17, X+
    ld r14, X+
    ld r15, X+
    sts kernel_before + 12, r14
    sts kernel_before + 13, r15
    sts kernel_before + 14, r16
    sts kernel_before + 15, r17
    in r26, _SFR_IO_ADDR(SPL)
    in r27, _SFR_IO_ADDR(SPH)
    sts kernel_sp_before, r26
    sts kernel_sp_before + 1, r27
    in r26, _SFR_IO_ADDR(SREG)
    sts kernel_sreg_before, r26
    clr r1
    sts TCCR1A, r1
    sts TCCR1B, r1
    sts TCNT1H, r1
    sts TCNT1L, r1
    sts TCCR2A, r1
    ldi r26, 1 << CS22 | 1 << CS21 | 1 << CS20
    sts TCCR2B, r26             ; by 1,024: how often the other has gone around
    sts TCNT2, r1
    ldi r26, 1 << CS10
    sts TCCR1B, r26
    icall
    lds r26, TCNT1L             ; while it runs: simulators forget the count of a stopped timer
    lds r27, TCNT1H
    sts kernel_counter, r26
    sts kernel_counter + 1, r27
    lds r26, TCNT2
    sts kernel_kilocycles, r26
    in r26, _SFR_IO_ADDR(SREG)
    sts kernel_sreg_after, r26
    .set at, 0
    each_kept save_one
    sts kernel_r1, r1
    clr r1
    in r26, _SFR_IO_ADDR(SPL)
    in r27, _SFR_IO_ADDR(SPH)
    sts kernel_sp_after, r26
    sts kernel_sp_after + 1, r27
    lds r26, kernel_sp_before   ; whatever it did, go on from here
    lds r27, kernel_sp_before + 1
    in r0, _SFR_IO_ADDR(SREG)
    cli
    out _SFR_IO_ADDR(SPH), r27
    out _SFR_IO_ADDR(SREG), r0
    out _SFR_IO_ADDR(SPL), r26
    .irp n, 29,28,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2
    pop r\n
    .endr
    ret

.section .text.kernel_nothing, "ax", @progbits
.global kernel_nothing
.type kernel_nothing, @function
kernel_nothing:
    ret
