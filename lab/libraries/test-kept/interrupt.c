/* The linker keeps the handler, because the table of vectors names it. */
#include "plain.c"

#include <avr/interrupt.h>

volatile uint32_t kept_overflows;

ISR(TIMER2_OVF_vect)
{
    kept_overflows++;
}
