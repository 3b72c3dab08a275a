/*
 * The reading that the node sends by itself: a weather station's, made up.
 */
#ifndef NODE_READING_H
#define NODE_READING_H

#include <stdint.h>

/* Little-endian, as the chip keeps it. */
struct reading {
    uint32_t milliseconds; /* since the start */
    uint16_t number;       /* of the reading since the start */
    int16_t centidegrees;
    uint16_t rain_tips;
    uint16_t battery_millivolts;
    uint8_t spare[4];
};
_Static_assert(sizeof(struct reading) == 16, "a reading has 16 bytes");

void reading_take(struct reading *reading);

#endif
