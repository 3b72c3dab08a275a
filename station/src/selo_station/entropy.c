/*
 * The watchdog runs from an RC oscillator, everything else from the crystal or resonator. At each
 * tick of the watchdog, 16 ms long [ATMEGA328P, 11.8], the chip reads a counter of the other clock.
 * The last bits vary with heat and supply noise. A sample is the low byte of a tick's length.
 *
 * One bit of min-entropy is claimed for a sample. studies/firmware/node/README.md gives the reasons. Nobody
 * has measured it on our boards. Therefore a draw takes 1,024 samples for 256 bits, the samples
 * pass the tests of health.h, and the library mixes in a stored seed.
 *
 * Uses the watchdog's interrupt and timer 1.
 */
#include "chip.h"

#if SELO_STATION

#include "entropy.h"
#include "clock.h"
#include "health.h"
#include "idle.h"
#include "watchdog.h"

enum { PATIENCE_MILLISECONDS = 100 }; /* timeout: no tick will come after this */

static uint8_t found;

/* Sleeps until the watchdog ticks. Returns 0 if it does not. */
static uint8_t wait_for_tick(uint16_t *at)
{
    uint32_t start = selo_clock_milliseconds(NULL);
    for (;;) {
        cli();
        if (selo_watchdog_ticked(at))
            break;
        selo_idle();
        if (selo_clock_milliseconds(NULL) - start > PATIENCE_MILLISECONDS)
            return 0;
    }
    sei();
    return 1;
}

/* Gathers ticks into out. Returns 0 if they do not come, or if a test rejects them. */
static uint8_t gather(uint8_t *out, size_t size)
{
    struct selo_health health = {0};
    uint16_t before, now;
    if (!wait_for_tick(&before))
        return 0;
    for (uint16_t tick = 0; tick < SELO_HEALTH_STARTUP; tick++) {
        if (!wait_for_tick(&now))
            return 0;
        uint8_t low = (uint8_t)(now - before);
        if (!selo_health_take(&health, low))
            return 0;
        /* Each tick rotates its byte by one bit, to spread the bits that vary. */
        uint8_t *byte = &out[tick % size];
        *byte = (uint8_t)((uint8_t)(*byte << 1 | *byte >> 7) ^ low);
        before = now;
    }
    return 1;
}

enum selo_status selo_entropy_draw(void *unused, uint8_t *out, size_t size)
{
    (void)unused;
    selo_wipe(out, size);
    TCCR1A = 0;
    TCCR1B = _BV(CS10); /* counts every cycle of the processor */
    cli();
    selo_watchdog_start(0);
    sei();
    found = gather(out, size);
    selo_watchdog_stop();
    TCCR1B = 0;
    if (!found)
        selo_wipe(out, size);
    return found ? SELO_OK : SELO_ERROR_RANDOM;
}

uint8_t selo_entropy_found(void) { return found; }

#endif
