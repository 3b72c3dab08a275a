/*
 * The oscillator stands still, so timer 0 counts nothing, and the watchdog says how long it
 * was; good to a tenth, as its own oscillator is. A nap that a pin ends counts half: on
 * the average that is what it was.
 */
#include "chip.h"

#if SELO_STATION

#include "nap.h"
#include "clock.h"
#include "idle.h"
#include "watchdog.h"

static volatile uint16_t napping; /* for so many milliseconds at most; 0: awake */

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
    sei(); /* takes effect after the next instruction: nothing slips in between */
    sleep_cpu();
    __asm__ __volatile__("nop\n\tnop\n\tnop"); /* as selo_idle() says */
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
