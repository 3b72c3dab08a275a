#include "health.h"

#include <string.h>

_Static_assert(SELO_HEALTH_STARTUP % SELO_HEALTH_WINDOW == 0
                   && SELO_HEALTH_STARTUP % SELO_HEALTH_BLOCK == 0,
               "the start-up test ends with whole windows and blocks");

/* Repetition count test: the same value too often in a row. */
static uint8_t repeats(struct selo_health *health, uint8_t sample)
{
    if (health->count == 0 || sample != health->last)
        health->repetitions = 0;
    health->last = sample;
    return ++health->repetitions >= SELO_HEALTH_REPETITIONS;
}

/* Adaptive proportion test: the first value of a window occurs too often in that window. */
static uint8_t leans(struct selo_health *health, uint8_t sample)
{
    if (health->count % SELO_HEALTH_WINDOW == 0) {
        health->first = sample;
        health->same = 0;
    }
    if (sample == health->first)
        health->same++;
    return health->same >= SELO_HEALTH_SAME;
}

/* Too few different values in a block. */
static uint8_t is_narrow(struct selo_health *health, uint8_t sample)
{
    uint8_t bit = (uint8_t)(1 << (sample & 7)), *seen;

    if (health->count % SELO_HEALTH_BLOCK == 0) {
        memset(health->seen, 0, sizeof health->seen);
        health->values = 0;
    }
    seen = &health->seen[sample >> 3];
    if (!(*seen & bit))
        health->values++; /* 256 wraps to 0 and fails: such a source is a counter */
    *seen |= bit;
    return health->count % SELO_HEALTH_BLOCK == SELO_HEALTH_BLOCK - 1
           && health->values < SELO_HEALTH_VALUES;
}

uint8_t selo_health_take(struct selo_health *health, uint8_t sample)
{
    uint8_t broken = repeats(health, sample);

    broken |= leans(health, sample);
    broken |= is_narrow(health, sample);
    health->count++;
    return !broken;
}
