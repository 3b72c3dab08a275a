/*
 * Random bytes on an Uno, which has no random generator, from the jitter between its two clocks.
 * The watchdog runs from an RC oscillator, everything else from the crystal or resonator. At each
 * tick of the watchdog the processor reads a counter of the other clock.
 *
 * Quality: the last bit or two of a tick vary with heat and supply noise. This file assumes 1 bit
 * for each tick and hashes 256 ticks with SHA-256. This takes about four seconds, once, in setup.
 * It refuses if the ticks vary too little or do not come, as in a simulator. It cannot detect a
 * source that only looks random. No recording from many boards has confirmed the assumption.
 * For keys that must last, bring randomness from outside and keep it in EEPROM.
 *
 * Uses the watchdog interrupt and, while it gathers, timer 1.
 */
#ifndef SELO_JITTER_H
#define SELO_JITTER_H

#ifndef __AVR__
#error "selo_jitter.hpp reads the clocks of an AVR; use your chip's own random generator instead"
#endif

#include <avr/interrupt.h>
#include <avr/wdt.h>
#include <Arduino.h>
#include <string.h>
#include <util/atomic.h>

#include "selo.h"

/* Ticks to gather: 256 bits, at 1 bit for each tick. */
#ifndef JITTER_TICKS
#define JITTER_TICKS 256
#endif

/* A tick takes about 16 ms [ATMEGA328P, 11.8]. After this many milliseconds without one, no more
 * will come. */
#define JITTER_PATIENCE 40

/* Minimum number of different tick lengths. With fewer there is no jitter. 0 accepts anything, even
 * no ticks: for tests in a simulator only. */
#ifndef JITTER_LENGTHS
#define JITTER_LENGTHS 16
#endif

struct jitter {
    uint8_t seed[32];
    uint32_t drawn; /* blocks already drawn from the seed */
};

static volatile uint16_t jitter_count;
static volatile bool jitter_ticked;

ISR(WDT_vect)
{
    jitter_count = TCNT1;
    jitter_ticked = true;
}

/* Waits for the next tick. Returns false if it does not come. *count is that of timer 1. */
static inline bool jitter_wait(uint16_t *count)
{
    const uint32_t start = millis();
    while (millis() - start < JITTER_PATIENCE) {
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
        {
            if (jitter_ticked) {
                jitter_ticked = false;
                *count = jitter_count;
                return true;
            }
        }
    }
    *count = TCNT1;
    return false;
}

/* Gathers the seed. Returns false if the clocks do not jitter; draw nothing then. */
static bool jitter_begin(struct jitter *jitter)
{
    const uint8_t control_a = TCCR1A, control_b = TCCR1B;
    struct selo_sha256 hash;
    uint8_t seen[32] = {0}; /* one bit for each low byte of a tick's length */
    int16_t lengths = 0;

    TCCR1A = 0;
    TCCR1B = _BV(CS10); /* counts every cycle of the processor */
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        wdt_reset();
        WDTCSR = _BV(WDCE) | _BV(WDE); /* unlocks the register for four cycles */
        WDTCSR = _BV(WDIE);            /* interrupt, no reset, shortest period */
    }

    selo_sha256_start(&hash);
    uint16_t before, now;
    bool came = jitter_wait(&before);
    for (uint16_t tick = 0; tick < JITTER_TICKS; tick++) {
        if (!came && JITTER_LENGTHS > 0) {
            break;
        }
        came = jitter_wait(&now);
        const uint16_t length = now - before;
        const uint8_t low = (uint8_t)length, bit = (uint8_t)(1 << (low & 7));
        if (came && (seen[low >> 3] & bit) == 0) {
            seen[low >> 3] |= bit;
            lengths++;
        }
        selo_sha256_update(&hash, &length, sizeof length);
        before = now;
    }
    selo_sha256_finish(&hash, jitter->seed);
    jitter->drawn = 0;

    wdt_disable();
    TCCR1A = control_a;
    TCCR1B = control_b;

    if (lengths < JITTER_LENGTHS) {
        selo_wipe(jitter, sizeof *jitter);
        return false;
    }
    return true;
}

/*
 * A selo_random_fn; `source` is the struct jitter. Each block of 32 bytes is the SHA-256 of the seed
 * and a counter. This is enough for nonces, which are sent in clear. An attacker who steals the
 * seed could compute all of them.
 */
static enum selo_status jitter_random(void *source, uint8_t *out, size_t size)
{
    struct jitter *jitter = static_cast<struct jitter *>(source);

    while (size > 0) {
        struct selo_sha256 hash;
        uint8_t block[32];
        const size_t part = size < sizeof block ? size : sizeof block;

        selo_sha256_start(&hash);
        selo_sha256_update(&hash, jitter->seed, sizeof jitter->seed);
        selo_sha256_update(&hash, &jitter->drawn, sizeof jitter->drawn);
        selo_sha256_finish(&hash, block);
        jitter->drawn++;
        memcpy(out, block, part);
        selo_wipe(block, sizeof block);
        out += part;
        size -= part;
    }
    return SELO_OK;
}

#endif
