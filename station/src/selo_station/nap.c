/*
 * The oscillator is stopped, so timer 0 counts nothing. The watchdog gives the duration, with the
 * accuracy of its own oscillator, about 10 %. A nap that a pin change ends counts as half a period,
 * which is its average.
 */
#include "chip.h"

#if SELO_STATION

#include "nap.h"
#include "clock.h"
#include "idle.h"
#include "watchdog.h"

static volatile uint16_t napping; /* maximum milliseconds of this nap; 0 while awake */

enum { LONGEST = 6 /* 16 ms << 6: a second */ };

void selo_nap(uint32_t milliseconds)
{
    uint8_t power = 0;
    uint16_t length = SELO_WATCHDOG_MILLISECONDS;
    while (power < LONGEST && milliseconds >= 2UL * length) {
        length = (uint16_t)(length << 1);
        power++;
    }
    if (milliseconds < length) {
        selo_idle();
        return;
    }
    napping = length;
    selo_watchdog_start(power);
    SMCR = SLEEP_MODE_PWR_DOWN | _BV(SE);
    sleep_bod_disable();
    sei(); /* takes effect after the next instruction, so no interrupt comes in between */
    sleep_cpu();
    __asm__ __volatile__("nop\n\tnop\n\tnop"); /* for the reason in selo_idle() */
    cli();
    selo_nap_end();
    sei();
}

void selo_nap_end(void)
{
    uint16_t unused, length = napping;
    if (length == 0)
        return;
    napping = 0;
    selo_watchdog_stop();
    selo_clock_slept(selo_watchdog_ticked(&unused) ? length : length / 2);
}

#endif
