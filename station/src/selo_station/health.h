/*
 * Health tests of a noise source [SP800-90B, 4.4]: they see a source that sticks or leans.
 * No test sees that numbers can be predicted in another way.
 */
#ifndef SELO_STATION_HEALTH_H
#define SELO_STATION_HEALTH_H

#include <stdint.h>

enum {
    /* Samples of the start-up test [SP800-90B, 4.3]. */
    SELO_HEALTH_STARTUP = 1024,
    /* One bit of min-entropy is claimed for a sample, and a healthy source with that much is
     * called broken once in 2^30 samples by each test. */
    SELO_HEALTH_REPETITIONS = 31, /* 1 + 30 / 1 [SP800-90B, 4.4.1] */
    SELO_HEALTH_WINDOW = 512,     /* [SP800-90B, 4.4.2] */
    SELO_HEALTH_SAME = 325,       /* 1 + CRITBINOM(512, 1/2, 1 - 2^-30) */
    /* A chip without jitter still shows some values, by its interrupts: of so many samples
     * so many values must differ. */
    SELO_HEALTH_BLOCK = 256,
    SELO_HEALTH_VALUES = 16
};

struct selo_health {
    uint16_t count;        /* samples so far */
    uint16_t same;         /* samples of the window that are like its first */
    uint8_t first, last;   /* of the window; of all */
    uint8_t repetitions;   /* of the last, in a row */
    uint8_t values;        /* different ones in the block */
    uint8_t seen[32];      /* a bit for each value */
};

/* Before the first sample: all zeros. 1 if the source is healthy so far. */
uint8_t selo_health_take(struct selo_health *health, uint8_t sample);

#endif
