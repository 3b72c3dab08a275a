/*
 * Sleep in idle mode: timers and UART keep running, and the core waits for an interrupt.
 */
#ifndef SELO_STATION_IDLE_H
#define SELO_STATION_IDLE_H

#include "chip.h"

#if SELO_STATION

#include <avr/sleep.h>

/* Call it with interrupts off, after checking that there is nothing to do. An interrupt that came
 * after the check wakes the core at once. Returns with interrupts on. */
static inline void selo_idle(void)
{
    SMCR = SLEEP_MODE_IDLE | _BV(SE);
    sei(); /* takes effect after the next instruction, so no interrupt comes in between */
    sleep_cpu();
    /* simavr enters the interrupt up to three instructions late. */
    __asm__ __volatile__("nop\n\tnop\n\tnop");
}

#endif

#endif
