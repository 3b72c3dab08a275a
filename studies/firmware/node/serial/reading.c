/*
 * A simulated weather station without a clock. The temperature rises and falls by 5 degrees in 256
 * readings, the rain gauge tips every 16th reading, and the battery voltage falls slowly.
 */
#include "selo_station/station.h"

void selo_station_reading(struct selo_reading *reading)
{
    static uint16_t number;
    uint8_t phase = (uint8_t)number;
    int16_t swing = phase < 128 ? phase : 256 - phase;
    *reading = (struct selo_reading){
        .tips = number / 16,
        .centidegrees = 1900 + 4 * swing,
        .battery_millivolts = (uint16_t)(3300 - number / 64),
        .status = number == 0 ? SELO_READING_CLOCK_LOST | SELO_READING_RESTARTED : SELO_READING_CLOCK_LOST,
    };
    number++;
}
