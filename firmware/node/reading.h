/*
 * The reading that the node sends by itself, as codecs/rain-gauge.toml reads it: four
 * variables of four bytes, little-endian, as the chip keeps them.
 */
#ifndef NODE_READING_H
#define NODE_READING_H

#include <stdint.h>

enum {
    READING_CLOCK_LOST = 1, /* the clock has stopped, or is not there */
    READING_RESTARTED = 2,  /* the first reading since the start */
    READING_RADIO_LOST = 4  /* the radio did not take the last frame */
};

/* No thermometer: outside of what the codec takes for a temperature. */
#define READING_NO_TEMPERATURE INT32_MAX

struct reading {
    uint32_t time;        /* seconds since 1970, by the station's clock; 0: not known */
    uint32_t tips;        /* of the bucket since installation; each 0.2 mm */
    int32_t centidegrees;
    uint16_t battery_millivolts;
    uint16_t status;
};
_Static_assert(sizeof(struct reading) == 16, "a reading has 16 bytes");

void reading_take(struct reading *reading);

#endif
