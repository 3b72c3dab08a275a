/*
 * Sleep in idle mode: timers and UART go on, the core waits for an interrupt.
 */
#ifndef NODE_IDLE_H
#define NODE_IDLE_H

#include <avr/interrupt.h>
#include <avr/sleep.h>

/* To be called with interrupts off, after looking that there is nothing to do; an
 * interrupt that came in between wakes at once. Returns with interrupts on. */
static inline void idle(void)
{
    set_sleep_mode(SLEEP_MODE_IDLE);
    sleep_enable();
    sei(); /* takes effect after the next instruction: nothing slips in between */
    sleep_cpu();
    /* simavr enters the interrupt up to three instructions late. */
    __asm__ __volatile__("nop\n\tnop\n\tnop");
}

#endif
