/*
 * A made-up weather station: temperature goes up and down by 5 degrees in 256
 * readings, every 16th tips the rain gauge, the battery sinks slowly.
 */
#include "reading.h"
#include "clock.h"

#include <stddef.h>

void reading_take(struct reading *reading)
{
    static uint16_t number;
    uint8_t phase = (uint8_t)number;
    int16_t swing = phase < 128 ? phase : 256 - phase;
    *reading = (struct reading){
        .milliseconds = clock_milliseconds(NULL),
        .number = number,
        .centidegrees = (int16_t)(1900 + 4 * swing),
        .rain_tips = number / 16,
        .battery_millivolts = (uint16_t)(3300 - number / 64),
    };
    number++;
}
