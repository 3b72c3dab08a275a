/*
 * The watchdog runs from an RC oscillator, everything else from the crystal or
 * resonator. At each tick of the watchdog, 16 ms long [ATMEGA328P, 11.8], the chip
 * notes where a counter of the other clock stands: the last bit or two vary with heat
 * and supply noise. This file counts on one bit a tick and takes eight ticks for a
 * byte. The estimate has not been confirmed with recordings from many boards; that is
 * why the library mixes in a seed that it has stored.
 *
 * Uses the watchdog's interrupt and timer 1.
 */
#include "chip.h"

#if SELO_STATION

#include "entropy.h"
#include "clock.h"
#include "idle.h"
#include "watchdog.h"

enum {
    TICKS_PER_BYTE = 8,
    PATIENCE_MILLISECONDS = 100, /* after that no tick will come any more */
    LENGTHS_WANTED = 16 /* of 256 ticks; fewer different ones: nothing jitters */
};

static uint8_t found;

/* Sleeps until the watchdog ticks; 0 if it does not. */
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

/* Gathers ticks into out; how many different lengths it saw, as far as low bytes tell. */
static uint16_t gather(uint8_t *out, size_t size)
{
    uint8_t seen[32] = {0}; /* one bit for each low byte of a length */
    uint16_t lengths = 0, before, now;
    if (!wait_for_tick(&before))
        return 0;
    for (uint16_t tick = 0; tick < size * TICKS_PER_BYTE; tick++) {
        if (!wait_for_tick(&now))
            return 0;
        uint8_t low = (uint8_t)(now - before), bit = (uint8_t)(1 << (low & 7));
        lengths += (seen[low >> 3] & bit) == 0;
        seen[low >> 3] |= bit;
        /* Each tick turns its byte by a bit, so that the bits that vary spread. */
        uint8_t *byte = &out[tick % size];
        *byte = (uint8_t)((uint8_t)(*byte << 1 | *byte >> 7) ^ low);
        before = now;
    }
    return lengths;
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
    uint16_t lengths = gather(out, size);
    selo_watchdog_stop();
    TCCR1B = 0;

    /* Short draws are held to the same share of different lengths. */
    found = lengths * 256UL >= LENGTHS_WANTED * (uint32_t)(size * TICKS_PER_BYTE);
    if (!found)
        selo_wipe(out, size);
    return found ? SELO_OK : SELO_ERROR_RANDOM;
}

uint8_t selo_entropy_found(void) { return found; }

#endif
