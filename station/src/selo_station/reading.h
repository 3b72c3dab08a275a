/*
 * The reading that a station sends by itself, as site/codecs/rain-gauge.toml reads it: four
 * variables of four bytes, little-endian, as the chip keeps them.
 */
#ifndef SELO_STATION_READING_H
#define SELO_STATION_READING_H

#include <stdint.h>

enum {
    SELO_READING_CLOCK_LOST = 1, /* the clock has stopped, or is not there */
    SELO_READING_RESTARTED = 2,  /* the first reading since the start */
    SELO_READING_RADIO_LOST = 4  /* the radio did not take the last frame */
};

/* No thermometer: outside of what the codec takes for a temperature. */
#define SELO_READING_NO_TEMPERATURE INT32_MAX

struct selo_reading {
    uint32_t time;        /* seconds since 1970, by the station's clock; 0: not known */
    uint32_t tips;        /* of the bucket since installation; each 0.2 mm */
    int32_t centidegrees;
    uint16_t battery_millivolts;
    uint16_t status;
};

/* That of a rain gauge: clock, gauge, thermometer, battery. */
void selo_reading_take(struct selo_reading *reading);

#endif
