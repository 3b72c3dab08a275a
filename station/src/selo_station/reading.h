/*
 * The reading that a station sends, as site/codecs/rain-gauge.toml describes it: four variables of
 * four bytes, little-endian, as in the chip's memory.
 */
#ifndef SELO_STATION_READING_H
#define SELO_STATION_READING_H

#include <stdint.h>

enum {
    SELO_READING_CLOCK_LOST = 1, /* the clock has stopped, or is absent */
    SELO_READING_RESTARTED = 2,  /* the first reading since the start */
    SELO_READING_RADIO_LOST = 4  /* the radio did not accept the last frame */
};

/* No thermometer: a value that the codec does not accept as a temperature. */
#define SELO_READING_NO_TEMPERATURE INT32_MAX

struct selo_reading {
    uint32_t time;        /* seconds since 1970, by the station's clock; 0 if unknown */
    uint32_t tips;        /* tips of the bucket since installation, 0.2 mm each */
    int32_t centidegrees;
    uint16_t battery_millivolts;
    uint16_t status;
};

/* Takes the reading of a rain gauge: clock, gauge, thermometer, battery. */
void selo_reading_take(struct selo_reading *reading);

#endif
