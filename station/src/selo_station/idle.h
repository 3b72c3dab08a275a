/*
 * Sleep in idle mode: timers and UART go on, the core waits for an interrupt.
 */
#ifndef SELO_STATION_IDLE_H
#define SELO_STATION_IDLE_H

#include "chip.h"

#if SELO_STATION

#include <avr/sleep.h>

/* To be called with interrupts off, after looking that there is nothing to do; an
 * interrupt that came in between wakes at once. Returns with interrupts on. */
static inline void selo_idle(void)
{
    SMCR = SLEEP_MODE_IDLE | _BV(SE);
    sei(); /* takes effect after the next instruction: nothing slips in between */
    sleep_cpu();
    /* simavr enters the interrupt up to three instructions late. */
    __asm__ __volatile__("nop\n\tnop\n\tnop");
}

#endif

#endif
