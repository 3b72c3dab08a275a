#include "chip.h"

#if SELO_STATION

#include "watchdog.h"

#include <avr/wdt.h>

static volatile uint16_t count;
static volatile uint8_t ticked;

ISR(WDT_vect, ISR_BLOCK)
{
    count = TCNT1;
    ticked = 1;
}

void selo_watchdog_start(uint8_t power)
{
    ticked = 0;
    wdt_reset();
    WDTCSR = _BV(WDCE) | _BV(WDE); /* unlocks the register for four cycles */
    WDTCSR = _BV(WDIF) | _BV(WDIE) | power; /* interrupt, no reset */
}

void selo_watchdog_stop(void) { wdt_disable(); }

uint8_t selo_watchdog_ticked(uint16_t *timer)
{
    uint8_t was = ticked;
    ticked = 0;
    *timer = count;
    return was;
}

#endif
