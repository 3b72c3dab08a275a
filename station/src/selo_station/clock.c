/*
 * Milliseconds from timer 0, which ticks every 1,024 cycles and interrupts every 256 ticks: 61 times
 * a second at 16 MHz. Few interrupts disturb the chip's sleep.
 */
#include "chip.h"

#if SELO_STATION

#include "clock.h"

#include <util/atomic.h>

#ifdef ARDUINO

/* Timer 0 belongs to the Arduino core, which counts milliseconds with it. */
unsigned long millis(void);

static uint32_t asleep; /* milliseconds that timer 0 did not count */

void selo_clock_begin(void) {}

uint32_t selo_clock_milliseconds(void *unused)
{
    (void)unused;
    uint32_t slept;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { slept = asleep; }
    return millis() + slept;
}

void selo_clock_slept(uint16_t slept)
{
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { asleep += slept; }
}

#else

enum {
    DIVIDER = 1024,
    TICK_MICROSECONDS = DIVIDER / (F_CPU / 1000000UL),
    OVERFLOW_MICROSECONDS = 256 * TICK_MICROSECONDS
};
_Static_assert(DIVIDER % (F_CPU / 1000000UL) == 0 && F_CPU % 1000000UL == 0,
               "at this clock a tick is not a whole number of microseconds");

static uint32_t milliseconds; /* at the last overflow */
static uint16_t microseconds; /* beyond those milliseconds, 0..999 */

ISR(TIMER0_OVF_vect, ISR_BLOCK)
{
    microseconds += OVERFLOW_MICROSECONDS % 1000;
    milliseconds += OVERFLOW_MICROSECONDS / 1000;
    if (microseconds >= 1000) {
        microseconds -= 1000;
        milliseconds++;
    }
}

void selo_clock_begin(void)
{
    TIMSK0 = _BV(TOIE0);
    TCCR0B = _BV(CS02) | _BV(CS00);
}

uint32_t selo_clock_milliseconds(void *unused)
{
    (void)unused;
    uint32_t now;
    uint16_t rest, ticks;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        now = milliseconds;
        rest = microseconds;
        ticks = TCNT0;
        if ((TIFR0 & _BV(TOV0)) != 0 && ticks != 255)
            ticks += 256; /* an overflow whose interrupt is pending */
    }
    return now + (rest + ticks * (uint32_t)TICK_MICROSECONDS) / 1000;
}

void selo_clock_slept(uint16_t slept)
{
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { milliseconds += slept; }
}

#endif

#endif
