/*
 * A DS3231 on the two-wire bus: a clock with its own battery, and a thermometer.
 */
#ifndef SELO_STATION_DS3231_H
#define SELO_STATION_DS3231_H

#include <stdint.h>

struct selo_ds3231 {
    uint32_t seconds;     /* seconds since 1970; 0 if unknown */
    int16_t centidegrees;
    uint8_t stopped;      /* the oscillator has lost power, or the clock holds no time */
};

void selo_ds3231_begin(void);

/* Returns 0 if there is no clock on the bus. */
uint8_t selo_ds3231_read(struct selo_ds3231 *clock);

/* Sets the clock. Returns 0 if there is none, or the time is not in the years 2000 to 2099. */
uint8_t selo_ds3231_set(uint32_t seconds);

#endif
