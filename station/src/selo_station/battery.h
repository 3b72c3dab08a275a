/*
 * The chip's supply: a battery's voltage where the board hangs on one directly.
 */
#ifndef SELO_STATION_BATTERY_H
#define SELO_STATION_BATTERY_H

#include <stdint.h>

/* The program says what the chip's reference is, in millivolts: 1100, or as measured. */
extern const uint16_t selo_battery_bandgap;

uint16_t selo_battery_millivolts(void);

#endif
