/*
 * Health tests of a noise source [SP800-90B, 4.4]. They detect a source that is stuck or biased.
 * They cannot detect numbers that are predictable in another way.
 */
#ifndef SELO_STATION_HEALTH_H
#define SELO_STATION_HEALTH_H

#include <stdint.h>

enum {
    /* Samples of the start-up test [SP800-90B, 4.3]. */
    SELO_HEALTH_STARTUP = 1024,
    /* One bit of min-entropy is claimed for a sample. Each test rejects a healthy source with that
     * entropy once in 2^30 samples. */
    SELO_HEALTH_REPETITIONS = 31, /* 1 + 30 / 1 [SP800-90B, 4.4.1] */
    SELO_HEALTH_WINDOW = 512,     /* [SP800-90B, 4.4.2] */
    SELO_HEALTH_SAME = 325,       /* 1 + CRITBINOM(512, 1/2, 1 - 2^-30) */
    /* A chip without jitter still gives some different values, because of its interrupts. Of this
     * many samples this many values must differ. */
    SELO_HEALTH_BLOCK = 256,
    SELO_HEALTH_VALUES = 16
};

struct selo_health {
    uint16_t count;        /* samples so far */
    uint16_t same;         /* samples in the window equal to its first */
    uint8_t first, last;   /* first sample of the window, last sample */
    uint8_t repetitions;   /* consecutive samples equal to the last */
    uint8_t values;        /* number of different values in the block */
    uint8_t seen[32];      /* one bit for each value seen */
};

/* Adds a sample. Start with all zeros. Returns 1 if the source is healthy so far, else 0. */
uint8_t selo_health_take(struct selo_health *health, uint8_t sample);

#endif
