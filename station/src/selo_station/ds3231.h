/*
 * A DS3231 clock on the two-wire bus: the time, kept by a battery of its own, and a
 * thermometer.
 */
#ifndef SELO_STATION_DS3231_H
#define SELO_STATION_DS3231_H

#include <stdint.h>

struct selo_ds3231 {
    uint32_t seconds;     /* since 1970; 0 if they are not known */
    int16_t centidegrees;
    uint8_t stopped;      /* its oscillator has been without power, or it holds no time */
};

void selo_ds3231_begin(void);

/* 0 if there is no clock on the bus. */
uint8_t selo_ds3231_read(struct selo_ds3231 *clock);

/* Sets it; 0 if there is none, or the time is not one of 2000 to 2099. */
uint8_t selo_ds3231_set(uint32_t seconds);

#endif
